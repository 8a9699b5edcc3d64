"""What somebody wants to change about a photo."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, Final

from sparks.library.photos.words import checked_alt_text, checked_description, checked_tags, checked_title
from sparks.model.photo import Photo, Visibility
from sparks.model.times import from_iso, iso, zone


class Kept(Enum):
    KEPT = "left as it is"


KEPT: Final = Kept.KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is not named stays as it is; None, or nothing but spaces, clears. BadInput for words that are too long.

    A new time alone keeps the offset, since only the clock was wrong; a time that is cleared takes its offset along.
    Either way it is no longer the file that tells it.
    """

    title: str | Kept | None = KEPT
    description: str | Kept | None = KEPT
    alt_text: str | Kept | None = KEPT
    tags: tuple[str, ...] | Kept | None = KEPT
    taken_at: datetime | Kept | None = KEPT
    taken_offset: str | Kept | None = KEPT
    visibility: Visibility | Kept = KEPT

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            if (asked := getattr(self, name)) is not KEPT:
                object.__setattr__(self, name, check(asked))

    def applied_to(self, photo: Photo) -> Photo:
        asked: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        edited = replace(photo, **{name: value for name, value in asked.items() if value is not KEPT})
        if self.taken_at is not KEPT and edited.exif is not None:
            edited = replace(edited, exif=replace(edited.exif, taken_from=None))
        return edited if edited.taken_at is not None else replace(edited, taken_offset=None)


def _checked_tags(tags: Iterable[str] | None) -> tuple[str, ...]:
    return checked_tags(tags or ())


def _storable(time: datetime | None) -> datetime | None:
    """In UTC, and no finer than it can be stored."""
    return None if time is None else from_iso(iso(time))


def _checked_offset(offset: str | None) -> str | None:
    zone(offset or None)
    return offset or None


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "title": checked_title,
    "description": checked_description,
    "alt_text": checked_alt_text,
    "tags": _checked_tags,
    "taken_at": _storable,
    "taken_offset": _checked_offset,
}

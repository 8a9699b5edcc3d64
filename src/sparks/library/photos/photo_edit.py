"""Edits of photo fields, of one photo or of many, validated and applied.

A bulk edit needs no version, since adding or removing a tag does not depend on other changes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, Final

from sparks.model.errors import BadInput
from sparks.model.photo import Photo, Visibility
from sparks.model.text_validation import (
    MAX_TAGS,
    checked_alt_text,
    checked_description,
    checked_tags,
    checked_title,
    tag_key,
)
from sparks.model.times import storable, zone


class Unchanged(Enum):
    KEPT = "left as it is"


UNCHANGED: Final = Unchanged.KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoEdit:
    """Fields that are not given stay as they are; None, or only spaces, clears. BadInput for texts that are too long.
    Tags that the photo has already are kept unchanged, however long or many they are: other services have other
    limits.

    A new time alone keeps the offset, since only the clock was wrong; clearing the time clears the offset, too. In both
    cases the time is no longer taken from the file.
    """

    title: str | Unchanged | None = UNCHANGED
    description: str | Unchanged | None = UNCHANGED
    alt_text: str | Unchanged | None = UNCHANGED
    tags: tuple[str, ...] | Unchanged | None = UNCHANGED
    taken_at: datetime | Unchanged | None = UNCHANGED
    taken_offset: str | Unchanged | None = UNCHANGED
    visibility: Visibility | Unchanged = UNCHANGED

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            if (value := getattr(self, name)) is not UNCHANGED:
                object.__setattr__(self, name, check(value))

    def applied_to(self, photo: Photo) -> Photo:
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        if self.tags is not UNCHANGED:
            fields["tags"] = _tags_after(photo.tags, self.tags)
        edited = replace(photo, **{name: value for name, value in fields.items() if value is not UNCHANGED})
        if self.taken_at is not UNCHANGED and edited.exif is not None:
            edited = replace(edited, exif=replace(edited.exif, taken_from=None))
        return edited if edited.taken_at is not None else replace(edited, taken_offset=None)


def _as_tuple(tags: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(tags or ())


def _tags_after(before: Iterable[str], given: Iterable[str] | None) -> tuple[str, ...]:
    """BadInput for a new tag that is invalid, or one too many."""
    left, given = Counter(before), _as_tuple(given)
    listed = {_key(tag) for tag in given if tag in left}
    after: list[str] = []
    for tag in given:
        if left[tag] > 0:
            left[tag] -= 1
            after.append(tag)
        elif tag not in left:
            new = [each for each in checked_tags([tag]) if _key(each) not in listed]
            listed.update(map(_key, new))
            after += new
    if len(after) > MAX_TAGS and not set(after) <= left.keys():
        raise BadInput(f"a photo has at most {MAX_TAGS} tags, not {len(after):,}")
    return tuple(after)


def _checked_offset(offset: str | None) -> str | None:
    zone(offset or None)
    return offset or None


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "title": checked_title,
    "description": checked_description,
    "alt_text": checked_alt_text,
    "tags": _as_tuple,
    "taken_at": storable,
    "taken_offset": _checked_offset,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPhotoEdit:
    """Tags are removed before others are added, so that the spelling of one can be changed; case is ignored. BadInput
    for an invalid tag. Without a visibility, that stays as it is.
    """

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    visibility: Visibility | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "add_tags", checked_tags(self.add_tags))

    @property
    def is_empty(self) -> bool:
        return not self.add_tags and not self.remove_tags and self.visibility is None

    def applied_to(self, photo: Photo) -> Photo:
        """BadInput where the photo would have too many tags. An imported photo that has too many can lose some."""
        return replace(photo, tags=self._tags(photo.tags), visibility=self.visibility or photo.visibility)

    def _tags(self, tags: tuple[str, ...]) -> tuple[str, ...]:
        going = {_key(tag) for tag in self.remove_tags}
        kept = [tag for tag in tags if tag in self.add_tags or _key(tag) not in going]
        had = {_key(tag) for tag in kept}
        coming = [tag for tag in self.add_tags if _key(tag) not in had]
        if coming and len(kept) + len(coming) > MAX_TAGS:
            raise BadInput(f"a photo has at most {MAX_TAGS} tags, and this one would have {len(kept) + len(coming):,}")
        return (*kept, *coming)


def _key(tag: str) -> str:
    """An imported tag that no list can hold is compared as it is."""
    return tag_key(tag) or tag

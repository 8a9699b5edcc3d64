"""What an uploader says about a file before its bytes arrive."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sparks.blobs.checks import checked_content_type, checked_sha256
from sparks.library.photos import Edit
from sparks.media.kinds import Kind
from sparks.media.sniff import sniff
from sparks.model.errors import BadInput, TooLarge, UnsupportedType
from sparks.model.photo import Location, Photo, PhotoState, Visibility
from sparks.model.times import from_iso, has_passed, iso

RESERVED_FOR: Final = timedelta(hours=24)
BACKSTOP: Final = timedelta(days=30)  # how long after its end the table itself may drop a row
LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC)
LONGEST_NAME: Final = 255  # characters
LONGEST_ENDING: Final = 20

# Declared types that are none of a picture or a film. All others are let pass: only bytes are believed.
_STRANGE_TYPES: Final = re.compile(
    r"(text|audio|font|message|multipart)/.*|application/(pdf|zip|json|.*xml)|image/svg.*"
)
_WORDS: Final = ("title", "description", "alt_text", "tags", "taken_at", "taken_offset")
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"  # as in `words`, and line ends
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """`size` is 0 where nobody knows it yet. `expires_at` is for a photo that is to go by itself. `file_time` is when
    the file was last modified. `guest_id` and `uploader_tag` are those of a guest who brings it. BadInput for words
    that are too long, and for what has not the form it should have.
    """

    filename: str | None
    size: int
    owner: str
    mime_type: str | None = None
    sha256: str | None = None
    title: str | None = None
    description: str | None = None
    alt_text: str | None = None
    tags: tuple[str, ...] = ()
    visibility: Visibility = Visibility.COMMUNITY
    taken_at: datetime | None = None
    taken_offset: str | None = None
    file_time: datetime | None = None
    location: Location | None = None
    expires_at: datetime | None = None
    guest_id: str | None = None
    uploader_tag: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        words = Edit(**{name: getattr(self, name) for name in _WORDS})
        checked = {name: getattr(words, name) for name in _WORDS}
        checked["filename"] = usable_name(self.filename)
        checked["mime_type"] = checked_content_type(self.mime_type) if self.mime_type else None
        checked["sha256"] = checked_sha256(self.sha256)
        for name in ("file_time", "expires_at"):
            checked[name] = _storable(getattr(self, name))
        if checked["expires_at"] is not None and checked["expires_at"] >= LATEST:
            raise BadInput(
                f"no photo expires as late as {iso(checked['expires_at'])}: leave it out, to keep it for good"
            )
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def reservation(self, image_id: str, *, at: datetime, upload_id: str | None = None) -> Photo:
        """The photo while its bytes are on their way. BadInput where it would have expired before it began."""
        if has_passed(self.expires_at, at=at):
            raise BadInput(f"this photo would have expired already, at {iso(self.expires_at or at)}: name a later time")
        over = at + RESERVED_FOR if self.expires_at is None else min(at + RESERVED_FOR, self.expires_at)
        photo = Photo(
            image_id=image_id,
            owner=self.owner,
            state=PhotoState.RESERVED,
            visibility=self.visibility,
            original_filename=self.filename,
            mime_type=self.mime_type,
            file_size=self.size,
            sha256=self.sha256,
            file_time=self.file_time,
            location=self.location,
            upload_id=upload_id,
            kept_until=self.expires_at,
            guest_id=self.guest_id,
            uploader_tag=self.uploader_tag,
            created_at=at,
            last_modified=at,
            expires_at=over,
            ttl=over + BACKSTOP,
            extra=self.extra,
        )
        return replace(photo, **{name: getattr(self, name) for name in _WORDS})


Takes = Callable[[Kind], None]


def anything(kind: Kind) -> None:
    """Takes all that Sparks does; others raise UnsupportedType."""


def check_size(size: int, *, most: int) -> None:
    """TooLarge above what one file may have; an empty one is an UnsupportedType."""
    if size > most:
        raise TooLarge(f"this file has {size:,} bytes, and one may have at most {most:,}: make it smaller, or shorter")
    if size < 1:
        sniff(b"", size=0)


def check_type(mime_type: str | None) -> None:
    """UnsupportedType where even the uploader says that this is no picture or film. What it is, only its bytes tell."""
    if mime_type is not None and _STRANGE_TYPES.fullmatch(mime_type.lower()) is not None:
        raise UnsupportedType(f"Sparks takes pictures and videos, and this is said to be {mime_type[:100]}.")


def usable_name(name: str | None) -> str | None:
    """The last segment of a path, without what cannot be seen, and not longer than told; its ending stays. None where
    nothing is left.
    """
    last = re.split(r"[/\\]", name or "")[-1]
    seen = unicodedata.normalize("NFC", _UNSEEN.sub("", last)).strip()
    stem, dot, ending = seen.rpartition(".")
    suffix = dot + ending if stem and len(ending) <= LONGEST_ENDING else ""
    return (seen.removesuffix(suffix)[: LONGEST_NAME - len(suffix)] + suffix) or None


def _storable(time: datetime | None) -> datetime | None:
    return None if time is None else from_iso(iso(time))

"""Upload request: the file's declared name, size, type and attributes."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sparks.blobs.checks import checked_content_type, checked_sha256
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.media.file_types import FileType
from sparks.media.sniff import sniff
from sparks.model.errors import BadInput, TooLarge, UnsupportedType
from sparks.model.photo import BACKSTOP, Location, Photo, PhotoState, Visibility
from sparks.model.text_validation import checked_tags
from sparks.model.times import has_passed, iso, storable

RESERVED_FOR: Final = timedelta(hours=24)
LATEST_EXPIRY: Final = datetime(9999, 1, 1, tzinfo=UTC)
MAX_NAME_LENGTH: Final = 255  # characters
MAX_EXTENSION_LENGTH: Final = 20

# Declared types that are neither a picture nor a video. All others pass: the bytes decide.
_UNSUPPORTED_TYPES: Final = re.compile(
    r"(text|audio|font|message|multipart)/.*|application/(pdf|zip|json|.*xml)|image/svg.*"
)
_EDITABLE: Final = ("title", "description", "alt_text", "tags", "taken_at", "taken_offset")
_INVISIBLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"  # and line ends
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadRequest:
    """`size` is 0 where it is not known yet. `expires_at` is when the photo is to be deleted. `file_time` is when the
    file was last modified. `guest_id` and `uploader_tag` are those of the guest who uploads it. BadInput for texts that
    are too long and for values of a wrong form.
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
        edit = PhotoEdit(**{name: getattr(self, name) for name in _EDITABLE})
        checked = {name: getattr(edit, name) for name in _EDITABLE}
        checked["tags"] = checked_tags(self.tags)  # a new photo has none to keep
        checked["filename"] = usable_name(self.filename)
        checked["mime_type"] = checked_content_type(self.mime_type) if self.mime_type else None
        checked["sha256"] = checked_sha256(self.sha256)
        for name in ("file_time", "expires_at"):
            checked[name] = storable(getattr(self, name))
        if checked["expires_at"] is not None and checked["expires_at"] >= LATEST_EXPIRY:
            raise BadInput(
                f"the expiry {iso(checked['expires_at'])} is too late: leave it out to keep the photo for good"
            )
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def reservation(self, image_id: str, *, at: datetime, upload_id: str | None = None) -> Photo:
        """The photo until its bytes have arrived. BadInput where its expiry has passed."""
        if has_passed(self.expires_at, at=at):
            raise BadInput(f"the expiry {iso(self.expires_at or at)} has passed: choose a later time")
        expires_at = at + RESERVED_FOR if self.expires_at is None else min(at + RESERVED_FOR, self.expires_at)
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
            updated_at=at,
            last_modified=at,
            expires_at=expires_at,
            ttl=expires_at + BACKSTOP,
            extra=self.extra,
        )
        return replace(photo, **{name: getattr(self, name) for name in _EDITABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoAttributes:
    """A file and its attributes as the uploader states them. `size` is None where the uploader does not know it,
    `visibility` None for the default, and `album_id` names the album to which the photo is added.
    """

    filename: str | None
    size: int | None
    mime_type: str | None = None
    sha256: str | None = None
    title: str | None = None
    description: str | None = None
    alt_text: str | None = None
    tags: tuple[str, ...] = ()
    visibility: Visibility | None = None
    taken_at: datetime | None = None
    taken_offset: str | None = None
    file_time: datetime | None = None
    expires_at: datetime | None = None
    album_id: str | None = None

    def upload_request(
        self,
        owner: str,
        *,
        default_visibility: Visibility,
        guest_id: str | None = None,
        uploader_tag: str | None = None,
    ) -> UploadRequest:
        """BadInput as for an UploadRequest."""
        return UploadRequest(
            owner=owner,
            filename=self.filename,
            size=self.size or 0,
            mime_type=self.mime_type,
            sha256=self.sha256,
            title=self.title,
            description=self.description,
            alt_text=self.alt_text,
            tags=self.tags,
            visibility=self.visibility or default_visibility,
            taken_at=self.taken_at,
            taken_offset=self.taken_offset,
            file_time=self.file_time,
            expires_at=self.expires_at,
            guest_id=guest_id,
            uploader_tag=uploader_tag,
        )


AcceptType = Callable[[FileType], None]


def accept_any(kind: FileType) -> None:
    """Accepts every file type that Sparks supports; other functions raise UnsupportedType."""


def check_size(size: int, *, most: int) -> None:
    """TooLarge above the maximum size of a file; UnsupportedType for an empty one."""
    if size > most:
        raise TooLarge(f"this file has {size:,} bytes, but the maximum is {most:,}: make it smaller, or shorter")
    if size < 1:
        sniff(b"", size=0)


def check_type(mime_type: str | None) -> None:
    """UnsupportedType where the declared type is neither a picture nor a video; the bytes are checked later."""
    if mime_type is not None and _UNSUPPORTED_TYPES.fullmatch(mime_type.lower()) is not None:
        raise UnsupportedType(f"Sparks takes pictures and videos, but this file is declared as {mime_type[:100]}.")


def usable_name(name: str | None) -> str | None:
    """The last segment of a path without invisible characters, cut to the maximum length before its extension. None
    where nothing is left.
    """
    last = re.split(r"[/\\]", name or "")[-1]
    visible = unicodedata.normalize("NFC", _INVISIBLE.sub("", last)).strip()
    stem, dot, extension = visible.rpartition(".")
    suffix = dot + extension if stem and len(extension) <= MAX_EXTENSION_LENGTH else ""
    return (visible.removesuffix(suffix)[: MAX_NAME_LENGTH - len(suffix)] + suffix) or None

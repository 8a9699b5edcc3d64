"""Where the bytes of a reserved photo go: one signed address, or one for each part; and which have arrived."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from sparks.blobs.port import DEFAULT_TYPE, Blobs, Part, SignedUrl
from sparks.library import objects
from sparks.library.limits.photos import OVER
from sparks.library.photos import find_photo
from sparks.model.errors import AlreadyThere, BadInput, NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.model.times import has_passed
from sparks.table.port import Table
from sparks.upload.parts import part_sizes

LIVES: Final = 3600  # seconds; whoever needs longer asks again


def whole_address(photo: Photo, *, blobs: Blobs) -> SignedUrl | None:
    """None for a file that comes in parts. It takes the file once: whoever finds it there (412) goes on to complete."""
    if photo.upload_id is not None:
        return None
    return blobs.sign_put(
        objects.upload(photo.image_id),
        size=photo.file_size or 0,
        content_type=photo.mime_type or DEFAULT_TYPE,
        expires_in=LIVES,
        sha256=photo.sha256,
        if_absent=True,
    )


def part_addresses(photo: Photo, numbers: Iterable[int], *, blobs: Blobs) -> dict[int, SignedUrl]:
    """The address of each of these parts, by its number; BadInput where there are no such parts."""
    sizes = sizes_of(photo)
    asked = sorted(set(numbers))
    if photo.upload_id is None or not sizes.keys() >= set(asked):
        told = f"its parts have the numbers 1 to {len(sizes):,}" if sizes else "this upload comes in one piece"
        raise BadInput(f"there is no such part: {told}")
    key, upload_id = objects.upload(photo.image_id), photo.upload_id
    return {number: blobs.sign_part(key, upload_id, number, size=sizes[number], expires_in=LIVES) for number in asked}


def sizes_of(photo: Photo) -> Mapping[int, int]:
    """The bytes of each of its parts, by its number; none for a file that comes in one piece."""
    return {} if photo.upload_id is None else part_sizes(photo.file_size or 0)


def arrived_parts(photo: Photo, *, blobs: Blobs) -> list[Part] | None:
    """Those of its parts that are there as they should be, by number; None where they are joined already."""
    sizes = sizes_of(photo)
    try:
        found = blobs.list_parts(objects.upload(photo.image_id), photo.upload_id or "")
    except NotFound:
        return None
    return [part for part in found if sizes.get(part.number) == part.size]


def has_arrived(photo: Photo, *, blobs: Blobs) -> bool:
    """Whether the whole file is there, in one piece."""
    try:
        return blobs.head(objects.upload(photo.image_id)).size == photo.file_size
    except NotFound:
        return False


def check_awaited(key: str, *, at: datetime, table: Table) -> None:
    """Whether bytes for this place are still waited for: its address is good for longer than that. NotFound where the
    reservation was given up or is over, AlreadyThere where it is a photo by now.
    """
    if not key.startswith(objects.UPLOADS):
        return
    photo = find_photo(key.removeprefix(objects.UPLOADS), table=table)
    if photo is None or photo.state is PhotoState.DELETING or has_passed(photo.expires_at, at=at):
        raise NotFound(OVER)
    if photo.state is not PhotoState.RESERVED:
        raise AlreadyThere("this upload is complete: it is a photo by now")

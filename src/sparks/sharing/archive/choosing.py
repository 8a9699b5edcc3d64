"""Which file of a photo goes into an archive, and what it is called there."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import objects
from sparks.model.errors import NotFound
from sparks.model.filename import Names, portable_name, split_name
from sparks.model.photo import FILM, AssetType, Photo
from sparks.sharing.archive.entry import PlannedEntry, clock_of

MISSING_NAME: Final = "_missing.txt"
ASKED_AT_ONCE: Final = 16  # blobs whose length no row tells
AHEAD: Final = 256  # photos


class ArchiveSize(StrEnum):
    ORIGINAL = "original"
    LARGE = "large"
    MEDIUM = "medium"


@dataclass(frozen=True, slots=True)
class Wanted:
    """`bare`: no file tells who made it, where or under which name; so there are no originals among them, but of videos
    that have no film beside them, with a veil over them.
    """

    size: ArchiveSize = ArchiveSize.ORIGINAL
    bare: bool = False

    def __str__(self) -> str:
        return f"{self.size}, bare" if self.bare else self.size.value


@dataclass(frozen=True, slots=True)
class File:
    """`size` is None where the blob has to be asked. `veil`: the type of a file that is given with a veil over it."""

    photo: Photo
    key: str
    size: int | None = None
    etag: str | None = None
    veil: str | None = None


def entries_of(photos: Iterable[Photo], wanted: Wanted, *, blobs: Blobs) -> Iterator[PlannedEntry]:
    """In their order, each under a name of its own. What has no such file is left out."""
    names = Names(MISSING_NAME)
    for number, file in enumerate(_measured(photos, wanted, blobs), 1):
        clock, time = clock_of(file.photo)
        yield PlannedEntry(
            image_id=file.photo.image_id,
            owner=file.photo.owner,
            key=file.key,
            name=names.take(_name(file, number, wanted)),
            size=file.size or 0,
            clock=clock,
            time=time,
            etag=file.etag,
            veil=file.veil,
        )


def file_of(photo: Photo, wanted: Wanted) -> File | None:
    """The very file that was uploaded, or what was made of it: of a video, what any browser plays, and never its poster
    alone.
    """
    if photo.uploaded_by is None:
        return None
    made = {} if photo.renditions is None else photo.renditions.keys
    if wanted.size is not ArchiveSize.ORIGINAL:
        key = made.get(FILM if photo.asset_type is AssetType.VIDEO else wanted.size.value)
        if key is not None and key.startswith(objects.PROCESSED):
            return File(photo, key)
        if wanted.bare and photo.is_own_film:
            return _original(photo, veil=photo.mime_type or "")
    return None if wanted.bare else _original(photo)


def _original(photo: Photo, *, veil: str | None = None) -> File | None:
    return None if photo.original_key is None else File(photo, photo.original_key, photo.file_size, veil=veil)


def _measured(photos: Iterable[Photo], wanted: Wanted, blobs: Blobs) -> Iterator[File]:
    """Their lengths, from the rows or else from the blobs, of which several are asked at once."""

    def measure(file: File) -> File | None:
        if file.size is not None:
            return file
        try:
            found = blobs.head(file.key)
        except NotFound:
            return None
        return replace(file, size=found.size, etag=found.etag)

    chosen = (file for photo in photos if (file := file_of(photo, wanted)) is not None)
    with ThreadPoolExecutor(ASKED_AT_ONCE) as threads:
        while some := list(islice(chosen, AHEAD)):
            ask = threads.map if any(file.size is None for file in some) else map
            yield from (file for file in ask(measure, some) if file is not None)


def _name(file: File, number: int, wanted: Wanted) -> str:
    ending = split_name(file.key.rpartition("/")[2])[1]
    if wanted.bare:
        return f"photo-{number:04}{ending}"
    known = portable_name(file.photo.original_filename or "") or file.photo.image_id + ending
    return known if file.key == file.photo.original_key else split_name(known)[0] + ending

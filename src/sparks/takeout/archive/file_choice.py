"""Choice of the file and the file name for each photo of an archive."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.model.errors import NotFound
from sparks.model.filename import UniqueNames, portable_name, split_name
from sparks.model.photo import VIDEO, AssetType, Photo
from sparks.takeout.archive.plan_store import PlannedEntry, clock_of

MISSING_NAME: Final = "_missing.txt"
MAX_THREADS: Final = 16  # for blobs whose size is in no row
BATCH_SIZE: Final = 256  # photos


class ArchiveSize(StrEnum):
    ORIGINAL = "original"
    LARGE = "large"
    MEDIUM = "medium"


@dataclass(frozen=True, slots=True)
class ArchiveChoice:
    """`bare`: the files hold no metadata, and their names say nothing. So there are no originals among them, but for
    videos without a transcoded rendition, whose metadata are stripped.
    """

    size: ArchiveSize = ArchiveSize.ORIGINAL
    bare: bool = False

    def __str__(self) -> str:
        return f"{self.size}, bare" if self.bare else self.size.value


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """`size` is None where only the blob store knows it. `strip_type`: the MIME type of a file to strip of metadata."""

    photo: Photo
    key: str
    size: int | None = None
    etag: str | None = None
    strip_type: str | None = None


def plan_entries(photos: Iterable[Photo], choice: ArchiveChoice, *, blobs: Blobs) -> Iterator[PlannedEntry]:
    """The entries of these photos in their order, each with a unique name. Photos without such a file are left out."""
    names = UniqueNames(MISSING_NAME)
    for number, file in enumerate(_measured(photos, choice, blobs), 1):
        clock, time = clock_of(file.photo)
        yield PlannedEntry(
            image_id=file.photo.image_id,
            owner=file.photo.owner,
            key=file.key,
            name=names.take(_name(file, number, choice)),
            size=file.size or 0,
            clock=clock,
            time=time,
            etag=file.etag,
            strip_type=file.strip_type,
        )


def choose_file(photo: Photo, choice: ArchiveChoice) -> ArchiveFile | None:
    """The original, or the rendition of the chosen size; of a video the playable one, never its poster."""
    if photo.uploaded_by is None:
        return None
    made = {} if photo.renditions is None else photo.renditions.keys
    if choice.size is not ArchiveSize.ORIGINAL:
        key = made.get(VIDEO if photo.asset_type is AssetType.VIDEO else choice.size.value)
        if key is not None and key.startswith(blob_keys.PROCESSED):
            return ArchiveFile(photo, key)
        if choice.bare and photo.is_own_film:
            return _original(photo, strip_type=photo.mime_type or "")
    return None if choice.bare else _original(photo)


def _original(photo: Photo, *, strip_type: str | None = None) -> ArchiveFile | None:
    if photo.original_key is None:
        return None
    return ArchiveFile(photo, photo.original_key, photo.file_size, strip_type=strip_type)


def _measured(photos: Iterable[Photo], choice: ArchiveChoice, blobs: Blobs) -> Iterator[ArchiveFile]:
    """The chosen files with their sizes, from the rows or else from the blob store, several in parallel."""

    def measure(file: ArchiveFile) -> ArchiveFile | None:
        if file.size is not None:
            return file
        try:
            found = blobs.head(file.key)
        except NotFound:
            return None
        return replace(file, size=found.size, etag=found.etag)

    chosen = (file for photo in photos if (file := choose_file(photo, choice)) is not None)
    with ThreadPoolExecutor(MAX_THREADS) as threads:
        while some := list(islice(chosen, BATCH_SIZE)):
            map_files = threads.map if any(file.size is None for file in some) else map
            yield from (file for file in map_files(measure, some) if file is not None)


def _name(file: ArchiveFile, number: int, choice: ArchiveChoice) -> str:
    ending = split_name(file.key.rpartition("/")[2])[1]
    if choice.bare:
        return f"photo-{number:04}{ending}"
    known = portable_name(file.photo.original_filename or "") or file.photo.image_id + ending
    return known if file.key == file.photo.original_key else split_name(known)[0] + ending

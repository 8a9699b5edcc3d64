"""Access of the rendition steps to a photo and its original."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.library import blob_keys, keys
from sparks.library.photos.photo_rows import NO_PHOTO, read_photo
from sparks.media.file_types import FileType
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Damaged, NotFound, TooLarge, UnsupportedType
from sparks.model.events import PhotoEvent
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Table

LOST: Final = "The original is missing from the store: restore it from a backup, then try again."
REFUSALS: Final = (Damaged, TooLarge, UnsupportedType)  # errors of a file that a retry cannot help


def photo_of_event(event: PhotoEvent, table: Table) -> Photo:
    """NotFound where the photo is deleted or being deleted."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    if photo is None or photo.state is PhotoState.DELETING:
        raise NotFound(NO_PHOTO)
    return photo


@contextmanager
def open_original(event: PhotoEvent, *, table: Table, blobs: Blobs) -> Iterator[int]:
    """Yields a file descriptor. NotFound where the photo is deleted; Damaged where only its file is missing."""
    with ExitStack() as stack:
        try:
            key = photo_of_event(event, table).original_key or blob_keys.upload(event.image_id)
            file = stack.enter_context(local_file(key, blobs=blobs))
        except NotFound as error:
            photo_of_event(event, table)
            raise Damaged(LOST) from error
        yield file


def kind_of(file: int) -> FileType:
    """UnsupportedType where Sparks cannot decode the file."""
    return sniff(os.pread(file, HEAD_BYTES, 0), size=os.fstat(file).st_size)


def delete_renditions(image_id: str, blobs: Blobs) -> None:
    """Deletes all renditions of a deleted photo."""
    for blob in blobs.list(blob_keys.made_prefix(image_id)).blobs:
        blobs.delete(blob.key)

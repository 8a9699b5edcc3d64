"""What the steps have in common that make something of an original."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.library import keys, objects
from sparks.library.photos import NO_PHOTO, read_photo
from sparks.media.kinds import Kind
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Damaged, NotFound, TooLarge, UnsupportedType
from sparks.model.events import PhotoEvent
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Table

LOST: Final = "The original is missing from the store: restore it from a backup, then try again."
REFUSALS: Final = (Damaged, TooLarge, UnsupportedType)  # of a file that cannot be shown, today or tomorrow


def photo_of(event: PhotoEvent, table: Table) -> Photo:
    """NotFound where it is gone or being deleted."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    if photo is None or photo.state is PhotoState.DELETING:
        raise NotFound(NO_PHOTO)
    return photo


@contextmanager
def opened_original(event: PhotoEvent, *, table: Table, blobs: Blobs, served: ServedBlobs | None) -> Iterator[int]:
    """Its descriptor. NotFound where the photo is gone; Damaged where only the file is."""
    with ExitStack() as stack:
        try:
            key = photo_of(event, table).original_key or objects.upload(event.image_id)
            file = stack.enter_context(local_file(key, blobs=blobs, served=served))
        except NotFound as error:
            photo_of(event, table)
            raise Damaged(LOST) from error
        yield file


def kind_of(file: int) -> Kind:
    """What the bytes are; UnsupportedType where they are nothing that can be shown."""
    return sniff(os.pread(file, HEAD_BYTES, 0), size=os.fstat(file).st_size)


def clear_made(image_id: str, blobs: Blobs) -> None:
    """Removes whatever was made of a photo that is no more."""
    for blob in blobs.list(objects.made_of(image_id)).blobs:
        blobs.delete(blob.key)

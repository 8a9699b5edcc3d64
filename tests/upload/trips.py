"""Photos whose bytes have just arrived, the steps that go on with them, and what others do at that moment."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from sparks.journey import Stores
from sparks.library import objects
from sparks.library.records import from_item, key_of
from sparks.media.kinds import Kind
from sparks.media.sniff import sniff
from sparks.media.studio import Shown, Studio
from sparks.model.events import Event, Uploaded
from sparks.model.ids import new_image_id
from sparks.model.photo import ORIGINAL, Photo, PhotoState, ProcessingStatus
from sparks.table.port import Table
from sparks.upload.making import make_renditions
from tests.accounts import keep
from tests.factories import a_photo

THREE: Final = ("large", "medium", "thumb")


def arrive(content: bytes, stores: Stores, **changes: Any) -> Photo:
    """A photo of Ann's that waits for its renditions, with these bytes for an original."""
    image_id = new_image_id()
    kind = sniff(content)
    photo = a_photo(
        **{
            "image_id": image_id,
            "state": PhotoState.PENDING,
            "processing_status": ProcessingStatus.PENDING,
            "original_key": objects.original(image_id, kind.extension),
            "mime_type": kind.mime,
            "asset_type": kind.asset_type,
            "file_size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "sizes": (ORIGINAL,),
            "width": None,
            "height": None,
            "aspect_ratio": None,
            **changes,
        }
    )
    assert photo.original_key is not None
    stores.blobs.put(photo.original_key, [content], content_type=kind.mime)
    keep(stores.table, photo)
    return photo


def make(photo: Photo, stores: Stores, studio: Studio) -> list[Event]:
    """What follows when its renditions were made."""
    event = Uploaded(photo.image_id, photo.owner)
    return list(
        make_renditions(
            event,
            table=stores.table,
            blobs=stores.blobs,
            served=stores.served,
            studio=studio,
            keyring=stores.keyring,
        )
    )


def now_of(photo: Photo, table: Table) -> Photo:
    item = table.get(key_of(photo))
    assert item is not None
    return from_item(Photo, item)


def blobs_of(photo: Photo, stores: Stores) -> set[str]:
    return {blob.key for blob in stores.blobs.list().blobs if photo.image_id in blob.key}


def rendition_keys(photo: Photo, *names: str) -> set[str]:
    return {objects.rendition(photo.image_id, name) for name in names or THREE}


class Meanwhile(Studio):
    """Somebody does something while a file is decoded."""

    def __init__(self, studio: Studio, act: Callable[[], object]) -> None:
        super().__init__(studio.sizes)
        self._studio = studio
        self._act = act

    def show(self, file: int, kind: Kind, sizes: Mapping[str, int]) -> Shown:
        shown = self._studio.show(file, kind, sizes)
        self._act()
        return shown

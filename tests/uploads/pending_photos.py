"""Pending photos, the steps that process them, and concurrent actions."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.records import from_item, key_of
from sparks.media.file_types import FileType
from sparks.media.sandboxed_renderer import RenderedMedia, SandboxedRenderer
from sparks.media.sniff import sniff
from sparks.model.events import Event, Uploaded
from sparks.model.ids import new_image_id
from sparks.model.photo import ORIGINAL, Photo, PhotoState, ProcessingStatus
from sparks.renditions.make import make_photo_renditions
from sparks.table.port import Table
from tests.account_makers import keep
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
            "original_key": blob_keys.original(image_id, kind.extension),
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


def make(photo: Photo, stores: Stores, renderer: SandboxedRenderer) -> list[Event]:
    """Makes the renditions; returns the events that follow."""
    event = Uploaded(photo.image_id, photo.owner)
    return list(
        make_photo_renditions(
            event,
            table=stores.table,
            blobs=stores.blobs,
            renderer=renderer,
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
    return {blob_keys.rendition(photo.image_id, name) for name in names or THREE}


class ActingRenderer(SandboxedRenderer):
    """A renderer during whose work another action is done."""

    def __init__(self, renderer: SandboxedRenderer, act: Callable[[], object]) -> None:
        super().__init__(renderer.sizes)
        self._renderer = renderer
        self._act = act

    def render(self, file: int, kind: FileType, sizes: Mapping[str, int]) -> RenderedMedia:
        rendered = self._renderer.render(file, kind, sizes)
        self._act()
        return rendered

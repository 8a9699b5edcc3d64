"""WebP files of layout 000 as renditions."""

import io
from pathlib import Path

import pytest
from PIL import Image

from sparks.journey import Stores
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.migrate.objects import ObjectFolder
from sparks.migrate.source_renditions import has_metadata, take_over_renditions
from sparks.model.events import Uploaded
from sparks.model.ids import new_image_id
from sparks.renditions.make import make_photo_renditions
from tests.migrate.in_process import memory_stores
from tests.migrate.layouts import items
from tests.migrate.layouts.in_process import filled, photo_of

LARGE = f"processed/{items.IMAGE_000}_large.webp"
MEDIUM = f"processed/{items.IMAGE_000}_medium.webp"


def webp(width: int, height: int, **options: bytes) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(file, "WEBP", **options)
    return file.getvalue()


def put(objects: Path, key: str, content: bytes) -> None:
    (objects / key).parent.mkdir(parents=True, exist_ok=True)
    (objects / key).write_bytes(content)


@pytest.fixture
def stores(renderer: SandboxedRenderer) -> Stores:
    made = memory_stores()
    return Stores(table=made.table, blobs=made.blobs, jobs=made.jobs, keyring=made.keyring, renderer=renderer)


def test_webp_files_are_taken_over_and_the_pipeline_makes_only_the_rest(
    stores: Stores, renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    objects = items.put_objects(tmp_path / "objects", "000")
    large = webp(1600, 1200)
    put(objects, LARGE, large)
    put(objects, MEDIUM, webp(800, 600))
    source = items.write_scan(tmp_path / "scan.json", items.LAYOUT_000)
    with filled(f"dynamodb://{source}", objects, stores, tmp_path):
        pass
    photo = photo_of(items.IMAGE_000, stores)
    assert photo.renditions is not None
    assert sorted(photo.renditions.keys) == ["large", "medium"]
    make_photo_renditions(
        Uploaded(photo.image_id, photo.owner),
        table=stores.table,
        blobs=stores.blobs,
        renderer=renderer,
        keyring=stores.keyring,
    )
    made = photo_of(items.IMAGE_000, stores).renditions
    assert made is not None
    assert sorted(made.keys) == ["large", "medium", "thumb"]
    assert b"".join(stores.blobs.open(made.keys["large"])) == large


def test_files_that_are_broken_small_or_hold_metadata_are_refused(
    stores: Stores, renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"
    for name, content in {
        "broken.webp": webp(1600, 1200)[:300],
        "small.webp": webp(640, 480),
        "jpeg.webp": b"\xff\xd8\xff\xe0" + bytes(100),
        "exif.webp": webp(1600, 1200, exif=exif),
    }.items():
        put(tmp_path, name, content)
        found = take_over_renditions(
            new_image_id(),
            {"large": name},
            objects=ObjectFolder(tmp_path),
            blobs=stores.blobs,
            renderer=renderer,
        )
        assert found == {}, name
    assert stores.blobs.list().blobs == []
    assert has_metadata(webp(16, 16, exif=exif))
    assert not has_metadata(webp(16, 16))

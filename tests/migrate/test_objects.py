"""Objects of the source: found only within their folder, and copied to the byte."""

import hashlib
from pathlib import Path

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.migrate.objects import ObjectFolder
from sparks.model.errors import BadInput
from sparks.model.ids import new_image_id
from tests.migrate.rows import put_object


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "objects"
    made.mkdir()
    (tmp_path / "outside.jpg").write_bytes(b"outside")
    return made


@pytest.mark.parametrize(
    "key",
    ["gone.jpg", "../outside.jpg", "a/../../outside.jpg", "folder", "", ".", "link.jpg", "x" * 400, "nul\0.jpg"],
)
def test_there_is_no_object_where_the_key_leads_nowhere_or_out_of_the_folder(folder: Path, key: str) -> None:
    (folder / "folder").mkdir()
    (folder / "link.jpg").symlink_to(folder.parent / "outside.jpg")
    objects = ObjectFolder(folder)
    assert objects.find(key) is None
    assert objects.digests(key) is None
    assert objects.copy(key, new_image_id(), blobs=MemoryBlobs()) is None


def test_an_absolute_key_is_outside_of_the_folder(folder: Path) -> None:
    assert ObjectFolder(folder).find(str(folder.parent / "outside.jpg")) is None


def test_a_link_within_the_folder_is_an_object(folder: Path) -> None:
    content = put_object(folder, "a.jpg", "a")
    (folder / "b.jpg").symlink_to(folder / "a.jpg")
    found = ObjectFolder(folder).digests("b.jpg")
    assert found is not None
    assert found.sha256 == hashlib.sha256(content).hexdigest()


def test_a_copy_has_the_bytes_and_their_type_whatever_the_key_says(folder: Path) -> None:
    content = put_object(folder, "a/b.png", "a")
    image_id, blobs = new_image_id(), MemoryBlobs()
    stored = ObjectFolder(folder).copy("a/b.png", image_id, blobs=blobs)
    assert stored is not None
    assert stored.key == f"originals/{image_id}.jpg"
    assert b"".join(blobs.open(stored.key)) == content
    assert stored.digests.sha256 == hashlib.sha256(content).hexdigest()
    assert stored.digests.sha1 == hashlib.sha1(content, usedforsecurity=False).hexdigest()
    assert stored.digests.size == len(content)


@pytest.mark.parametrize("content", [b"", b"no picture"], ids=["empty", "text"])
def test_bytes_that_sparks_cannot_show_are_kept(folder: Path, content: bytes) -> None:
    (folder / "notes.txt").write_bytes(content)
    blobs = MemoryBlobs()
    stored = ObjectFolder(folder).copy("notes.txt", new_image_id(), blobs=blobs)
    assert stored is not None
    assert stored.kind is None
    assert b"".join(blobs.open(stored.key)) == content


def test_an_object_is_added_whole_and_may_be_added_again(folder: Path) -> None:
    objects = ObjectFolder(folder)
    for _ in range(2):
        objects.write("images/ann/a.jpg", iter([b"one ", b"two"]))
    assert [path.name for path in (folder / "images/ann").iterdir()] == ["a.jpg"]
    assert (folder / "images/ann/a.jpg").read_bytes() == b"one two"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no folder .*nowhere: name the folder that holds the objects"):
        ObjectFolder(tmp_path / "nowhere")

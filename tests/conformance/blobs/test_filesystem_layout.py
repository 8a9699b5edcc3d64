"""Layout of a store on the disk: plain files, usable without Sparks."""

import os
import shutil
import time
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.filesystem.blob_metadata import ATTRIBUTE
from tests.conformance.blobs.content import KEYRING, content_of, keys_of, sha256_of

KEY = "originals/01980a2b-3c4d.jpg"
PLACE = "originals/~0198/~0a/01980a2b-3c4d.jpg"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


@pytest.fixture(params=["attributes", "sidecars"])
def attributes(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "attributes")


def opened(folder: Path, *, attributes: bool = True) -> FilesystemBlobs:
    return FilesystemBlobs(folder, keyring=KEYRING, base_url="", attributes=attributes)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_blob_is_a_plain_file_two_folders_below_that_of_its_key(file_blobs: FilesystemBlobs, folder: Path) -> None:
    file_blobs.put(KEY, [b"bytes"], content_type="image/jpeg")
    assert (folder / PLACE).read_bytes() == b"bytes"
    assert files_in(folder) == [".sparks-blobs", PLACE]


def test_a_sidecar_lies_beside_its_blob(sidecar_blobs: FilesystemBlobs, folder: Path) -> None:
    sidecar_blobs.put(KEY, [b"bytes"])
    sidecar_blobs.put(KEY, [b"others"])
    inode = (folder / PLACE).stat().st_ino
    sidecar = f"originals/~0198/~0a/.01980a2b-3c4d.jpg~{inode:x}"
    assert files_in(folder) == [".lock", ".sparks-blobs", sidecar, PLACE]


def test_other_users_of_the_machine_cannot_read_the_store(file_blobs: FilesystemBlobs, folder: Path) -> None:
    file_blobs.put(KEY, [b"bytes"])
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o007 == 0


def test_deleting_a_blob_removes_its_empty_folders(folder: Path, *, attributes: bool) -> None:
    blobs = opened(folder, attributes=attributes)
    blobs.put(KEY, [b"bytes"])
    blobs.put(KEY, [b"others"])
    blobs.copy(KEY, "originals/01980a2b-copy.jpg")
    blobs.copy(KEY, "originals/01980a2b-copy.jpg")
    blobs.put("profile-pictures/x/profile.jpg", [b"bytes"])
    for key in keys_of(blobs):
        blobs.delete(key)
    assert {path.name for path in folder.rglob("*")} <= {".lock", ".sparks-blobs", ".tmp", ".uploads"}
    blobs.close()


def test_blobs_are_there_after_a_restart(folder: Path, *, attributes: bool) -> None:
    blobs = opened(folder, attributes=attributes)
    put = blobs.put("a.jpg", [b"bytes"], content_type="image/webp")
    blobs.close()
    for kept_as_attributes in (True, False):
        again = opened(folder, attributes=kept_as_attributes)
        assert again.head("a.jpg") == put
        again.close()


def test_an_upload_goes_on_after_a_restart(folder: Path, *, attributes: bool) -> None:
    blobs = opened(folder, attributes=attributes)
    upload_id = blobs.create_upload(KEY, content_type="video/mp4")
    part = blobs.put_part(KEY, upload_id, 1, [b"bytes"], size=5)
    blobs.close()
    again = opened(folder, attributes=attributes)
    assert again.list_parts(KEY, upload_id) == [part]
    assert again.complete_upload(KEY, upload_id, [part]).content_type == "video/mp4"
    assert content_of(again, KEY) == b"bytes"
    again.close()


def test_a_completed_upload_leaves_only_its_blob(file_blobs: FilesystemBlobs, folder: Path) -> None:
    upload_id = file_blobs.create_upload(KEY)
    parts = [file_blobs.put_part(KEY, upload_id, 1, [b"bytes"], size=5)]
    file_blobs.put_part(KEY, upload_id, 2, [b"bytes"], size=5)
    file_blobs.complete_upload(KEY, upload_id, parts)
    assert files_in(folder) == [".sparks-blobs", PLACE]


def test_a_stored_type_counts_more_than_the_name(file_blobs: FilesystemBlobs) -> None:
    file_blobs.put("a.jpg", [b"bytes"])
    assert file_blobs.head("a.jpg").content_type == "application/octet-stream"


def test_a_file_without_metadata_is_a_blob_too(file_blobs: FilesystemBlobs, folder: Path) -> None:
    """Like after a restore by a tool that drops extended attributes."""
    file_blobs.put(KEY, [b"bytes"], content_type="image/jpeg")
    os.removexattr(folder / PLACE, ATTRIBUTE)
    info = file_blobs.head(KEY)
    assert (info.size, info.content_type, info.sha256) == (5, "image/jpeg", None)
    assert info.etag == file_blobs.list().blobs[0].etag
    assert content_of(file_blobs, KEY) == b"bytes"


def test_a_copy_of_a_file_without_metadata_keeps_its_type(folder: Path, *, attributes: bool) -> None:
    blobs = opened(folder, attributes=attributes)
    blobs.put(KEY, [b"bytes"], content_type="image/png")
    for path in (folder / PLACE).parent.iterdir():
        path.unlink()
    (folder / PLACE).write_bytes(b"other")
    copied = blobs.copy(KEY, "uploads/copy")
    assert copied.content_type == blobs.head("uploads/copy").content_type == "image/jpeg"
    assert copied.etag == blobs.head("uploads/copy").etag
    blobs.close()


def test_a_store_copied_by_other_means_works(folder: Path, tmp_path: Path, *, attributes: bool) -> None:
    blobs = opened(folder, attributes=attributes)
    blobs.put(KEY, [b"bytes"], content_type="image/jpeg")
    blobs.close()
    shutil.copytree(folder, tmp_path / "copy")
    copied = opened(tmp_path / "copy", attributes=attributes)
    assert content_of(copied, KEY) == b"bytes"
    assert copied.head(KEY).content_type == "image/jpeg"
    copied.close()


def test_a_copy_takes_no_room(file_blobs: FilesystemBlobs, folder: Path) -> None:
    file_blobs.put("a", [b"bytes"])
    file_blobs.copy("a", "b")
    assert (folder / "~a/~/a").stat().st_ino == (folder / "~b/~/b").stat().st_ino


def test_a_copy_is_not_older_than_the_copying(file_blobs: FilesystemBlobs, folder: Path) -> None:
    """So that a sweep, which spares new blobs, spares it."""
    file_blobs.put("a", [b"bytes"])
    os.utime(folder / "~a/~/a", (0, 0))
    assert file_blobs.copy("a", "b").modified.timestamp() > time.time() - 60


def test_files_of_other_programs_are_not_listed(file_blobs: FilesystemBlobs, folder: Path) -> None:
    file_blobs.put(KEY, [b"bytes"])
    leaf = (folder / PLACE).parent
    for stray in ("strange name.jpg", "01980b.jpg", ".hidden", "01980a~", os.fsdecode(b"01980a\xff")):
        (leaf / stray).write_bytes(b"stray")
    (leaf / "01980a-folder").mkdir()
    (leaf / "01980a-link").symlink_to("/etc/passwd")
    (folder / "originals/README").write_bytes(b"stray")
    (folder / "originals/~0198/README").write_bytes(b"stray")
    (folder / "strange folder/~0198/~0a").mkdir(parents=True)
    (folder / "strange folder/~0198/~0a/01980a").write_bytes(b"stray")
    (folder / "lost+found/~0198/~0a").mkdir(parents=True)
    (folder / "lost+found/~0198/~0a/01980a").write_bytes(b"stray")
    assert keys_of(file_blobs) == [KEY]


def test_a_long_list_is_paged_in_order(file_blobs: FilesystemBlobs, folder: Path) -> None:
    """Plain files are blobs, so the test creates them without an fsync each."""
    keys = sorted(f"originals/{sha256_of(b'%d' % number)[:2]}980a{number:06}.jpg" for number in range(6000))
    for key in keys:
        name = key.removeprefix("originals/")
        leaf = folder / "originals" / f"~{name[:4]}" / f"~{name[4:6]}"
        leaf.mkdir(parents=True, exist_ok=True)
        (leaf / name).touch()
    found, after = [], None
    for _ in range(20):
        page = file_blobs.list("originals/", limit=700, after=after)
        found += [blob.key for blob in page.blobs]
        after = page.after
        if after is None:
            break
    assert found == keys

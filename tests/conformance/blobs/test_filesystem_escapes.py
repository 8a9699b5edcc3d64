"""Paths that would lead out of the store, also by a symbolic link of another program."""

from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.model.errors import Unavailable
from tests.conformance.blobs.content import KEYRING, content_of, keys_of

KEY = "originals/01980a2b.jpg"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with the layout of a store, and a secret in it."""
    leaf = tmp_path / "outside/~0198/~0a"
    leaf.mkdir(parents=True)
    (leaf / "01980a2b.jpg").write_bytes(b"secret")
    return tmp_path / "outside"


def everything_in(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("link", ["originals", "originals/~0198", "originals/~0198/~0a"])
def test_a_folder_behind_a_link_is_not_entered(
    file_blobs: FilesystemBlobs, folder: Path, outside: Path, link: str
) -> None:
    before = everything_in(outside)
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    (folder / link).symlink_to(outside / str(Path(link).relative_to("originals")))
    file_blobs.put("a", [b"bytes"])
    for call in (
        lambda: file_blobs.head(KEY),
        lambda: file_blobs.open(KEY),
        lambda: file_blobs.put(KEY, [b"bytes"]),
        lambda: file_blobs.put(KEY, [b"bytes"], if_absent=True),
        lambda: file_blobs.delete(KEY),
        lambda: file_blobs.copy(KEY, "b"),
        lambda: file_blobs.copy("a", KEY),
    ):
        with pytest.raises(Unavailable):
            call()
    assert keys_of(file_blobs) == ["a"]
    assert everything_in(outside) == before


def test_a_link_in_the_place_of_a_blob_is_not_followed(
    file_blobs: FilesystemBlobs, folder: Path, outside: Path
) -> None:
    target = outside / "~0198/~0a/01980a2b.jpg"
    file_blobs.put(KEY, [b"bytes"])
    (folder / "originals/~0198/~0a/01980a2b.jpg").unlink()
    (folder / "originals/~0198/~0a/01980a2b.jpg").symlink_to(target)
    with pytest.raises(Unavailable):
        file_blobs.head(KEY)
    with pytest.raises(Unavailable):
        file_blobs.copy(KEY, "b")
    file_blobs.put(KEY, [b"bytes"])
    assert content_of(file_blobs, KEY) == b"bytes"
    assert target.read_bytes() == b"secret"


def test_a_link_in_the_place_of_a_blob_is_deleted_itself(
    file_blobs: FilesystemBlobs, folder: Path, outside: Path
) -> None:
    target = outside / "~0198/~0a/01980a2b.jpg"
    leaf = folder / "originals/~0198/~0a"
    leaf.mkdir(parents=True)
    (leaf / "01980a2b.jpg").symlink_to(target)
    file_blobs.delete(KEY)
    assert not leaf.exists()
    assert target.read_bytes() == b"secret"


@pytest.mark.parametrize("own", [".tmp", ".uploads"])
def test_a_link_in_the_place_of_a_folder_of_sparks_is_refused(tmp_path: Path, own: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    FilesystemBlobs(tmp_path / "blobs", keyring=KEYRING, base_url="").close()
    (tmp_path / "blobs" / own).rmdir()
    (tmp_path / "blobs" / own).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable):
        FilesystemBlobs(tmp_path / "blobs", keyring=KEYRING, base_url="")


def test_a_blob_name_that_is_not_a_regular_file_is_not_read(file_blobs: FilesystemBlobs, folder: Path) -> None:
    (folder / "~a/~/a").mkdir(parents=True)
    with pytest.raises(Unavailable):
        file_blobs.open("a")

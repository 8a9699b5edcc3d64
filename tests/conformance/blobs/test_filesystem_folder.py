"""Root folder of the store: folders that may become one, and a missing disk."""

import errno
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.filesystem.error_mapping import translate
from sparks.model.errors import BadSetting, Busy, SparksError, StorageFull, Unavailable
from tests.conformance.blobs.content import KEYRING, content_of


def opened(folder: Path, *, create: bool = True) -> FilesystemBlobs:
    return FilesystemBlobs(folder, keyring=KEYRING, base_url="", create=create)


def test_a_missing_folder_becomes_a_store(tmp_path: Path) -> None:
    blobs = opened(tmp_path / "some/where/blobs")
    blobs.put("a", [b"bytes"])
    blobs.close()
    again = opened(tmp_path / "some/where/blobs", create=False)
    assert content_of(again, "a") == b"bytes"
    again.close()


def test_an_empty_folder_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()  # like a freshly formatted disk
    opened(tmp_path).close()
    assert (tmp_path / ".sparks-blobs").read_bytes() == b"sparks blobs 1\n"


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(BadSetting, match="neither empty nor a blob folder"):
        opened(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]


def test_a_file_cannot_be_the_root_folder(tmp_path: Path) -> None:
    (tmp_path / "blobs").touch()
    with pytest.raises(Unavailable):
        opened(tmp_path / "blobs")


@pytest.mark.parametrize("there", [True, False])
def test_a_store_that_must_exist_and_does_not_is_unavailable(tmp_path: Path, *, there: bool) -> None:
    """The disk is not mounted: Sparks must not create a new store in the empty mount point."""
    folder = tmp_path / "blobs"
    if there:
        folder.mkdir()
    with pytest.raises(Unavailable, match="is its disk mounted"):
        opened(folder, create=False)
    assert folder.exists() == there
    assert list(tmp_path.rglob("*")) == ([folder] if there else [])


def test_the_store_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".sparks-blobs").write_text("sparks blobs 2\n")
    with pytest.raises(BadSetting, match="another version"):
        opened(tmp_path)


def test_the_folder_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "blobs").symlink_to(tmp_path / "disk")
    blobs = opened(tmp_path / "blobs")
    blobs.put("a", [b"bytes"])
    blobs.check()
    assert (tmp_path / "disk/~a/~/a").exists()
    blobs.close()


def test_several_processes_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    def open_and_put(number: int) -> None:
        blobs = opened(tmp_path / "blobs")
        blobs.put(f"originals/{number}", [b"%d" % number])
        blobs.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(open_and_put, range(8)))
    blobs = opened(tmp_path / "blobs")
    assert len(blobs.list().blobs) == 8
    blobs.close()


def test_a_removed_root_folder_is_noticed(tmp_path: Path) -> None:
    blobs = opened(tmp_path / "blobs")
    (tmp_path / "blobs").rename(tmp_path / "elsewhere")
    with pytest.raises(Unavailable):
        blobs.check()
    (tmp_path / "blobs").mkdir()
    with pytest.raises(Unavailable, match="unmounted"):
        blobs.check()
    (tmp_path / "blobs").rmdir()
    (tmp_path / "elsewhere").rename(tmp_path / "blobs")
    blobs.check()
    blobs.close()


def test_a_removed_marker_is_noticed(tmp_path: Path) -> None:
    blobs = opened(tmp_path)
    (tmp_path / ".sparks-blobs").unlink()
    with pytest.raises(Unavailable):
        blobs.check()
    blobs.close()


def test_a_closed_store_is_unavailable(tmp_path: Path) -> None:
    blobs = opened(tmp_path)
    blobs.put("a", [b"bytes"])
    blobs.close()
    for call in (lambda: blobs.put("a", [b""]), lambda: blobs.head("a"), blobs.list, blobs.check):
        with pytest.raises(Unavailable):
            call()


def test_errors_of_the_disk_are_distinguished() -> None:
    meanings: dict[type[SparksError], tuple[int, ...]] = {
        StorageFull: (errno.ENOSPC, errno.EDQUOT),
        Busy: (errno.EMFILE, errno.ENFILE),
        Unavailable: (errno.EIO, errno.EROFS, errno.EACCES, errno.ELOOP),
    }
    for kind, numbers in meanings.items():
        for number in numbers:
            assert type(translate(OSError(number, "reason"), Path("/blobs"))) is kind

"""A walk through folders."""

import os
import subprocess
from pathlib import Path

import pytest

from sparks.model.errors import BadInput
from sparks.uploads.folder_import.folder_walk import FolderListing, walk
from sparks.uploads.folder_import.import_result import ImportResult


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"content")


def seen(root: Path, *paths: Path, avoid: Path | None = None) -> list[str]:
    """The files that are to be taken in, in their order."""
    files: list[str] = []
    for each in walk(paths or [root], avoid=avoid):
        if isinstance(each, FolderListing):
            files += [
                str((each.folder / name).relative_to(root))
                for name in each.names
                if each.selected is None or name in each.selected
            ]
    return files


def skipped(root: Path) -> dict[str, str]:
    return {each.path.name: each.reason or "" for each in walk([root]) if isinstance(each, ImportResult)}


def test_files_are_listed_folder_by_folder_in_the_order_of_their_names(tmp_path: Path) -> None:
    make(tmp_path, "b.jpg", "a.jpg", "2020/b.jpg", "2020/a.jpg", "2019/summer/x.jpg", "2019/y.jpg")
    assert seen(tmp_path) == ["a.jpg", "b.jpg", "2019/y.jpg", "2019/summer/x.jpg", "2020/a.jpg", "2020/b.jpg"]


def test_hidden_files_and_system_folders_are_skipped(tmp_path: Path) -> None:
    make(tmp_path, ".DS_Store", "._a.jpg", ".thumbnails/a.jpg", "@eaDir/a.jpg/thumb.jpg", "#recycle/b.jpg", "a.jpg")
    assert seen(tmp_path) == ["a.jpg"]
    assert skipped(tmp_path) == {}


def test_links_are_followed_and_their_loops_end(tmp_path: Path) -> None:
    make(tmp_path, "a/one.jpg", "elsewhere/two.jpg")
    (tmp_path / "a/up").symlink_to(tmp_path / "a")
    (tmp_path / "a/there").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "a/link.jpg").symlink_to(tmp_path / "elsewhere/two.jpg")
    assert seen(tmp_path, tmp_path / "a") == ["a/link.jpg", "a/one.jpg", "a/there/two.jpg"]


def test_folders_may_be_deeper_than_the_stack(tmp_path: Path) -> None:
    here = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(tmp_path)
        for _ in range(1200):
            Path("d").mkdir()
            os.chdir("d")
        Path("a.jpg").touch()
        assert seen(tmp_path) == ["d/" * 1200 + "a.jpg"]
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)  # pytest's own cleaning would not come so deep


def test_a_file_named_by_itself_is_listed_with_its_folder_for_sidecars(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "a.jpg.json", "b.jpg")
    assert [*walk([tmp_path / "a.jpg"])] == [
        FolderListing(tmp_path, ("a.jpg", "a.jpg.json", "b.jpg"), frozenset({"a.jpg"}))
    ]


def test_a_hidden_file_named_by_itself_is_selected(tmp_path: Path) -> None:
    make(tmp_path, ".secret.jpg")
    assert seen(tmp_path, tmp_path / ".secret.jpg") == [".secret.jpg"]


def test_the_data_folder_is_never_entered(tmp_path: Path) -> None:
    make(tmp_path, "photos/a.jpg", "photos/data/blobs/b.jpg")
    assert seen(tmp_path, avoid=tmp_path / "photos/data") == ["photos/a.jpg"]


def test_broken_links_and_special_files_are_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "gone.jpg").symlink_to(tmp_path / "nothing")
    assert skipped(tmp_path) == {
        "gone.jpg": "it cannot be read (No such file or directory)",
        "pipe.jpg": "it is not a regular file",
    }


def test_a_missing_path_is_refused_before_the_walk_begins(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg")
    with pytest.raises(BadInput, match="there is no file or folder"):
        next(walk([tmp_path, tmp_path / "missing"]))

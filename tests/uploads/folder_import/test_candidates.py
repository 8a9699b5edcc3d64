"""Photos to import, with their sidecars."""

import json
from pathlib import Path

from sparks.uploads.folder_import.candidates import NO_PHOTO_FOR_SIDECAR, ImportCandidate, candidates_in
from sparks.uploads.folder_import.folder_walk import FolderListing, walk
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus

NOTE = json.dumps({"title": "whatever.jpg", "photoTakenTime": {"timestamp": "1562241600"}})


def make(folder: Path, *names: str, **contents: str) -> None:
    for name in names:
        (folder / name).write_text(NOTE if name.endswith(".json") else "content")
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(content)


def found(folder: Path) -> list[ImportCandidate | ImportResult]:
    return [each for listing in walk([folder]) if isinstance(listing, FolderListing) for each in candidates_in(listing)]


def test_an_xmp_file_belongs_to_the_photo_with_its_full_name_or_its_stem(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "a.jpg.xmp", "b.CR2", "b.jpg", "b.XMP")
    assert found(tmp_path) == [
        ImportCandidate(tmp_path / "a.jpg", xmp=tmp_path / "a.jpg.xmp"),
        ImportCandidate(tmp_path / "b.CR2", xmp=tmp_path / "b.XMP"),
        ImportCandidate(tmp_path / "b.jpg", xmp=tmp_path / "b.XMP"),
    ]


def test_takeout_files_belong_to_their_photos_and_one_to_the_album(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "a.jpg.json", "a-edited.jpg", metadata=json.dumps({"title": "Paris"}))
    assert found(tmp_path) == [
        ImportCandidate(tmp_path / "a-edited.jpg", takeout=tmp_path / "a.jpg.json", album="Paris"),
        ImportCandidate(tmp_path / "a.jpg", takeout=tmp_path / "a.jpg.json", album="Paris"),
    ]


def test_a_takeout_file_with_another_name_is_matched_by_its_title(tmp_path: Path) -> None:
    make(tmp_path, "whatever.jpg", "strange-name.json")
    assert found(tmp_path) == [ImportCandidate(tmp_path / "whatever.jpg", takeout=tmp_path / "strange-name.json")]


def test_a_title_in_a_folder_without_takeout_files_is_no_album(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", package=json.dumps({"title": "a web site"}))
    assert found(tmp_path)[0] == ImportCandidate(tmp_path / "a.jpg")


def test_sidecars_without_a_photo_are_reported(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "b.xmp", "c.jpg.json", other="[]")
    assert found(tmp_path)[1:] == [
        ImportResult(tmp_path / name, ImportStatus.SKIPPED, NO_PHOTO_FOR_SIDECAR)
        for name in ("b.xmp", "c.jpg.json", "other.json")
    ]

"""Photos and what lies beside them."""

import json
from pathlib import Path

from sparks.upload.importing.outcome import Fate, Outcome
from sparks.upload.importing.sidecars import NO_PHOTO, Candidate, candidates_in
from sparks.upload.importing.walking import Listing, walk

NOTE = json.dumps({"title": "whatever.jpg", "photoTakenTime": {"timestamp": "1562241600"}})


def make(folder: Path, *names: str, **contents: str) -> None:
    for name in names:
        (folder / name).write_text(NOTE if name.endswith(".json") else "content")
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(content)


def found(folder: Path) -> list[Candidate | Outcome]:
    return [each for listing in walk([folder]) if isinstance(listing, Listing) for each in candidates_in(listing)]


def test_an_xmp_file_belongs_to_the_photo_that_it_names_in_full_or_by_its_stem(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "a.jpg.xmp", "b.CR2", "b.jpg", "b.XMP")
    assert found(tmp_path) == [
        Candidate(tmp_path / "a.jpg", xmp=tmp_path / "a.jpg.xmp"),
        Candidate(tmp_path / "b.CR2", xmp=tmp_path / "b.XMP"),
        Candidate(tmp_path / "b.jpg", xmp=tmp_path / "b.XMP"),
    ]


def test_googles_files_belong_to_their_photos_and_one_to_the_album(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "a.jpg.json", "a-edited.jpg", metadata=json.dumps({"title": "Paris"}))
    assert found(tmp_path) == [
        Candidate(tmp_path / "a-edited.jpg", note=tmp_path / "a.jpg.json", album="Paris"),
        Candidate(tmp_path / "a.jpg", note=tmp_path / "a.jpg.json", album="Paris"),
    ]


def test_a_file_whose_name_tells_nothing_is_found_by_the_name_it_tells(tmp_path: Path) -> None:
    make(tmp_path, "whatever.jpg", "strange-name.json")
    assert found(tmp_path) == [Candidate(tmp_path / "whatever.jpg", note=tmp_path / "strange-name.json")]


def test_a_title_in_a_folder_that_is_not_googles_is_no_album(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", package=json.dumps({"title": "a web site"}))
    assert found(tmp_path)[0] == Candidate(tmp_path / "a.jpg")


def test_sidecars_of_nothing_are_told(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "b.xmp", "c.jpg.json", other="[]")
    assert found(tmp_path)[1:] == [
        Outcome(tmp_path / name, Fate.SKIPPED, NO_PHOTO) for name in ("b.xmp", "c.jpg.json", "other.json")
    ]

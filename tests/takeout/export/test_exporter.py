"""Exports: written, resumed and verified."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from sparks.model.errors import BadInput, Busy
from sparks.model.face import Box
from sparks.model.photo import PhotoState, Visibility
from sparks.takeout.export.exporter import ExportStatus
from sparks.takeout.export.manifest import NAME, Manifest
from sparks.takeout.export.verify_export import DifferenceKind
from tests.factories import a_face, a_person, an_album
from tests.takeout.export.export_makers import ExportLibrary


def fates(library: ExportLibrary) -> Counter[ExportStatus]:
    return Counter(outcome.status for outcome in library.export())


def test_originals_are_in_dated_folders_with_their_sidecars(library: ExportLibrary) -> None:
    library.add_photo(b"one", original_filename="IMG_1.jpg")
    library.add_photo(b"two", original_filename="IMG_1.jpg", visibility=Visibility.PRIVATE)
    library.add_photo(b"old", original_filename="../x?.jpg", taken_at=None)
    library.add_photo(b"thrown away", state=PhotoState.TRASHED)
    assert fates(library) == {ExportStatus.WRITTEN: 3}
    files = library.files()
    originals = {path: data for path, data in files.items() if path.endswith(".jpg")}
    assert set(originals) == {"2025/08/IMG_1.jpg", "2025/08/IMG_1 (2).jpg", "2025/08/.._x_.jpg"}
    assert sorted(originals.values()) == [b"old", b"one", b"two"]
    assert {path for path in files if path not in originals} == {
        f"{path}{ending}" for path in originals for ending in (".xmp", ".sparks.json")
    }
    assert library.verify() == []


def test_a_sidecar_holds_all_details_of_the_photo(library: ExportLibrary) -> None:
    album, carol = an_album(title="Summer"), a_person(7, display_name="Carol")
    photo = library.add_photo(title="Sea", description="<b>", tags=("blue",), albums=(album.album_id,))
    library.keep(album, carol, a_face(photo, Box(0.1, 0.2, 0.3, 0.4), person_id=carol.person_id))
    library.export()
    told = json.loads(library.files()["2025/08/sea.jpg.sparks.json"])
    assert {name: told[name] for name in ("title", "tags", "albums", "visibility", "sha256", "takenAt")} == {
        "title": "Sea",
        "tags": ["blue"],
        "albums": ["Summer"],
        "visibility": "community",
        "sha256": photo.sha256,
        "takenAt": "2025-08-01T12:00:00.000Z",
    }
    box = {"Left": 0.1, "Top": 0.2, "Width": 0.3, "Height": 0.4}
    assert told["people"] == [{"name": "Carol", "personId": "person7", "bbox": box}]


def test_the_next_run_writes_only_changes(library: ExportLibrary) -> None:
    photo = library.add_photo(b"one")
    library.add_photo(b"two")
    library.export()
    assert fates(library) == {ExportStatus.THERE: 2}
    before = library.files()
    library.keep(replace(photo, title="Another title"))
    library.add_photo(b"three", original_filename="three.jpg")
    assert fates(library) == {ExportStatus.WRITTEN: 1, ExportStatus.UPDATED: 1, ExportStatus.THERE: 1}
    changed = {path for path, data in library.files().items() if before.get(path) != data and "three" not in path}
    assert len(changed) == 2
    assert library.verify() == []


def test_a_photo_stays_where_it_was_written(library: ExportLibrary) -> None:
    photo = library.add_photo()
    library.export()
    library.keep(replace(photo, taken_at=None, original_filename="other.jpg"))
    library.export()
    assert {path for path in library.files() if path.endswith(".jpg")} == {"2025/08/sea.jpg"}


def test_foreign_files_are_not_touched(library: ExportLibrary) -> None:
    place = library.folder / "2025/08"
    place.mkdir(parents=True)
    (place / "sea.jpg").write_bytes(b"somebody's")
    library.add_photo()
    library.export()
    assert library.files()["2025/08/sea.jpg"] == b"somebody's"
    assert library.files()["2025/08/sea (2).jpg"] == b"a picture"


def test_files_written_before_a_power_failure_are_found_again(library: ExportLibrary) -> None:
    """The files are there, the line that tells of them is not, or half of it."""
    library.add_photo(b"one", original_filename="a.jpg")
    library.add_photo(b"two", original_filename="a.jpg")
    library.export()
    lines = (library.folder / NAME).read_bytes()
    files = library.files()
    (library.folder / NAME).write_bytes(lines[: len(lines) // 2 + 20])
    library.export()
    assert library.files() == files
    assert library.verify() == []


def test_a_damaged_blob_is_not_exported(library: ExportLibrary) -> None:
    photo = library.add_photo(b"one")
    library.add_photo(b"two")
    library.blobs.put(photo.original_key or "", [b"bad"])
    (failed,) = [outcome for outcome in library.export() if outcome.status is ExportStatus.FAILED]
    assert failed.image_id == photo.image_id
    assert len([path for path in library.files() if path.endswith(".jpg")]) == 1
    assert [finding.difference for finding in library.verify()] == [DifferenceKind.MISSING]


def test_verifying_reports_every_difference(library: ExportLibrary) -> None:
    names = ("damaged", "lost", "stale", "gone", "fine")
    photos = {name: library.add_photo(name.encode(), original_filename=f"{name}.jpg") for name in names}
    library.export()
    place = library.folder / "2025/08"
    (place / "damaged.jpg").write_bytes(b"damageD")
    (place / "lost.jpg").unlink()
    library.keep(replace(photos["stale"], tags=("new",)), replace(photos["gone"], state=PhotoState.DELETING))
    found = {(finding.path, finding.difference) for finding in library.verify()}
    assert found == {
        ("2025/08/damaged.jpg", DifferenceKind.DAMAGED),
        ("2025/08/lost.jpg", DifferenceKind.LOST),
        ("2025/08/stale.jpg.xmp", DifferenceKind.STALE),
        ("2025/08/stale.jpg.sparks.json", DifferenceKind.STALE),
        ("2025/08/gone.jpg", DifferenceKind.GONE),
    }
    library.export()
    (still,) = {finding.path for finding in library.verify()} - {"2025/08/gone.jpg"}
    assert still == "2025/08/damaged.jpg"


def test_two_exports_cannot_write_to_one_folder_at_once(library: ExportLibrary) -> None:
    library.folder.mkdir()
    with Manifest(library.folder), pytest.raises(Busy), Manifest(library.folder):
        pass


def test_a_folder_without_an_export_is_not_verified(library: ExportLibrary) -> None:
    library.folder.mkdir()
    with pytest.raises(BadInput):
        library.verify()

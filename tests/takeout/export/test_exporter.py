"""Exports: written, gone on with, and read back."""

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
from tests.takeout.export.export_makers import Attic


def fates(attic: Attic) -> Counter[ExportStatus]:
    return Counter(outcome.status for outcome in attic.export())


def test_originals_are_in_dated_folders_with_their_sidecars(attic: Attic) -> None:
    attic.hang(b"one", original_filename="IMG_1.jpg")
    attic.hang(b"two", original_filename="IMG_1.jpg", visibility=Visibility.PRIVATE)
    attic.hang(b"old", original_filename="../x?.jpg", taken_at=None)
    attic.hang(b"thrown away", state=PhotoState.TRASHED)
    assert fates(attic) == {ExportStatus.WRITTEN: 3}
    files = attic.files()
    originals = {path: data for path, data in files.items() if path.endswith(".jpg")}
    assert set(originals) == {"2025/08/IMG_1.jpg", "2025/08/IMG_1 (2).jpg", "2025/08/.._x_.jpg"}
    assert sorted(originals.values()) == [b"old", b"one", b"two"]
    assert {path for path in files if path not in originals} == {
        f"{path}{ending}" for path in originals for ending in (".xmp", ".sparks.json")
    }
    assert attic.verify() == []


def test_a_sidecar_holds_all_details_of_the_photo(attic: Attic) -> None:
    album, carol = an_album(title="Summer"), a_person(7, display_name="Carol")
    photo = attic.hang(title="Sea", description="<b>", tags=("blue",), albums=(album.album_id,))
    attic.keep(album, carol, a_face(photo, Box(0.1, 0.2, 0.3, 0.4), person_id=carol.person_id))
    attic.export()
    told = json.loads(attic.files()["2025/08/sea.jpg.sparks.json"])
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


def test_the_next_run_writes_only_changes(attic: Attic) -> None:
    photo = attic.hang(b"one")
    attic.hang(b"two")
    attic.export()
    assert fates(attic) == {ExportStatus.THERE: 2}
    before = attic.files()
    attic.keep(replace(photo, title="Another title"))
    attic.hang(b"three", original_filename="three.jpg")
    assert fates(attic) == {ExportStatus.WRITTEN: 1, ExportStatus.UPDATED: 1, ExportStatus.THERE: 1}
    changed = {path for path, data in attic.files().items() if before.get(path) != data and "three" not in path}
    assert len(changed) == 2
    assert attic.verify() == []


def test_a_photo_stays_where_it_was_written(attic: Attic) -> None:
    photo = attic.hang()
    attic.export()
    attic.keep(replace(photo, taken_at=None, original_filename="other.jpg"))
    attic.export()
    assert {path for path in attic.files() if path.endswith(".jpg")} == {"2025/08/sea.jpg"}


def test_foreign_files_are_not_touched(attic: Attic) -> None:
    place = attic.folder / "2025/08"
    place.mkdir(parents=True)
    (place / "sea.jpg").write_bytes(b"somebody's")
    attic.hang()
    attic.export()
    assert attic.files()["2025/08/sea.jpg"] == b"somebody's"
    assert attic.files()["2025/08/sea (2).jpg"] == b"a picture"


def test_files_written_before_a_power_failure_are_found_again(attic: Attic) -> None:
    """The files are there, the line that tells of them is not, or half of it."""
    attic.hang(b"one", original_filename="a.jpg")
    attic.hang(b"two", original_filename="a.jpg")
    attic.export()
    lines = (attic.folder / NAME).read_bytes()
    files = attic.files()
    (attic.folder / NAME).write_bytes(lines[: len(lines) // 2 + 20])
    attic.export()
    assert attic.files() == files
    assert attic.verify() == []


def test_a_damaged_blob_is_not_exported(attic: Attic) -> None:
    photo = attic.hang(b"one")
    attic.hang(b"two")
    attic.blobs.put(photo.original_key or "", [b"bad"])
    (failed,) = [outcome for outcome in attic.export() if outcome.status is ExportStatus.FAILED]
    assert failed.image_id == photo.image_id
    assert len([path for path in attic.files() if path.endswith(".jpg")]) == 1
    assert [finding.difference for finding in attic.verify()] == [DifferenceKind.MISSING]


def test_verifying_reports_every_difference(attic: Attic) -> None:
    names = ("damaged", "lost", "stale", "gone", "fine")
    photos = {name: attic.hang(name.encode(), original_filename=f"{name}.jpg") for name in names}
    attic.export()
    place = attic.folder / "2025/08"
    (place / "damaged.jpg").write_bytes(b"damageD")
    (place / "lost.jpg").unlink()
    attic.keep(replace(photos["stale"], tags=("new",)), replace(photos["gone"], state=PhotoState.DELETING))
    found = {(finding.path, finding.difference) for finding in attic.verify()}
    assert found == {
        ("2025/08/damaged.jpg", DifferenceKind.DAMAGED),
        ("2025/08/lost.jpg", DifferenceKind.LOST),
        ("2025/08/stale.jpg.xmp", DifferenceKind.STALE),
        ("2025/08/stale.jpg.sparks.json", DifferenceKind.STALE),
        ("2025/08/gone.jpg", DifferenceKind.GONE),
    }
    attic.export()
    (still,) = {finding.path for finding in attic.verify()} - {"2025/08/gone.jpg"}
    assert still == "2025/08/damaged.jpg"


def test_two_exports_cannot_write_to_one_folder_at_once(attic: Attic) -> None:
    attic.folder.mkdir()
    with Manifest(attic.folder), pytest.raises(Busy), Manifest(attic.folder):
        pass


def test_a_folder_without_an_export_is_not_verified(attic: Attic) -> None:
    attic.folder.mkdir()
    with pytest.raises(BadInput):
        attic.verify()

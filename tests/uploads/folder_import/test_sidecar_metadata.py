"""Metadata merged from the sidecars of a photo."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sparks.media import file_types
from sparks.media.metadata.capture_time import CaptureTime, TakenFrom
from sparks.model.photo import Location
from sparks.uploads.folder_import.candidates import ImportCandidate
from sparks.uploads.folder_import.folder_walk import open_read_only
from sparks.uploads.folder_import.sidecar_metadata import ImportedMetadata, read_sidecars, reconcile_times
from tests.uploads.folder_import.pictures import note, packet, picture

NOON = datetime(2019, 7, 4, 12, 0, tzinfo=UTC)
CLOCK = "2019:07:04 14:00:00"  # two hours ahead, in Paris


def written(path: Path, content: bytes | None) -> Path | None:
    if content is None:
        return None
    path.write_bytes(content)
    return path


def sidecar_metadata(
    folder: Path, *, name: str = "a.jpg", clock: str | None = None, xmp: bytes | None = None, json: bytes | None = None
) -> ImportedMetadata:
    (folder / name).write_bytes(picture(clock=clock))
    candidate = ImportCandidate(
        folder / name, xmp=written(folder / f"{name}.xmp", xmp), takeout=written(folder / f"{name}.json", json)
    )
    with open_read_only(candidate.path) as file:
        return read_sidecars(candidate, file_types.JPEG, file)


def test_without_sidecars_only_the_file_name_is_known(tmp_path: Path) -> None:
    assert sidecar_metadata(tmp_path, clock=CLOCK) == ImportedMetadata(filename="a.jpg")


def test_an_xmp_file_gives_texts_tags_time_and_location(tmp_path: Path) -> None:
    xmp = packet(
        dc_title="Beach",
        dc_description="The sea",
        photoshop_DateCreated="2019-07-04T14:00:00+02:00",
        exif_GPSLatitude="48,51.504N",
        exif_GPSLongitude="2,17.67E",
    )
    assert sidecar_metadata(tmp_path, xmp=xmp) == ImportedMetadata(
        filename="a.jpg",
        title="Beach",
        description="The sea",
        keywords=("sea", "Sand"),
        taken_at=NOON,
        taken_offset="+02:00",
        location=Location(latitude=48.8584, longitude=2.2945),
    )


def test_googles_time_and_the_cameras_clock_together_give_the_offset(tmp_path: Path) -> None:
    both = sidecar_metadata(tmp_path, clock=CLOCK, json=note(NOON))
    assert (both.taken_at, both.taken_offset) == (NOON, "+02:00")


def test_a_time_corrected_in_google_photos_beats_the_camera(tmp_path: Path) -> None:
    corrected = NOON - timedelta(days=3000, minutes=7)
    both = sidecar_metadata(tmp_path, clock=CLOCK, json=note(corrected))
    assert (both.taken_at, both.taken_offset) == (corrected, None)


def test_an_xmp_file_beats_takeout_metadata(tmp_path: Path) -> None:
    xmp = packet(dc_description="Mine", photoshop_DateCreated="2018-01-01T00:00:00")
    both = sidecar_metadata(tmp_path, clock=CLOCK, xmp=xmp, json=note(NOON, description="Google's"))
    assert (both.description, both.taken_at) == ("Mine", datetime(2018, 1, 1, tzinfo=UTC))


def test_a_file_name_that_google_cut_is_restored(tmp_path: Path) -> None:
    whole = "a long name that was cut.jpg"
    assert sidecar_metadata(tmp_path, name="a long name.jpg", json=note(title=whole)).filename == whole


def test_an_edited_copy_keeps_its_own_name(tmp_path: Path) -> None:
    assert sidecar_metadata(tmp_path, name="a-edited.jpg", json=note(title="a.jpg")).filename == "a-edited.jpg"


def test_broken_sidecars_give_no_metadata(tmp_path: Path) -> None:
    assert sidecar_metadata(tmp_path, xmp=b"<x:xmpmeta", json=b"{") == ImportedMetadata(filename="a.jpg")


def test_a_missing_sidecar_gives_no_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(picture())
    candidate = ImportCandidate(tmp_path / "a.jpg", xmp=tmp_path / "a.xmp", takeout=tmp_path / "a.jpg.json")
    with open_read_only(candidate.path) as file:
        assert read_sidecars(candidate, file_types.JPEG, file) == ImportedMetadata(filename="a.jpg")


def test_a_time_of_the_same_moment_keeps_the_cameras_offset() -> None:
    camera = CaptureTime(NOON, "+05:45", TakenFrom.EXIF)
    assert reconcile_times(NOON + timedelta(seconds=1), camera) == (NOON, "+05:45")


def test_a_corrected_time_keeps_the_offset_of_the_camera() -> None:
    camera = CaptureTime(NOON, "+05:45", TakenFrom.EXIF)
    assert reconcile_times(NOON + timedelta(hours=3), camera) == (NOON + timedelta(hours=3), "+05:45")

"""Names of Google Takeout's metadata files."""

import pytest

from sparks.uploads.folder_import.google_takeout import find_takeout_metadata, takeout_key

LONG = "Screenshot_20220207_102421_com.snapchat.android.jpg"
LONGER = "a photo whose name alone is longer than all that Google keeps of it.jpg"


def found(photo: str, *notes: str) -> str | None:
    return find_takeout_metadata(photo, {takeout_key(note): note for note in notes})


@pytest.mark.parametrize(
    ("photo", "note"),
    [
        ("IMG_1.jpg", "IMG_1.jpg.json"),
        ("IMG_1.jpg", "IMG_1.jpg.supplemental-metadata.json"),
        ("IMG_1.JPG", "IMG_1.jpg.Supplemental-Metadata.JSON"),
        ("PXL_20240817_202602411.mp4", "PXL_20240817_202602411.mp4.supplemental-metada.json"),
        ("Screenshot_2017-07-05-10-05-26.png", "Screenshot_2017-07-05-10-05-26.png.supplementa.json"),
        ("D7157814-D2D5-4A62-AFCE-9CF465CB7D66.jpeg", "D7157814-D2D5-4A62-AFCE-9CF465CB7D66.jpeg.supp.json"),
        ("a_name_of_exactly_forty_five_characters__.jpg", "a_name_of_exactly_forty_five_characters__.jpg..json"),
        (LONG, f"{LONG[:46]}.json"),
        (LONGER[:47] + ".jpg", f"{LONGER[:46]}.json"),
    ],
)
def test_metadata_files_are_found_however_their_names_were_cut(photo: str, note: str) -> None:
    assert found(photo, note, "other.jpg.json") == note


@pytest.mark.parametrize(
    ("photo", "note"),
    [
        ("IMG_1(1).jpg", "IMG_1.jpg(1).json"),
        ("IMG_1(2).jpg", "IMG_1.jpg.supplemental-metadata(2).json"),
        ("IMG_1(12).jpg", "IMG_1.jpg.suppl(12).json"),
        ("IMG_1(1).jpg", "IMG_1(1).jpg.json"),
        (f"{LONG[:-4]}(3).jpg", f"{LONG[:46]}(3).json"),
    ],
)
def test_the_copy_number_comes_last_in_the_metadata_file(photo: str, note: str) -> None:
    assert found(photo, note, "IMG_1.jpg.json", f"{LONG[:46]}.json") == note


def test_a_numbered_photo_does_not_get_the_file_of_the_first() -> None:
    assert found("IMG_1(1).jpg", "IMG_1.jpg.json") is None


def test_a_photo_does_not_get_the_file_of_a_photo_with_a_longer_name() -> None:
    assert found("IMG_1.jpg", "IMG_1.jpg_copy.jpg.json", "IMG.json", "IMG_1.json") is None


@pytest.mark.parametrize(
    ("photo", "note"),
    [
        ("IMG_1-edited.jpg", "IMG_1.jpg.json"),
        ("IMG_1-bearbeitet.jpg", "IMG_1.jpg.supplemental-metadata.json"),
        ("IMG_1-ha editado.jpg", "IMG_1.jpg.supplemental-metadata.json"),
        ("IMG_1-edited(1).jpg", "IMG_1.jpg(1).json"),
    ],
)
def test_an_edited_copy_gets_the_file_of_its_original_in_any_language(photo: str, note: str) -> None:
    assert found(photo, note) == note


def test_the_clip_of_a_live_photo_gets_the_file_of_the_still_picture() -> None:
    assert found("IMG_1.MP4", "IMG_1.HEIC.supplemental-metadata.json") == "IMG_1.HEIC.supplemental-metadata.json"
    assert found("IMG_1(1).mov", "IMG_1.JPG(1).json") == "IMG_1.JPG(1).json"


def test_a_video_with_its_own_file_gets_that() -> None:
    assert found("IMG_1.MP4", "IMG_1.HEIC.json", "IMG_1.MP4.json") == "IMG_1.MP4.json"


@pytest.mark.parametrize("photo", ["a", "-", ".jpg", "(1)", "(1).jpg", "-edited.jpg", "x" * 300 + ".jpg"])
def test_odd_names_have_no_metadata_file(photo: str) -> None:
    assert found(photo, "metadata.json") is None

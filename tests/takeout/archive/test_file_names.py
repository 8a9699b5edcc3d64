"""Names of files in an archive."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.model.filename import LONGEST_NAME, UniqueNames, portable_name
from sparks.model.photo import VIDEO, AssetType, Photo, ProcessingStatus, Renditions
from sparks.takeout.archive.file_choice import ArchiveChoice, ArchiveSize, plan_entries
from tests.factories import a_photo
from tests.takeout.archive.archive_makers import ArchiveLibrary


def made_of(library: ArchiveLibrary, photo: Photo, *sizes: str) -> Renditions:
    keys = {size: f"processed/{photo.image_id}_{size}.{'mp4' if size == VIDEO else 'webp'}" for size in sizes}
    for size, key in keys.items():
        library.blobs.put(key, [size.encode()])
    return Renditions(keys)


def names_in(library: ArchiveLibrary, photos: list[Photo], choice: ArchiveChoice) -> list[str]:
    return [entry.name for entry in plan_entries(photos, choice, blobs=library.blobs)]


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("IMG_1.jpg", "IMG_1.jpg"),
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("C:\\Windows\\x.jpg", "C__Windows_x.jpg"),
        ("what? <why>|*.jpg", "what_ _why___.jpg"),
        ("CON.jpg", "_CON.jpg"),
        ("nul", "_nul"),
        ("ends with dots. . .", "ends with dots"),
        ("..", ""),
        ("a\u202egpj.exe", "agpj.exe"),
        ("e\u0301.jpg", "\u00e9.jpg"),
        ("海と山.jpg", "海と山.jpg"),
        ("", ""),
    ],
)
def test_a_name_is_valid_on_every_file_system(name: str, saved: str) -> None:
    assert portable_name(name) == saved


@given(st.lists(st.text(st.sampled_from("aA.(2) é"), min_size=1, max_size=12)))
def test_no_two_files_share_a_name_whatever_their_case(names: list[str]) -> None:
    folder = UniqueNames()
    given = [folder.take(name) for name in names]
    assert len({name.casefold() for name in given}) == len(names)


def test_the_second_file_of_a_name_is_numbered() -> None:
    folder = UniqueNames("_missing.txt")
    assert [folder.take("IMG_1.jpg") for _ in range(3)] == ["IMG_1.jpg", "IMG_1 (2).jpg", "IMG_1 (3).jpg"]
    assert folder.take("img_1 (2).JPG") == "img_1 (2) (2).JPG"
    assert folder.take("_Missing.txt") == "_Missing (2).txt"


def test_a_numbered_name_is_no_longer_than_others() -> None:
    folder = UniqueNames()
    long = "x" * (LONGEST_NAME - 4) + ".jpg"
    assert [len(folder.take(long)) for _ in range(2)] == [LONGEST_NAME, LONGEST_NAME]


def test_a_rendition_has_the_name_of_its_original_and_its_own_ending(library: ArchiveLibrary) -> None:
    photo = a_photo(original_filename="IMG_1.HEIC")
    shown = a_photo(
        image_id=photo.image_id, original_filename="IMG_1.HEIC", renditions=made_of(library, photo, "large")
    )
    assert names_in(library, [shown], ArchiveChoice(ArchiveSize.LARGE)) == ["IMG_1.webp"]


def test_a_bare_file_has_a_neutral_name_and_is_no_original_except_a_playable_video(library: ArchiveLibrary) -> None:
    photo = a_photo(original_filename="secret.jpg", file_size=3)
    shown = a_photo(image_id=photo.image_id, renditions=made_of(library, photo, "large"))
    video = a_photo(original_filename="secret.mov", file_size=3, asset_type=AssetType.VIDEO)
    filmed = a_photo(
        image_id=video.image_id, asset_type=AssetType.VIDEO, renditions=made_of(library, video, "large", VIDEO)
    )
    bare = ArchiveChoice(ArchiveSize.LARGE, bare=True)
    plays = a_photo(
        original_key="originals/x.mp4",
        mime_type="video/mp4",
        asset_type=AssetType.VIDEO,
        renditions=made_of(library, video, "large"),
        file_size=3,
    )
    failed = replace(video, processing_status=ProcessingStatus.FAILED)
    hung = [photo, shown, failed, filmed, plays]
    assert names_in(library, hung, bare) == ["photo-0001.webp", "photo-0002.mp4", "photo-0003.mp4"]
    assert names_in(library, [photo, shown], ArchiveChoice(ArchiveSize.ORIGINAL, bare=True)) == []


def test_a_photo_without_a_file_name_is_named_by_its_id(library: ArchiveLibrary) -> None:
    photo = library.add_photo(name="")
    assert names_in(library, [photo], ArchiveChoice()) == [f"{photo.image_id}.jpg"]

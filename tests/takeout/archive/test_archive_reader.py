"""Bytes of archives: valid, the same for every reader, and of the planned length."""

import io
import subprocess
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.model.photo import AssetType
from sparks.takeout.archive.entry_states import ArchiveChanged
from sparks.takeout.archive.file_choice import ArchiveChoice, ArchiveSize
from sparks.takeout.archive.plan_archive import PART_SIZE
from tests.factories import NOON
from tests.media.clips import clip_named
from tests.media.container_builders import box
from tests.takeout.archive.archive_makers import ArchiveLibrary, unzipped


def test_an_archive_holds_the_original_bytes_and_has_the_planned_length(library: ArchiveLibrary) -> None:
    archive = library.plan(
        [
            library.add_photo(b"one", "a.jpg"),
            library.add_photo(b"", "b.jpg"),
            library.add_photo(b"3" * 300_000, "c.jpg"),
        ]
    )
    whole = library.read(archive)
    assert len(whole) == archive.byte_count
    assert unzipped(whole) == {"a.jpg": b"one", "b.jpg": b"", "c.jpg": b"3" * 300_000}


def test_unzip_finds_no_error(library: ArchiveLibrary, tmp_path: Path) -> None:
    photos = [library.add_photo(bytes([n]) * n, f"Größe {n} 海.jpg") for n in range(1, 40)]
    file = tmp_path / "x.zip"
    file.write_bytes(library.read(library.plan(photos)))
    found = subprocess.run(["unzip", "-t", file], capture_output=True, check=False)
    assert found.returncode == 0, found.stdout
    library.delete_original(photos[7])
    file.write_bytes(library.read(library.plan(photos, what="album 2")))
    found = subprocess.run(["unzip", "-t", file], capture_output=True, check=False)
    assert found.returncode == 0, found.stdout


def test_a_photo_keeps_the_time_of_its_photographers_clock(library: ArchiveLibrary) -> None:
    archive = library.plan([library.add_photo(taken_at=NOON, taken_offset="+02:00")])
    with zipfile.ZipFile(io.BytesIO(library.read(archive))) as opened:
        assert opened.infolist()[0].date_time == (2025, 8, 1, 14, 0, 0)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_two_ranges_make_the_same_file(data: st.DataObject) -> None:
    library = ArchiveLibrary()
    sizes = data.draw(st.lists(st.integers(0, 200), min_size=1, max_size=6))
    photos = [library.add_photo(bytes([n + 1]) * size) for n, size in enumerate(sizes)]
    archive = library.plan(photos)
    cuts = sorted(data.draw(st.lists(st.integers(0, archive.byte_count), max_size=4)))
    edges = [0, *cuts, archive.byte_count]
    pieces = [library.read(archive, start, end) for start, end in pairwise(edges)]
    assert b"".join(pieces) == library.read(archive)
    assert len(unzipped(b"".join(pieces))) == len(photos)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_photos_that_vanish_during_a_download_leave_a_valid_archive(data: st.DataObject) -> None:
    """A piece at a time, as a client that goes on; photos go or come back in between."""
    library = ArchiveLibrary()
    photos = [library.add_photo(bytes([n + 1]) * 50, f"{n}.jpg") for n in range(5)]
    archive = library.plan(photos)
    got = b""
    while len(got) < archive.byte_count:
        for photo in photos:
            (library.hidden.add if data.draw(st.booleans()) else library.hidden.discard)(photo.image_id)
        size = data.draw(st.integers(1, 400))
        got += library.read(library.again(archive), len(got), min(len(got) + size, archive.byte_count))
    files = unzipped(got)
    missing = files.pop("_missing.txt", b"").decode().splitlines()[1:]
    assert sorted([*files, *missing]) == [f"{n}.jpg" for n in range(5)]
    assert all(files[name] == bytes([int(name[0]) + 1]) * 50 for name in files)
    assert library.again(archive).etag == archive.etag


def test_a_vanished_photo_is_listed_and_stays_gone(library: ArchiveLibrary) -> None:
    photos = [library.add_photo(name=f"{n}.jpg") for n in range(4)]
    archive = library.plan(photos)
    library.delete_original(photos[1])
    library.hidden.add(photos[2].image_id)
    whole = library.read(archive)
    assert len(whole) == archive.byte_count
    files = unzipped(whole)
    assert files.keys() == {"0.jpg", "3.jpg", "_missing.txt"}
    assert files["_missing.txt"].decode().splitlines()[1:] == ["1.jpg", "2.jpg"]
    library.hidden.clear()
    assert library.read(archive) == whole


def test_a_video_is_stripped_of_metadata_or_listed_as_missing_if_it_cannot_be(library: ArchiveLibrary) -> None:
    film = clip_named("h264.mp4") + box(b"udta", b"told" * 200_000)
    kind: dict[str, Any] = {"asset_type": AssetType.VIDEO, "mime_type": "video/mp4"}
    photos = [library.add_photo(film, **kind), library.add_photo(film + b"told", **kind)]
    archive = library.plan(photos, ArchiveChoice(ArchiveSize.LARGE, bare=True))
    whole = library.read(archive)
    (name, content), (_, missing) = unzipped(whole).items()
    assert len(content) == len(film)
    assert content.endswith(b"free" + bytes(800_000))
    assert name not in missing.decode()
    assert len(missing.splitlines()) == 2
    assert library.read(archive, 500_000, 900_000) == whole[500_000:900_000]


def test_an_archive_whose_photos_all_vanish_is_valid(library: ArchiveLibrary) -> None:
    photos = [library.add_photo() for _ in range(30)]
    archive = library.plan(photos)
    library.hidden |= {photo.image_id for photo in photos}
    assert len(unzipped(library.read(archive))["_missing.txt"].splitlines()) == 31


def test_a_photo_that_vanishes_after_it_was_sent_stays_in_the_directory(library: ArchiveLibrary) -> None:
    photos = [library.add_photo(b"x" * 100, f"{n}.jpg") for n in range(3)]
    archive = library.plan(photos)
    whole = library.read(library.plan(photos, what="the same, undisturbed"))
    first = library.read(archive, 0, 250)
    library.delete_original(photos[0])
    assert first + library.read(archive, 250) == whole


def test_bytes_that_cannot_be_sent_again_make_the_archive_another_file(library: ArchiveLibrary) -> None:
    photos = [library.add_photo(name=f"{n}.jpg") for n in range(3)]
    archive = library.plan(photos)
    library.read(archive)
    library.delete_original(photos[1])
    with pytest.raises(ArchiveChanged):
        library.read(archive)
    renewed = library.again(archive)
    assert renewed.etag != archive.etag
    assert "1.jpg" not in unzipped(library.read(renewed))


def test_a_replaced_rendition_is_not_mixed_with_the_old_one(library: ArchiveLibrary) -> None:
    photo = library.add_photo(b"1" * 500)
    archive = library.plan([photo])
    library.read(archive)
    assert photo.original_key is not None
    library.blobs.put(photo.original_key, [b"2" * 500])
    with pytest.raises(ArchiveChanged):
        library.read(archive)


def test_an_archive_of_several_parts_can_be_resumed_anywhere(library: ArchiveLibrary) -> None:
    photos = [library.add_photo(b"%d" % n, f"{n}.jpg") for n in range(2 * PART_SIZE + 3)]
    archive = library.plan(photos)
    library.delete_original(photos[PART_SIZE])
    whole = library.read(archive)
    assert len(unzipped(whole)) == len(photos)
    for start in range(0, archive.byte_count, archive.byte_count // 17):
        assert library.read(library.again(archive), start) == whole[start:]


def test_parallel_downloads_get_the_same_bytes(library: ArchiveLibrary) -> None:
    photos = [library.add_photo(b"x" * 300_000, f"{n}.jpg") for n in range(6)]
    archive = library.plan(photos)
    readers = [library.reader(archive).read(0, archive.byte_count) for _ in range(2)]
    halves = [[next(reader)] for reader in readers]
    library.delete_original(photos[4])
    for half, reader in zip(halves, readers, strict=True):
        half += reader
    assert b"".join(halves[0]) == b"".join(halves[1])


def test_the_same_photos_are_the_same_archive_and_others_another_one(library: ArchiveLibrary) -> None:
    photos = [library.add_photo(), library.add_photo()]
    first = library.plan(photos)
    assert library.plan(photos).etag == first.etag
    assert library.plan(photos[:1]).etag != first.etag
    assert len(unzipped(library.read(library.again(first)))) == 2

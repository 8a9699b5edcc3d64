"""The bytes of archives: sound, the same whoever asks, and of the length that was told."""

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
from tests.takeout.archive.archive_makers import House, unzipped


def test_an_archive_holds_the_original_bytes_and_has_the_planned_length(house: House) -> None:
    archive = house.plan([house.hang(b"one", "a.jpg"), house.hang(b"", "b.jpg"), house.hang(b"3" * 300_000, "c.jpg")])
    whole = house.read(archive)
    assert len(whole) == archive.byte_count
    assert unzipped(whole) == {"a.jpg": b"one", "b.jpg": b"", "c.jpg": b"3" * 300_000}


def test_unzip_finds_no_error(house: House, tmp_path: Path) -> None:
    photos = [house.hang(bytes([n]) * n, f"Größe {n} 海.jpg") for n in range(1, 40)]
    file = tmp_path / "x.zip"
    file.write_bytes(house.read(house.plan(photos)))
    found = subprocess.run(["unzip", "-t", file], capture_output=True, check=False)
    assert found.returncode == 0, found.stdout
    house.take_down(photos[7])
    file.write_bytes(house.read(house.plan(photos, what="album 2")))
    found = subprocess.run(["unzip", "-t", file], capture_output=True, check=False)
    assert found.returncode == 0, found.stdout


def test_a_photo_keeps_the_time_of_its_photographers_clock(house: House) -> None:
    archive = house.plan([house.hang(taken_at=NOON, taken_offset="+02:00")])
    with zipfile.ZipFile(io.BytesIO(house.read(archive))) as opened:
        assert opened.infolist()[0].date_time == (2025, 8, 1, 14, 0, 0)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_two_ranges_make_the_same_file(data: st.DataObject) -> None:
    house = House()
    sizes = data.draw(st.lists(st.integers(0, 200), min_size=1, max_size=6))
    photos = [house.hang(bytes([n + 1]) * size) for n, size in enumerate(sizes)]
    archive = house.plan(photos)
    cuts = sorted(data.draw(st.lists(st.integers(0, archive.byte_count), max_size=4)))
    edges = [0, *cuts, archive.byte_count]
    pieces = [house.read(archive, start, end) for start, end in pairwise(edges)]
    assert b"".join(pieces) == house.read(archive)
    assert len(unzipped(b"".join(pieces))) == len(photos)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_photos_that_vanish_during_a_download_leave_a_valid_archive(data: st.DataObject) -> None:
    """A piece at a time, as a client that goes on; photos go or come back in between."""
    house = House()
    photos = [house.hang(bytes([n + 1]) * 50, f"{n}.jpg") for n in range(5)]
    archive = house.plan(photos)
    got = b""
    while len(got) < archive.byte_count:
        for photo in photos:
            (house.hidden.add if data.draw(st.booleans()) else house.hidden.discard)(photo.image_id)
        size = data.draw(st.integers(1, 400))
        got += house.read(house.again(archive), len(got), min(len(got) + size, archive.byte_count))
    files = unzipped(got)
    missing = files.pop("_missing.txt", b"").decode().splitlines()[1:]
    assert sorted([*files, *missing]) == [f"{n}.jpg" for n in range(5)]
    assert all(files[name] == bytes([int(name[0]) + 1]) * 50 for name in files)
    assert house.again(archive).etag == archive.etag


def test_a_vanished_photo_is_listed_and_stays_gone(house: House) -> None:
    photos = [house.hang(name=f"{n}.jpg") for n in range(4)]
    archive = house.plan(photos)
    house.take_down(photos[1])
    house.hidden.add(photos[2].image_id)
    whole = house.read(archive)
    assert len(whole) == archive.byte_count
    files = unzipped(whole)
    assert files.keys() == {"0.jpg", "3.jpg", "_missing.txt"}
    assert files["_missing.txt"].decode().splitlines()[1:] == ["1.jpg", "2.jpg"]
    house.hidden.clear()
    assert house.read(archive) == whole


def test_a_video_is_stripped_of_metadata_or_listed_as_missing_if_it_cannot_be(house: House) -> None:
    film = clip_named("h264.mp4") + box(b"udta", b"told" * 200_000)
    kind: dict[str, Any] = {"asset_type": AssetType.VIDEO, "mime_type": "video/mp4"}
    photos = [house.hang(film, **kind), house.hang(film + b"told", **kind)]
    archive = house.plan(photos, ArchiveChoice(ArchiveSize.LARGE, bare=True))
    whole = house.read(archive)
    (name, content), (_, missing) = unzipped(whole).items()
    assert len(content) == len(film)
    assert content.endswith(b"free" + bytes(800_000))
    assert name not in missing.decode()
    assert len(missing.splitlines()) == 2
    assert house.read(archive, 500_000, 900_000) == whole[500_000:900_000]


def test_an_archive_whose_photos_all_vanish_is_valid(house: House) -> None:
    photos = [house.hang() for _ in range(30)]
    archive = house.plan(photos)
    house.hidden |= {photo.image_id for photo in photos}
    assert len(unzipped(house.read(archive))["_missing.txt"].splitlines()) == 31


def test_a_photo_that_vanishes_after_it_was_sent_stays_in_the_directory(house: House) -> None:
    photos = [house.hang(b"x" * 100, f"{n}.jpg") for n in range(3)]
    archive = house.plan(photos)
    whole = house.read(house.plan(photos, what="the same, undisturbed"))
    first = house.read(archive, 0, 250)
    house.take_down(photos[0])
    assert first + house.read(archive, 250) == whole


def test_bytes_that_cannot_be_sent_again_make_the_archive_another_file(house: House) -> None:
    photos = [house.hang(name=f"{n}.jpg") for n in range(3)]
    archive = house.plan(photos)
    house.read(archive)
    house.take_down(photos[1])
    with pytest.raises(ArchiveChanged):
        house.read(archive)
    renewed = house.again(archive)
    assert renewed.etag != archive.etag
    assert "1.jpg" not in unzipped(house.read(renewed))


def test_a_replaced_rendition_is_not_mixed_with_the_old_one(house: House) -> None:
    photo = house.hang(b"1" * 500)
    archive = house.plan([photo])
    house.read(archive)
    assert photo.original_key is not None
    house.blobs.put(photo.original_key, [b"2" * 500])
    with pytest.raises(ArchiveChanged):
        house.read(archive)


def test_an_archive_of_several_parts_can_be_resumed_anywhere(house: House) -> None:
    photos = [house.hang(b"%d" % n, f"{n}.jpg") for n in range(2 * PART_SIZE + 3)]
    archive = house.plan(photos)
    house.take_down(photos[PART_SIZE])
    whole = house.read(archive)
    assert len(unzipped(whole)) == len(photos)
    for start in range(0, archive.byte_count, archive.byte_count // 17):
        assert house.read(house.again(archive), start) == whole[start:]


def test_parallel_downloads_get_the_same_bytes(house: House) -> None:
    photos = [house.hang(b"x" * 300_000, f"{n}.jpg") for n in range(6)]
    archive = house.plan(photos)
    readers = [house.reader(archive).read(0, archive.byte_count) for _ in range(2)]
    halves = [[next(reader)] for reader in readers]
    house.take_down(photos[4])
    for half, reader in zip(halves, readers, strict=True):
        half += reader
    assert b"".join(halves[0]) == b"".join(halves[1])


def test_the_same_photos_are_the_same_archive_and_others_another_one(house: House) -> None:
    photos = [house.hang(), house.hang()]
    first = house.plan(photos)
    assert house.plan(photos).etag == first.etag
    assert house.plan(photos[:1]).etag != first.etag
    assert len(unzipped(house.read(house.again(first)))) == 2

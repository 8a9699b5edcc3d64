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
from sparks.sharing.archive.choosing import ArchiveSize, Wanted
from sparks.sharing.archive.findings import ArchiveChanged
from sparks.sharing.archive.planning import PART
from tests.factories import NOON
from tests.media.build import box
from tests.media.clips import clip_named
from tests.sharing.archive.makers import House, unzipped


def test_an_archive_holds_the_very_bytes_and_is_as_long_as_was_told(house: House) -> None:
    archive = house.plan([house.hang(b"one", "a.jpg"), house.hang(b"", "b.jpg"), house.hang(b"3" * 300_000, "c.jpg")])
    whole = house.read(archive)
    assert len(whole) == archive.byte_count
    assert unzipped(whole) == {"a.jpg": b"one", "b.jpg": b"", "c.jpg": b"3" * 300_000}


def test_unzip_finds_no_fault(house: House, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("far", [False, True])
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_two_pieces_make_the_same_file(far: bool, data: st.DataObject) -> None:
    house = House(far=far)
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
def test_whatever_goes_while_it_is_downloaded_the_rest_is_sound(data: st.DataObject) -> None:
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


def test_what_vanished_is_listed_and_stays_gone(house: House) -> None:
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


@pytest.mark.parametrize("far", [False, True])
def test_a_film_is_given_with_a_veil_over_it_and_listed_where_there_is_none(house: House, *, far: bool) -> None:
    house.far = far
    film = clip_named("h264.mp4") + box(b"udta", b"told" * 200_000)
    kind: dict[str, Any] = {"asset_type": AssetType.VIDEO, "mime_type": "video/mp4"}
    photos = [house.hang(film, **kind), house.hang(film + b"told", **kind)]
    archive = house.plan(photos, Wanted(ArchiveSize.LARGE, bare=True))
    whole = house.read(archive)
    (name, content), (_, missing) = unzipped(whole).items()
    assert len(content) == len(film)
    assert content.endswith(b"free" + bytes(800_000))
    assert name not in missing.decode()
    assert len(missing.splitlines()) == 2
    assert house.read(archive, 500_000, 900_000) == whole[500_000:900_000]


def test_all_may_vanish(house: House) -> None:
    photos = [house.hang() for _ in range(30)]
    archive = house.plan(photos)
    house.hidden |= {photo.image_id for photo in photos}
    assert len(unzipped(house.read(archive))["_missing.txt"].splitlines()) == 31


def test_one_that_vanishes_after_it_was_sent_is_still_listed_for_who_has_it(house: House) -> None:
    photos = [house.hang(b"x" * 100, f"{n}.jpg") for n in range(3)]
    archive = house.plan(photos)
    whole = house.read(house.plan(photos, what="the same, undisturbed"))
    first = house.read(archive, 0, 250)
    house.take_down(photos[0])
    assert first + house.read(archive, 250) == whole


def test_bytes_that_cannot_be_given_again_make_it_another_file(house: House) -> None:
    photos = [house.hang(name=f"{n}.jpg") for n in range(3)]
    archive = house.plan(photos)
    house.read(archive)
    house.take_down(photos[1])
    with pytest.raises(ArchiveChanged):
        house.read(archive)
    renewed = house.again(archive)
    assert renewed.etag != archive.etag
    assert "1.jpg" not in unzipped(house.read(renewed))


def test_a_rendition_that_was_made_anew_is_not_mixed_with_the_old_one(house: House) -> None:
    photo = house.hang(b"1" * 500)
    archive = house.plan([photo])
    house.read(archive)
    assert photo.original_key is not None
    house.blobs.put(photo.original_key, [b"2" * 500])
    with pytest.raises(ArchiveChanged):
        house.read(archive)


def test_an_archive_of_several_parts_is_gone_on_with_anywhere(house: House) -> None:
    photos = [house.hang(b"%d" % n, f"{n}.jpg") for n in range(2 * PART + 3)]
    archive = house.plan(photos)
    house.take_down(photos[PART])
    whole = house.read(archive)
    assert len(unzipped(whole)) == len(photos)
    for start in range(0, archive.byte_count, archive.byte_count // 17):
        assert house.read(house.again(archive), start) == whole[start:]


def test_two_who_read_at_once_are_given_the_same(house: House) -> None:
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

"""Receiving: bytes that go straight to their place, or nowhere."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.served import ServedBlobs
from sparks.media import kinds
from sparks.model.errors import Damaged, TooLarge, Unavailable, UnsupportedType
from sparks.model.photo import Photo
from sparks.upload.receiving import IN_MEMORY, Arrival
from sparks.upload.wish import check_size
from tests.factories import ANN
from tests.library.tables import a_reservation
from tests.upload.files import a_jpeg, keys_in

MOST = 10**7


def up_to_most(size: int) -> None:
    check_size(size, most=MOST)


@contextmanager
def arriving(photo: Photo, blobs: ServedBlobs, *, elsewhere: bool = False) -> Iterator[Arrival]:
    arrival = Arrival(photo, check=up_to_most, blobs=blobs, served=None if elsewhere else blobs)
    try:
        yield arrival
    finally:
        arrival.drop()


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("size", [20, 1000, 64 * 1024, 3 * 1024 * 1024 + 1])
def test_the_original_is_what_came(any_blobs: ServedBlobs, size: int, elsewhere: bool) -> None:
    data = a_jpeg(size)
    photo = a_reservation(ANN, size)
    with arriving(photo, any_blobs, elsewhere=elsewhere) as arrival:
        for start in range(0, size, 1000_000):
            arrival.write(data[start : start + 1000_000])
        original = arrival.commit()
    assert b"".join(any_blobs.open(original.key)) == data
    assert (original.key, original.kind, original.size) == (f"originals/{photo.image_id}.jpg", kinds.JPEG, size)
    assert original.sha256 == hashlib.sha256(data).hexdigest()
    assert original.sha1 == hashlib.sha1(data, usedforsecurity=False).hexdigest()
    assert any_blobs.head(original.key).content_type == "image/jpeg"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_nobody_sees_what_has_not_come_whole(any_blobs: ServedBlobs, elsewhere: bool) -> None:
    with arriving(a_reservation(ANN, 0), any_blobs, elsewhere=elsewhere) as arrival:
        arrival.write(a_jpeg(100_000))
        assert keys_in(any_blobs) == []
    assert keys_in(any_blobs) == []


def test_what_sparks_does_not_take_is_refused_by_its_first_bytes(blobs: MemoryBlobs) -> None:
    with arriving(a_reservation(ANN, 10**6), blobs) as arrival, pytest.raises(UnsupportedType, match="a PDF document"):
        arrival.write(b"%PDF-1.7" + bytes(64 * 1024))
    assert keys_in(blobs) == []


@pytest.mark.parametrize(("data", "looks_like"), [(b"", "an empty file"), (b"hello", "a text file")])
def test_a_small_file_that_sparks_does_not_take_is_refused_at_its_end(
    blobs: MemoryBlobs, data: bytes, looks_like: str
) -> None:
    with arriving(a_reservation(ANN, 0), blobs) as arrival:
        for piece in [data] if data else []:
            arrival.write(piece)
        with pytest.raises(UnsupportedType, match=looks_like):
            arrival.commit()
    assert keys_in(blobs) == []


def test_too_many_bytes_are_refused_as_soon_as_they_come(blobs: MemoryBlobs) -> None:
    with arriving(a_reservation(ANN, 0), blobs) as arrival:
        arrival.write(a_jpeg(MOST))
        with pytest.raises(TooLarge):
            arrival.write(b"x")
    assert keys_in(blobs) == []


@pytest.mark.parametrize("came", [999, 1001])
def test_other_bytes_than_announced_are_damaged(blobs: MemoryBlobs, came: int) -> None:
    with arriving(a_reservation(ANN, 1000), blobs) as arrival:
        arrival.write(a_jpeg(came))
        with pytest.raises(Damaged, match="were announced"):
            arrival.commit()
    assert keys_in(blobs) == []


def test_where_nothing_can_wait_on_the_way_to_another_store_it_is_said(
    blobs: MemoryBlobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with (
        arriving(a_reservation(ANN, 0), blobs, elsewhere=True) as arrival,
        pytest.raises(Unavailable, match="temporary"),
    ):
        arrival.write(a_jpeg(2 * IN_MEMORY))
    assert keys_in(blobs) == []

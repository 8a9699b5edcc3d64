"""Reception of an upload's body."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.blobs.s3 import S3Blobs
from sparks.blobs.s3.spool import MAX_MEMORY
from sparks.media import file_types
from sparks.model.errors import Damaged, TooLarge, Unavailable, UnsupportedType
from sparks.model.photo import Photo
from sparks.uploads.receive import IncomingOriginal
from sparks.uploads.upload_request import check_size
from tests.factories import ANN
from tests.library.tables import a_reservation
from tests.uploads.files import a_jpeg, keys_in

MOST = 10**7


def up_to_most(size: int) -> None:
    check_size(size, most=MOST)


@pytest.fixture(params=["blobs", "file_blobs", "s3_blobs"])
def every_store(request: pytest.FixtureRequest) -> Blobs:
    store: Blobs = request.getfixturevalue(request.param)
    return store


@contextmanager
def arriving(photo: Photo, blobs: Blobs) -> Iterator[IncomingOriginal]:
    arrival = IncomingOriginal(photo, check=up_to_most, blobs=blobs)
    try:
        yield arrival
    finally:
        arrival.drop()


@pytest.mark.parametrize("size", [20, 1000, 64 * 1024, 3 * 1024 * 1024 + 1])
def test_the_original_has_the_received_bytes(every_store: Blobs, size: int) -> None:
    data = a_jpeg(size)
    photo = a_reservation(ANN, size)
    with arriving(photo, every_store) as arrival:
        for start in range(0, size, 1000_000):
            arrival.write(data[start : start + 1000_000])
        original = arrival.commit()
    assert b"".join(every_store.open(original.key)) == data
    assert (original.key, original.kind, original.size) == (f"originals/{photo.image_id}.jpg", file_types.JPEG, size)
    assert original.sha256 == hashlib.sha256(data).hexdigest()
    assert original.sha1 == hashlib.sha1(data, usedforsecurity=False).hexdigest()
    assert every_store.head(original.key).content_type == "image/jpeg"


def test_an_incomplete_upload_is_not_visible(every_store: Blobs) -> None:
    with arriving(a_reservation(ANN, 0), every_store) as arrival:
        arrival.write(a_jpeg(100_000))
        assert keys_in(every_store) == []
    assert keys_in(every_store) == []


def test_an_unsupported_file_is_refused_by_its_first_bytes(blobs: MemoryBlobs) -> None:
    with arriving(a_reservation(ANN, 10**6), blobs) as arrival, pytest.raises(UnsupportedType, match="a PDF document"):
        arrival.write(b"%PDF-1.7" + bytes(64 * 1024))
    assert keys_in(blobs) == []


@pytest.mark.parametrize(("data", "looks_like"), [(b"", "an empty file"), (b"hello", "a text file")])
def test_a_small_unsupported_file_is_refused_at_its_end(blobs: MemoryBlobs, data: bytes, looks_like: str) -> None:
    with arriving(a_reservation(ANN, 0), blobs) as arrival:
        for piece in [data] if data else []:
            arrival.write(piece)
        with pytest.raises(UnsupportedType, match=looks_like):
            arrival.commit()
    assert keys_in(blobs) == []


def test_too_many_bytes_are_refused_as_soon_as_they_arrive(blobs: MemoryBlobs) -> None:
    with arriving(a_reservation(ANN, 0), blobs) as arrival:
        arrival.write(a_jpeg(MOST))
        with pytest.raises(TooLarge):
            arrival.write(b"x")
    assert keys_in(blobs) == []


@pytest.mark.parametrize("came", [999, 1001])
def test_a_size_other_than_the_announced_one_is_damaged(blobs: MemoryBlobs, came: int) -> None:
    with arriving(a_reservation(ANN, 1000), blobs) as arrival:
        arrival.write(a_jpeg(came))
        with pytest.raises(Damaged, match="announced"):
            arrival.commit()
    assert keys_in(blobs) == []


def test_a_full_temporary_folder_makes_an_upload_unavailable(
    s3_blobs: S3Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with arriving(a_reservation(ANN, 0), s3_blobs) as arrival, pytest.raises(Unavailable, match="temporary"):
        arrival.write(a_jpeg(2 * MAX_MEMORY))
    assert keys_in(s3_blobs) == []

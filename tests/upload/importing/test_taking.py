"""One file, taken in."""

import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import BlobInfo
from sparks.library.albums import begin_album_deletion, make_album, owned_albums
from sparks.library.limits import read_limit
from sparks.library.photos import find_photo, trash_photo
from sparks.library.records import changes, to_item
from sparks.model.errors import StorageFull, UploadLimitReached
from sparks.model.events import PhotoChanged, Uploaded
from sparks.model.photo import Location, Photo, PhotoState, Visibility
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Put
from sparks.upload.importing.outcome import Fate, Outcome
from sparks.upload.importing.sidecars import Candidate
from sparks.upload.importing.taking import CHANGED, IN_THE_BIN, Taker
from tests.accounts import blob_keys
from tests.factories import a_user
from tests.library.tables import new_account
from tests.upload.importing.pictures import note, picture

NOON = datetime(2019, 7, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def taker() -> Taker:
    table = MemoryTable()
    owner = new_account(table, photos=3, bytes=1_000_000)
    table.write(Put(to_item(a_user(owner))))
    most = 100_000
    return Taker(owner=owner, visibility=Visibility.PRIVATE, most_bytes=most, table=table, blobs=MemoryBlobs())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sea.jpg"
    path.write_bytes(picture())
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))
    return path


def taken(taker: Taker, path: Path, **sidecars: Any) -> Photo:
    photo = taker.take_in(Candidate(path, **sidecars)).photo
    assert photo is not None
    found = find_photo(photo.image_id, table=taker.table)
    assert found is not None
    return found


def titles(taker: Taker, photo: Photo) -> list[str]:
    """Of the albums that it is in."""
    albums = {album.album_id: album.title for album in owned_albums(taker.owner, table=taker.table)}
    return sorted(albums[album_id] for album_id in photo.albums)


def left(taker: Taker) -> int:
    return read_limit(taker.owner, table=taker.table).photos_left


def test_a_file_becomes_a_pending_photo_with_its_bytes_name_and_time(taker: Taker, path: Path) -> None:
    outcome = taker.take_in(Candidate(path))
    assert outcome.photo is not None
    photo = find_photo(outcome.photo.image_id, table=taker.table)
    assert photo is not None
    assert (outcome.fate, outcome.follows) == (Fate.IMPORTED, Uploaded(photo.image_id, taker.owner))
    assert photo.state is PhotoState.PENDING
    assert (photo.original_filename, photo.mime_type, photo.file_time) == ("sea.jpg", "image/jpeg", NOON)
    assert photo.visibility is Visibility.PRIVATE
    assert photo.original_key is not None
    assert b"".join(taker.blobs.open(photo.original_key)) == picture()
    assert left(taker) == 2


def test_what_lies_beside_it_is_told_on_its_row(taker: Taker, path: Path) -> None:
    beside = path.with_name("sea.jpg.json")
    beside.write_bytes(note(NOON, description="Tour Eiffel", geoData={"latitude": 48.8, "longitude": 2.2}))
    photo = taken(taker, path, note=beside, album="Paris")
    assert (photo.description, photo.taken_at) == ("Tour Eiffel", NOON)
    assert photo.location == Location(latitude=48.8, longitude=2.2)
    assert titles(taker, photo) == ["Paris"]


def test_the_same_bytes_again_are_the_photo_that_is_there(taker: Taker, path: Path) -> None:
    first = taken(taker, path)
    copy = path.with_name("copy.jpg")
    copy.write_bytes(picture())
    outcome = taker.take_in(Candidate(copy))
    assert (outcome.fate, outcome.photo, outcome.follows) == (Fate.THERE, first, None)
    assert left(taker) == 2
    assert len(blob_keys(taker.blobs)) == 1


def test_a_photo_comes_into_every_album_that_it_was_in(taker: Taker, path: Path) -> None:
    for album in (None, "Paris", "Summer", "paris"):
        photo = taken(taker, path, album=album)
    assert titles(taker, photo) == ["Paris", "Summer"]
    assert len(owned_albums(taker.owner, table=taker.table)) == 2


def test_all_files_come_into_the_album_that_was_named(taker: Taker, path: Path) -> None:
    there = make_album(a_user(taker.owner), "Italy", at=NOON, table=taker.table)
    photo = taken(replace(taker, album="ITALY"), path, album="Paris")
    assert titles(taker, photo) == ["Italy", "Paris"]
    assert there.album_id in photo.albums


def test_what_is_there_already_comes_into_the_album_too_and_its_lists_follow(taker: Taker, path: Path) -> None:
    photo = taken(taker, path)
    outcome = replace(taker, album="Italy").take_in(Candidate(path))
    assert (outcome.fate, outcome.follows) == (Fate.THERE, PhotoChanged(photo.image_id, photo.owner))
    assert replace(taker, album="Italy").take_in(Candidate(path)).follows is None


def test_albums_that_a_photo_only_named_are_made_when_it_is_imported_again(taker: Taker, path: Path) -> None:
    photo = taken(taker, path)
    taker.table.write(changes(photo, replace(photo, extra={"albumNames": ["Paris"], "other": 1})))
    photo = taken(taker, path)
    assert titles(taker, photo) == ["Paris"]
    assert photo.extra == {"other": 1}


def test_an_album_that_was_deleted_meanwhile_is_made_anew(taker: Taker, path: Path) -> None:
    (first,) = taken(taker, path, album="Paris").albums
    begin_album_deletion(owned_albums(taker.owner, table=taker.table)[0], at=NOON, table=taker.table)
    assert first not in {each.album_id for each in owned_albums(taker.owner, table=taker.table)}
    taken(taker, path, album="Paris")
    assert [each.title for each in owned_albums(taker.owner, table=taker.table)] == ["Paris"]


def test_a_photo_in_the_trash_comes_out_of_it_and_goes_on(taker: Taker, path: Path) -> None:
    photo = taken(taker, path)
    trash_photo(photo, at=now(), table=taker.table)
    outcome = taker.take_in(Candidate(path))
    assert (outcome.fate, outcome.follows) == (Fate.THERE, Uploaded(photo.image_id, taker.owner))


@pytest.mark.parametrize(
    ("content", "fate", "reason"),
    [
        (b"", Fate.SKIPPED, "This looks like an empty file"),
        (b"Dear diary, today", Fate.SKIPPED, "This looks like"),
        (b"\xff\xd8\xff\xe0" + bytes(200_000), Fate.FAILED, "this file has 200,004 bytes"),
    ],
)
def test_what_cannot_be_taken_says_why(taker: Taker, path: Path, content: bytes, fate: Fate, reason: str) -> None:
    path.write_bytes(content)
    outcome = taker.take_in(Candidate(path))
    assert outcome.fate is fate
    assert (outcome.reason or "").startswith(reason)
    assert left(taker) == 3


def test_a_file_that_is_gone_failed(taker: Taker, path: Path) -> None:
    outcome = taker.take_in(Candidate(path.with_name("gone.jpg")))
    assert outcome == Outcome(path.with_name("gone.jpg"), Fate.FAILED, "it cannot be read (No such file or directory)")


def test_what_was_in_googles_bin_stays_there(taker: Taker, path: Path) -> None:
    beside = path.with_name("sea.jpg.json")
    beside.write_bytes(note(NOON, trashed=True))
    assert taker.take_in(Candidate(path, note=beside)) == Outcome(path, Fate.SKIPPED, IN_THE_BIN)


def test_a_limit_that_is_reached_is_told_and_nothing_is_left_behind(taker: Taker, path: Path) -> None:
    for number in range(1, 4):
        path.write_bytes(picture(number))
        taken(taker, path)
    path.write_bytes(picture(4))
    with pytest.raises(UploadLimitReached):
        taker.take_in(Candidate(path))
    assert len(blob_keys(taker.blobs)) == 3


class Growing(MemoryBlobs):
    """While a file is stored, its owner writes to it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def put(self, key: str, chunks: Iterable[bytes], **more: Any) -> BlobInfo:
        with self._path.open("ab") as file:
            file.write(b"more")
        return super().put(key, chunks, **more)


class Full(MemoryBlobs):
    def put(self, key: str, chunks: Iterable[bytes], **more: Any) -> BlobInfo:  # noqa: ARG002
        raise StorageFull("there is no room left")


def test_a_file_that_changes_while_it_is_read_fails_and_is_given_back(taker: Taker, path: Path) -> None:
    with closing(Growing(path)) as blobs:
        assert replace(taker, blobs=blobs).take_in(Candidate(path)) == Outcome(path, Fate.FAILED, CHANGED)
        assert blob_keys(blobs) == []
    assert left(taker) == 3


def test_a_store_that_is_full_is_told_and_the_reservation_given_back(taker: Taker, path: Path) -> None:
    with pytest.raises(StorageFull):
        replace(taker, blobs=Full()).take_in(Candidate(path))
    assert left(taker) == 3


def test_a_look_changes_nothing(taker: Taker, path: Path) -> None:
    assert taker.look_at(Candidate(path)).fate is Fate.IMPORTED
    assert left(taker) == 3
    trash_photo(taken(taker, path), at=now(), table=taker.table)
    assert taker.look_at(Candidate(path)).fate is Fate.THERE
    outcome = taker.look_at(Candidate(path))
    assert outcome.photo is None


def test_nothing_about_the_file_changes_not_even_when_it_was_last_read(taker: Taker, path: Path) -> None:
    before = path.stat()
    taken(taker, path)
    after = path.stat()
    assert (after.st_atime_ns, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_atime_ns,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_names_of_any_bytes_are_taken(taker: Taker, path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(path.parent) + b"/caf\xe9 \x01.jpg"))
    path.rename(odd)
    assert taken(taker, odd).original_filename == "caf .jpg"

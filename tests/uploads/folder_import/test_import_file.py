"""Import of one file."""

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
from sparks.library.albums.album_deletion import begin_album_deletion
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_lookup import owned_albums
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import changes, to_item
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import StorageFull, UploadLimitReached
from sparks.model.events import PhotoChanged, Uploaded
from sparks.model.photo import Location, Photo, PhotoState, Visibility
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Put
from sparks.uploads.folder_import.candidates import ImportCandidate
from sparks.uploads.folder_import.import_file import CHANGED_WHILE_READ, IN_GOOGLE_TRASH, FileImporter
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus
from tests.account_makers import stored_keys
from tests.factories import a_user
from tests.library.tables import new_account
from tests.uploads.folder_import.pictures import note, picture

NOON = datetime(2019, 7, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def taker() -> FileImporter:
    table = MemoryTable()
    owner = new_account(table, photos=3, bytes=1_000_000)
    table.write(Put(to_item(a_user(owner))))
    most = 100_000
    return FileImporter(owner=owner, visibility=Visibility.PRIVATE, most_bytes=most, table=table, blobs=MemoryBlobs())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sea.jpg"
    path.write_bytes(picture())
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))
    return path


def taken(taker: FileImporter, path: Path, **sidecars: Any) -> Photo:
    photo = taker.import_file(ImportCandidate(path, **sidecars)).photo
    assert photo is not None
    found = find_photo(photo.image_id, table=taker.table)
    assert found is not None
    return found


def titles(taker: FileImporter, photo: Photo) -> list[str]:
    """Of the albums that it is in."""
    albums = {album.album_id: album.title for album in owned_albums(taker.owner, table=taker.table)}
    return sorted(albums[album_id] for album_id in photo.albums)


def left(taker: FileImporter) -> int:
    return read_limit(taker.owner, table=taker.table).photos_left


def test_a_file_becomes_a_pending_photo_with_its_bytes_name_and_time(taker: FileImporter, path: Path) -> None:
    outcome = taker.import_file(ImportCandidate(path))
    assert outcome.photo is not None
    photo = find_photo(outcome.photo.image_id, table=taker.table)
    assert photo is not None
    assert (outcome.status, outcome.follows) == (ImportStatus.IMPORTED, Uploaded(photo.image_id, taker.owner))
    assert photo.state is PhotoState.PENDING
    assert (photo.original_filename, photo.mime_type, photo.file_time) == ("sea.jpg", "image/jpeg", NOON)
    assert photo.visibility is Visibility.PRIVATE
    assert photo.original_key is not None
    assert b"".join(taker.blobs.open(photo.original_key)) == picture()
    assert left(taker) == 2


def test_the_metadata_of_sidecars_is_stored_on_the_photos_row(taker: FileImporter, path: Path) -> None:
    beside = path.with_name("sea.jpg.json")
    beside.write_bytes(note(NOON, description="Tour Eiffel", geoData={"latitude": 48.8, "longitude": 2.2}))
    photo = taken(taker, path, takeout=beside, album="Paris")
    assert (photo.description, photo.taken_at) == ("Tour Eiffel", NOON)
    assert photo.location == Location(latitude=48.8, longitude=2.2)
    assert titles(taker, photo) == ["Paris"]


def test_importing_the_same_bytes_again_returns_the_existing_photo(taker: FileImporter, path: Path) -> None:
    first = taken(taker, path)
    copy = path.with_name("copy.jpg")
    copy.write_bytes(picture())
    outcome = taker.import_file(ImportCandidate(copy))
    assert (outcome.status, outcome.photo, outcome.follows) == (ImportStatus.THERE, first, None)
    assert left(taker) == 2
    assert len(stored_keys(taker.blobs)) == 1


def test_a_photo_is_added_to_every_album_that_it_was_in(taker: FileImporter, path: Path) -> None:
    for album in (None, "Paris", "Summer", "paris"):
        photo = taken(taker, path, album=album)
    assert titles(taker, photo) == ["Paris", "Summer"]
    assert len(owned_albums(taker.owner, table=taker.table)) == 2


def test_all_files_are_added_to_the_given_album(taker: FileImporter, path: Path) -> None:
    there = create_album(a_user(taker.owner), "Italy", at=NOON, table=taker.table)
    photo = taken(replace(taker, album="ITALY"), path, album="Paris")
    assert titles(taker, photo) == ["Italy", "Paris"]
    assert there.album_id in photo.albums


def test_an_existing_photo_is_added_to_the_album_too_and_its_lists_are_updated(taker: FileImporter, path: Path) -> None:
    photo = taken(taker, path)
    outcome = replace(taker, album="Italy").import_file(ImportCandidate(path))
    assert (outcome.status, outcome.follows) == (ImportStatus.THERE, PhotoChanged(photo.image_id, photo.owner))
    assert replace(taker, album="Italy").import_file(ImportCandidate(path)).follows is None


def test_albums_named_on_an_old_row_are_created_when_the_photo_is_imported_again(
    taker: FileImporter, path: Path
) -> None:
    photo = taken(taker, path)
    taker.table.write(changes(photo, replace(photo, extra={"albumNames": ["Paris"], "other": 1})))
    photo = taken(taker, path)
    assert titles(taker, photo) == ["Paris"]
    assert photo.extra == {"other": 1}


def test_an_album_that_was_deleted_meanwhile_is_created_again(taker: FileImporter, path: Path) -> None:
    (first,) = taken(taker, path, album="Paris").albums
    begin_album_deletion(owned_albums(taker.owner, table=taker.table)[0], at=NOON, table=taker.table)
    assert first not in {each.album_id for each in owned_albums(taker.owner, table=taker.table)}
    taken(taker, path, album="Paris")
    assert [each.title for each in owned_albums(taker.owner, table=taker.table)] == ["Paris"]


def test_importing_a_trashed_photo_restores_it_and_continues_its_processing(taker: FileImporter, path: Path) -> None:
    photo = taken(taker, path)
    trash_photo(photo, at=now(), table=taker.table)
    outcome = taker.import_file(ImportCandidate(path))
    assert (outcome.status, outcome.follows) == (ImportStatus.THERE, Uploaded(photo.image_id, taker.owner))


@pytest.mark.parametrize(
    ("content", "status", "reason"),
    [
        (b"", ImportStatus.SKIPPED, "This looks like an empty file"),
        (b"Dear diary, today", ImportStatus.SKIPPED, "This looks like"),
        (b"\xff\xd8\xff\xe0" + bytes(200_000), ImportStatus.FAILED, "this file has 200,004 bytes"),
    ],
)
def test_a_file_that_cannot_be_imported_gives_the_reason(
    taker: FileImporter, path: Path, content: bytes, status: ImportStatus, reason: str
) -> None:
    path.write_bytes(content)
    outcome = taker.import_file(ImportCandidate(path))
    assert outcome.status is status
    assert (outcome.reason or "").startswith(reason)
    assert left(taker) == 3


def test_a_missing_file_fails(taker: FileImporter, path: Path) -> None:
    outcome = taker.import_file(ImportCandidate(path.with_name("gone.jpg")))
    assert outcome == ImportResult(
        path.with_name("gone.jpg"), ImportStatus.FAILED, "it cannot be read (No such file or directory)"
    )


def test_a_photo_in_googles_trash_is_skipped(taker: FileImporter, path: Path) -> None:
    beside = path.with_name("sea.jpg.json")
    beside.write_bytes(note(NOON, trashed=True))
    assert taker.import_file(ImportCandidate(path, takeout=beside)) == ImportResult(
        path, ImportStatus.SKIPPED, IN_GOOGLE_TRASH
    )


def test_a_reached_limit_is_raised_and_leaves_nothing(taker: FileImporter, path: Path) -> None:
    for number in range(1, 4):
        path.write_bytes(picture(number))
        taken(taker, path)
    path.write_bytes(picture(4))
    with pytest.raises(UploadLimitReached):
        taker.import_file(ImportCandidate(path))
    assert len(stored_keys(taker.blobs)) == 3


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


def test_a_file_that_changes_while_it_is_read_fails_and_its_reservation_is_cancelled(
    taker: FileImporter, path: Path
) -> None:
    with closing(Growing(path)) as blobs:
        assert replace(taker, blobs=blobs).import_file(ImportCandidate(path)) == ImportResult(
            path, ImportStatus.FAILED, CHANGED_WHILE_READ
        )
        assert stored_keys(blobs) == []
    assert left(taker) == 3


def test_a_full_store_is_raised_and_the_reservation_is_cancelled(taker: FileImporter, path: Path) -> None:
    with pytest.raises(StorageFull):
        replace(taker, blobs=Full()).import_file(ImportCandidate(path))
    assert left(taker) == 3


def test_a_preview_changes_nothing(taker: FileImporter, path: Path) -> None:
    assert taker.preview(ImportCandidate(path)).status is ImportStatus.IMPORTED
    assert left(taker) == 3
    trash_photo(taken(taker, path), at=now(), table=taker.table)
    assert taker.preview(ImportCandidate(path)).status is ImportStatus.THERE
    outcome = taker.preview(ImportCandidate(path))
    assert outcome.photo is None


def test_an_import_does_not_change_the_file_nor_its_access_time(taker: FileImporter, path: Path) -> None:
    before = path.stat()
    taken(taker, path)
    after = path.stat()
    assert (after.st_atime_ns, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_atime_ns,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_file_names_of_any_bytes_can_be_imported(taker: FileImporter, path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(path.parent) + b"/caf\xe9 \x01.jpg"))
    path.rename(odd)
    assert taken(taker, odd).original_filename == "caf .jpg"

"""Orphaned blobs, and the cases in which they are left alone."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.filesystem.root import MARKER
from sparks.blobs.port import BlobPage
from sparks.journey import Stores
from sparks.library import blob_keys, keys
from sparks.library.accounts.profile_picture import store_picture
from sparks.library.people.face_rows import store_face
from sparks.library.photo_deletion import begin_deletion
from sparks.library.records import to_item
from sparks.library.timeline_blobs import ScopeMonth, month_copy
from sparks.model import ids, times
from sparks.model.errors import Unavailable
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_owner
from sparks.table.port import Put
from sparks.upkeep import sweep as hourly
from sparks.upkeep.orphaned_blobs import find_orphans
from sparks.upkeep.sweep import preview_sweep
from tests.account_makers import an_account, at_once, everything, stored_keys
from tests.factories import ANN, BOB, a_face, a_person
from tests.library.people.rows import a_box
from tests.library.tables import check_sum, photo_in
from tests.stored_traces import traces_of
from tests.upkeep.photo_makers import (
    BYTES,
    DAY,
    HOUR,
    NOW,
    PIPELINE,
    orphans,
    photo,
    reservation,
    swept,
    swept_hourly,
    trashed,
)

LATER = NOW + 25 * HOUR


def crop_in(stores: Stores, photo: Photo, place: int) -> str:
    """The crop of a face that was found in the photo."""
    face = a_face(photo, a_box(place))
    crop = blob_keys.face_thumb(face.face_id)
    stores.blobs.put(crop, [BYTES])
    store_face(replace(face, thumb_key=crop), at=NOW, table=stores.table)
    return crop


def test_only_blobs_without_a_photo_are_deleted(stores: Stores) -> None:
    owned = photo(stores), reservation(stores, expires_at=NOW + 99 * DAY), trashed(stores, at=NOW)
    stores.blobs.put("originals/of-another-writer.jpg", [BYTES])
    stay = stored_keys(stores.blobs)
    strays = [
        *orphans(stores, 2),
        blob_keys.rendition(ids.new_image_id(), "large"),
        blob_keys.upload(ids.new_image_id()),
    ]
    strays += [blob_keys.video(ids.new_image_id()), blob_keys.motion(ids.new_image_id())]
    for key in strays:
        stores.blobs.put(key, [BYTES])
    result = swept(stores, LATER)
    assert (result.orphans, result.orphan_bytes, result.refusal) == (len(strays), len(strays) * len(BYTES), None)
    assert stored_keys(stores.blobs) == stay
    assert [photo_in(stores.table, one) for one in owned] == list(owned)


def test_the_hourly_sweep_keeps_blobs_of_the_last_day(memory: Stores) -> None:
    [stray] = orphans(memory, 1)
    swept_hourly(memory, NOW + 23 * HOUR)
    assert stored_keys(memory.blobs) == [stray]
    swept_hourly(memory, LATER)
    assert stored_keys(memory.blobs) == []


def test_an_uploaded_file_is_an_orphan_in_its_first_place_once_the_photo_is_complete(memory: Stores) -> None:
    done = photo(memory)
    memory.blobs.put(blob_keys.upload(done.image_id), [BYTES])
    assert swept(memory, LATER).orphans == 1
    assert blob_keys.upload(done.image_id) not in stored_keys(memory.blobs)


def test_only_profile_pictures_without_a_user_are_deleted(stores: Stores) -> None:
    an_account(stores.table, BOB, with_password=False)
    shown = store_picture(BOB, BYTES, table=stores.table, blobs=stores.blobs).profile_picture
    stores.blobs.put(blob_keys.profile_picture("stray"), [BYTES])
    assert swept(stores, times.now() + HOUR / 2).orphans == 0
    assert swept(stores, LATER).orphans == 1
    assert stored_keys(stores.blobs) == [shown]


def test_stale_copies_of_months_are_deleted(memory: Stores) -> None:
    month = ScopeMonth(scope_of_owner(ANN), "2025-08")
    good, stale = (month_copy(month, version, keyring=memory.keyring) for version in (7, 6))
    pk, sk = keys.month_counter(*month)
    memory.table.write(Put({"PK": pk, "SK": sk, "count": 1, "version": 7}))
    for key in (good, stale):
        memory.blobs.put(key, [b"a month"])
    assert swept(memory, LATER).caches == 1
    assert stored_keys(memory.blobs) == [good]


def test_an_interrupted_deletion_is_finished(stores: Stores) -> None:
    gone = photo(stores)
    begin_deletion(gone, table=stores.table)
    assert swept(stores, NOW).deletions == 1
    assert traces_of(gone.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=ANN) == []


def test_only_crops_without_a_face_are_deleted(stores: Stores) -> None:
    crops = [crop_in(stores, photo(stores), place) for place in (0, 1, 0, 1)]
    stay = sorted(stored_keys(stores.blobs))
    strays = [
        blob_keys.face_thumb(ids.new_image_id()),
        f"{blob_keys.FACE_THUMBS}{blob_keys.upload(ids.new_image_id())}.jpg",
    ]
    for key in strays:
        stores.blobs.put(key, [BYTES])
    assert {*crops, *strays} <= {*stored_keys(stores.blobs)}
    assert swept(stores, LATER).orphans == len(strays)
    assert sorted(stored_keys(stores.blobs)) == stay


def test_a_crop_of_the_last_hour_is_kept(memory: Stores) -> None:
    crop, at = blob_keys.face_thumb(ids.new_image_id()), times.now()
    memory.blobs.put(crop, [BYTES])
    assert swept(memory, at + HOUR / 2).orphans == 0
    assert swept(memory, at + 2 * HOUR).orphans == 1
    assert stored_keys(memory.blobs) == []


def test_a_picture_of_a_person_stays_while_a_row_names_it(stores: Stores) -> None:
    mine, theirs, unnamed, odd = (f"persons/{each}.jpg" for each in ("person1", "anna", "person2", "a.b"))
    for key in (mine, theirs, unnamed, odd):
        stores.blobs.put(key, [BYTES])
    row = {"PK": "PERSON#anna", "SK": "anna", "entityType": "PERSON", "displayName": "Anna", "createdAt": 1754040302}
    stores.table.write(Put({**row, "s3Key": theirs}))
    stores.table.write(Put(to_item(a_person(1, picture_key=mine, picture_face_id=ids.new_image_id()))))
    stores.table.write(Put(to_item(a_person(2))))
    swept(stores, times.now() + HOUR / 2)
    assert stored_keys(stores.blobs) == sorted([mine, theirs, unnamed, odd]), "a row may follow"
    swept(stores, times.now() + 2 * HOUR)
    assert stored_keys(stores.blobs) == sorted([mine, theirs])


# -- Refusals


def test_nothing_is_swept_where_the_marker_file_of_the_blobs_is_missing(disk: Stores, tmp_path: Path) -> None:
    given_up, _ = reservation(disk, expires_at=NOW), orphans(disk, 1)
    before = everything(disk.table), stored_keys(disk.blobs)
    (tmp_path / "blobs" / MARKER).unlink()
    for sweeping in (swept, swept_hourly):
        with pytest.raises(Unavailable):
            sweeping(disk, LATER)
    assert (everything(disk.table), stored_keys(disk.blobs)) == before
    assert photo_in(disk.table, given_up) == given_up


def test_nothing_is_swept_where_another_disk_is_mounted(disk: Stores, tmp_path: Path) -> None:
    reservation(disk, expires_at=NOW)
    before = everything(disk.table)
    (tmp_path / "blobs").rename(tmp_path / "unmounted")
    with closing(FilesystemBlobs(tmp_path / "blobs", keyring=disk.keyring, base_url="")), pytest.raises(Unavailable):
        swept_hourly(disk, LATER)
    assert everything(disk.table) == before


def test_orphans_of_more_than_one_percent_are_kept_and_the_rest_is_swept(
    memory: Stores, caplog: pytest.LogCaptureFixture
) -> None:
    given_up = reservation(memory, expires_at=NOW)
    strays = orphans(memory, 11)
    result = swept(memory, LATER)
    assert (result.reservations, result.orphans) == (1, 11)
    assert str(result.refusal).startswith("11 of 11 blobs belong to no photo, more than 1 %")
    swept_hourly(memory, LATER)
    assert "11 of 11 blobs belong to no photo" in caplog.text
    assert sorted(stored_keys(memory.blobs)) == strays
    assert photo_in(memory.table, given_up) is None


def test_orphans_of_more_than_one_percent_are_deleted_with_force(memory: Stores) -> None:
    orphans(memory, 11)
    assert swept(memory, LATER, force=True).refusal is None
    assert stored_keys(memory.blobs) == []


def test_ten_orphans_are_deleted_however_few_blobs_there_are(memory: Stores) -> None:
    orphans(memory, 10)
    assert swept(memory, LATER).refusal is None
    assert stored_keys(memory.blobs) == []


def test_orphans_of_one_percent_are_deleted(memory: Stores) -> None:
    for _ in range(544):
        photo(memory)
    orphans(memory, 11)
    assert swept(memory, LATER).refusal is not None  # 11 of 1,099
    photo(memory)
    assert swept(memory, LATER).refusal is None  # 11 of 1,101


# -- Slices


@pytest.fixture
def slices_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hourly, "BLOBS_PER_SWEEP", 3)


@pytest.mark.usefixtures("slices_of_three")
def test_hourly_sweeps_continue_after_the_last_one_and_start_again_at_the_end(memory: Stores) -> None:
    strays = [*orphans(memory, 4), *(blob_keys.rendition(ids.new_image_id(), "thumb") for _ in range(4))]
    for key in strays[4:]:
        memory.blobs.put(key, [BYTES])
    lefts = []
    for _ in range(3):
        swept_hourly(memory, LATER)
        lefts.append(stored_keys(memory.blobs))
    assert lefts == [strays[3:], strays[6:], []]
    [fresh] = orphans(memory, 1)
    swept_hourly(memory, LATER)
    assert fresh not in stored_keys(memory.blobs)


@pytest.mark.usefixtures("slices_of_three")
def test_the_stored_resume_point_of_a_sweep_contains_no_photo_id(memory: Stores) -> None:
    owned = [photo(memory) for _ in range(5)]
    swept_hourly(memory, LATER)
    noted = memory.table.get(keys.job_state(hourly.JOB))
    assert noted is not None
    assert not any(one.image_id in str(noted) for one in owned)


@pytest.mark.usefixtures("slices_of_three")
def test_with_another_signing_key_a_sweep_starts_from_the_beginning(memory: Stores) -> None:
    orphans(memory, 4)
    swept_hourly(memory, LATER)
    early = blob_keys.original(ids.image_id_at(NOW - 99 * DAY), "jpg")
    memory.blobs.put(early, [BYTES])
    swept_hourly(replace(memory, keyring=Keyring("new", {"new": bytes(32)})), LATER)
    assert early not in stored_keys(memory.blobs)


# -- Looking only, and many at once


def test_a_preview_of_a_sweep_changes_nothing(disk: Stores) -> None:
    reservation(disk, expires_at=NOW)
    trashed(disk, at=NOW - 99 * DAY)
    photo(disk)
    orphans(disk, 12)
    before = everything(disk.table), stored_keys(disk.blobs)
    result = preview_sweep(LATER, table=disk.table, blobs=disk.blobs, keyring=disk.keyring, pipeline=PIPELINE)
    assert (result.reservations, result.trash, result.orphans, result.rows) == (1, 1, 12, None)
    assert result.refusal is not None
    assert (everything(disk.table), stored_keys(disk.blobs)) == before


def test_concurrent_sweeps_delete_all_orphans(disk: Stores) -> None:
    for _ in range(5):
        reservation(disk, expires_at=NOW)
        trashed(disk, at=NOW - timedelta(days=99))
    orphans(disk, 5)
    found = at_once(*[lambda: swept(disk, LATER)] * 3)
    assert [result.refusal for result in found] == [None] * 3
    assert stored_keys(disk.blobs) == []
    check_sum(disk.table, ANN)


class SweptAfterEachList(FilesystemBlobs):
    """Its photos go when they are listed and their rows are not yet asked for."""

    stores: Stores

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        page = super().list(prefix, limit=limit, after=after)
        if page.blobs:
            swept_hourly(self.stores, NOW)
        return page


def test_photos_deleted_during_the_scan_do_not_count_as_orphans(disk: Stores, tmp_path: Path) -> None:
    for _ in range(12):
        trashed(disk, at=NOW - 99 * DAY)
    strays = orphans(disk, 2)
    with closing(SweptAfterEachList(tmp_path / "blobs", keyring=disk.keyring, base_url="")) as blobs:
        blobs.stores = disk
        scan = find_orphans(table=disk.table, blobs=blobs, before=LATER)
    assert ([blob.key for blob in scan.orphans], scan.refusal) == (strays, None)

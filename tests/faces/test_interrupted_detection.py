"""Detections that are interrupted, or whose photo is deleted meanwhile, leave nothing behind."""

from dataclasses import replace
from typing import Any

import pytest

from sparks.journey import Stores
from sparks.library.people.face_assignment import found_person
from sparks.library.people.reconcile import reconcile_people
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.model.errors import Unavailable
from sparks.model.photo import Photo
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import everything, interrupted, stored_keys
from tests.faces.fake_engine import (
    ANNA,
    BERT,
    CARL,
    FailingBlobs,
    FakeEngine,
    checked_faces,
    crops,
    crops_of,
    faces_in,
    find,
    find_again,
    nothing,
    persons_of,
    photo_with_rendition,
    stores_with,
)
from tests.factories import NOON
from tests.library.tables import Meddled
from tests.upkeep.photo_makers import DAY, swept

# -- Deletions


def test_a_photo_that_is_deleted_during_a_detection_leaves_nothing(any_table: Table) -> None:
    stores = stores_with(None, any_table)
    photo = photo_with_rendition(stores)
    engine = FakeEngine([ANNA], meanwhile=lambda: delete_rows_and_blobs(photo, table=any_table, blobs=stores.blobs))
    assert find(photo, replace(stores, engine=engine)) is None
    assert (faces_in(photo, any_table), stored_keys(stores.blobs)) == ([], [])


@pytest.mark.parametrize("writes", range(3))
def test_a_photo_that_is_deleted_before_any_write_leaves_nothing(table: Table, writes: int) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(stores)
    gone = Meddled(table, *[nothing] * writes, lambda: delete_rows_and_blobs(photo, table=table, blobs=stores.blobs))
    assert find(photo, replace(stores, table=gone)) is None
    assert stored_keys(stores.blobs) == []
    assert [item for item in everything(table) if item["PK"] == photo.image_id] == []


# -- Interruptions


def other_faces(stores: Stores) -> Stores:
    """Another engine, which finds one face again, one that is new, and one no more."""
    return replace(stores, engine=FakeEngine([BERT, CARL], name="fake-2"))


def prepared(table: Table, **more: Any) -> tuple[Photo, Stores]:
    stores = stores_with(FakeEngine([ANNA, BERT]), table, **more)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    for face in faces_in(photo, table):
        found_person(face, at=NOON, table=table)
    reconcile_people(photo.image_id, photo.owner, min_photos=2, table=table)
    return photo, stores


def check_rows_have_crops(photo: Photo, stores: Stores) -> None:
    assert crops_of(faces_in(photo, stores.table)) <= crops(stores)


def check_outcome(photo: Photo, stores: Stores) -> None:
    faces = faces_in(photo, stores.table)
    assert [(face.box, face.engine) for face in faces] == [(BERT.box, "fake-2"), (CARL.box, "fake-2")]
    assert persons_of(faces) == ["person2", None]
    swept(stores, now() + DAY)
    checked_faces(photo, stores)


def ends_as_any_other(photo: Photo, stores: Stores, cut_off: Stores) -> bool:
    """Whether a search with these stores was cut off; the next one ends as any other."""
    cut = False
    try:
        find_again(photo, cut_off)
    except Unavailable:
        cut = True
    check_rows_have_crops(photo, stores)
    find_again(photo, other_faces(stores))
    check_outcome(photo, stores)
    return cut


def test_a_detection_that_is_interrupted_at_any_write_can_be_repeated() -> None:
    for after in range(20):
        table = MemoryTable()
        photo, stores = prepared(table)
        cut_off = replace(other_faces(stores), table=interrupted(table, after=after))
        if not ends_as_any_other(photo, stores, cut_off):
            return
    pytest.fail("it writes more often than expected")


def test_a_detection_that_is_interrupted_at_any_blob_can_be_repeated() -> None:
    for after in range(20):
        photo, stores = prepared(MemoryTable(), blobs=FailingBlobs(after=3 + after))
        if not ends_as_any_other(photo, stores, other_faces(stores)):
            return
    pytest.fail("it writes more often than expected")

"""Bytes that went straight to another store are hashed by the first job, and a late duplicate goes."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from sparks.journey import Stores
from sparks.library import keys
from sparks.library.photos import trash_photo
from sparks.library.records import changes
from sparks.media.studio import Studio
from sparks.model.events import PhotoChanged, PhotoDeleting, RenditionsReady
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import Table
from tests.journey.trip import open_memory
from tests.library.tables import limit_row, new_account
from tests.media.build import gradient, saved
from tests.upload.trips import Meanwhile, arrive, make, now_of

PICTURE = saved(gradient(64, 48), "JPEG")
SHA256, SHA1 = hashlib.sha256(PICTURE).hexdigest(), hashlib.sha1(PICTURE, usedforsecurity=False).hexdigest()


@pytest.fixture
def stores(any_table: Table) -> Stores:
    return replace(open_memory(), table=any_table)


@pytest.fixture
def owner(stores: Stores) -> str:
    return new_account(stores.table, photos=10, bytes=10**6)


def arrive_unhashed(stores: Stores, owner: str, **changes: Any) -> Photo:
    return arrive(PICTURE, stores, owner=owner, sha256=None, **changes)


def test_bytes_that_nobody_has_hashed_are_hashed_by_the_first_job(stores: Stores, owner: str, studio: Studio) -> None:
    photo = arrive_unhashed(stores, owner)

    assert make(photo, stores, studio) == [RenditionsReady(photo.image_id, owner)]

    made = now_of(photo, stores.table)
    assert (made.sha256, made.sha1) == (SHA256, SHA1)
    for digest in (SHA256, SHA1):
        row = stores.table.get(keys.same_bytes(owner, digest))
        assert row is not None
        assert row["imageId"] == photo.image_id


def test_a_late_duplicate_is_given_back_and_deleted(stores: Stores, owner: str, studio: Studio) -> None:
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, studio)
    before = limit_row(stores.table, owner)["limit"]

    assert make(second, stores, studio) == [PhotoDeleting(second.image_id, owner)]

    assert now_of(second, stores.table).state is PhotoState.DELETING
    assert now_of(first, stores.table).state is PhotoState.READY
    assert limit_row(stores.table, owner)["limit"] == before + 1
    row = stores.table.get(keys.same_bytes(owner, SHA256))
    assert row is not None
    assert row["imageId"] == first.image_id


def test_a_photo_that_was_finished_long_ago_is_nobodys_late_duplicate(
    stores: Stores, owner: str, studio: Studio
) -> None:
    """One from elsewhere has no hashes: another size of it is made, and it stays."""
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, studio)
    finished: Any = {"state": PhotoState.READY, "processing_status": ProcessingStatus.COMPLETED}
    stores.table.write(changes(second, replace(second, **finished)))

    assert make(second, stores, studio) == [RenditionsReady(second.image_id, owner)]

    assert now_of(second, stores.table).state is PhotoState.READY


def test_a_late_duplicate_takes_the_other_out_of_the_trash(stores: Stores, owner: str, studio: Studio) -> None:
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, studio)
    trash_photo(now_of(first, stores.table), at=now(), table=stores.table)

    assert make(second, stores, studio) == [PhotoDeleting(second.image_id, owner), PhotoChanged(first.image_id, owner)]

    assert now_of(first, stores.table).state is PhotoState.READY


def test_two_jobs_of_one_photo_hash_it_once(stores: Stores, owner: str, studio: Studio) -> None:
    photo = arrive_unhashed(stores, owner)

    assert make(photo, stores, Meanwhile(studio, lambda: make(photo, stores, studio))) == [
        RenditionsReady(photo.image_id, owner)
    ]

    assert now_of(photo, stores.table).sha256 == SHA256

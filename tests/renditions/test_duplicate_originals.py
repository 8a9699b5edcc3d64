"""Originals in a remote store are hashed by the first job, which deletes a late duplicate."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from sparks.journey import Stores
from sparks.library import keys
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.records import changes
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.events import PhotoChanged, PhotoDeletionBegun, RenditionsReady
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import Table
from tests.journey.sample_steps import open_memory
from tests.library.tables import limit_row, new_account
from tests.media.container_builders import gradient, saved
from tests.uploads.pending_photos import ActingRenderer, arrive, make, now_of

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


def test_an_original_without_hashes_is_hashed_by_the_first_job(
    stores: Stores, owner: str, renderer: SandboxedRenderer
) -> None:
    photo = arrive_unhashed(stores, owner)

    assert make(photo, stores, renderer) == [RenditionsReady(photo.image_id, owner)]

    made = now_of(photo, stores.table)
    assert (made.sha256, made.sha1) == (SHA256, SHA1)
    for digest in (SHA256, SHA1):
        row = stores.table.get(keys.content_digest(owner, digest))
        assert row is not None
        assert row["imageId"] == photo.image_id


def test_a_late_duplicate_is_returned_to_the_limit_and_deleted(
    stores: Stores, owner: str, renderer: SandboxedRenderer
) -> None:
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, renderer)
    before = limit_row(stores.table, owner)["limit"]

    assert make(second, stores, renderer) == [PhotoDeletionBegun(second.image_id, owner)]

    assert now_of(second, stores.table).state is PhotoState.DELETING
    assert now_of(first, stores.table).state is PhotoState.READY
    assert limit_row(stores.table, owner)["limit"] == before + 1
    row = stores.table.get(keys.content_digest(owner, SHA256))
    assert row is not None
    assert row["imageId"] == first.image_id


def test_a_photo_finished_without_hashes_is_not_a_late_duplicate(
    stores: Stores, owner: str, renderer: SandboxedRenderer
) -> None:
    """One from elsewhere has no hashes: another size of it is made, and it stays."""
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, renderer)
    finished: Any = {"state": PhotoState.READY, "processing_status": ProcessingStatus.COMPLETED}
    stores.table.write(changes(second, replace(second, **finished)))

    assert make(second, stores, renderer) == [RenditionsReady(second.image_id, owner)]

    assert now_of(second, stores.table).state is PhotoState.READY


def test_a_late_duplicate_restores_the_existing_photo_from_the_trash(
    stores: Stores, owner: str, renderer: SandboxedRenderer
) -> None:
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, renderer)
    trash_photo(now_of(first, stores.table), at=now(), table=stores.table)

    assert make(second, stores, renderer) == [
        PhotoDeletionBegun(second.image_id, owner),
        PhotoChanged(first.image_id, owner),
    ]

    assert now_of(first, stores.table).state is PhotoState.READY


def test_two_jobs_of_one_photo_record_its_hash_once(stores: Stores, owner: str, renderer: SandboxedRenderer) -> None:
    photo = arrive_unhashed(stores, owner)

    assert make(photo, stores, ActingRenderer(renderer, lambda: make(photo, stores, renderer))) == [
        RenditionsReady(photo.image_id, owner)
    ]

    assert now_of(photo, stores.table).sha256 == SHA256


def test_a_migrated_photo_stays_beside_another_one_of_the_same_bytes(
    stores: Stores, owner: str, renderer: SandboxedRenderer
) -> None:
    first, second = arrive_unhashed(stores, owner), arrive_unhashed(stores, owner)
    make(first, stores, renderer)
    stores.table.write(changes(second, replace(second, source_id="old")))

    assert make(second, stores, renderer) == [RenditionsReady(second.image_id, owner)]

    assert now_of(second, stores.table).state is PhotoState.READY

"""Blobs of months: their keys, and their deletion."""

from datetime import UTC, datetime

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys, keys
from sparks.library.photos.edit_and_trash import edit_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.timeline_blobs import (
    ScopeMonth,
    drop_month,
    drop_months,
    drop_scope,
    drop_stale,
    month_copy,
    months_from_row,
    months_of,
    ratios_copy,
    stale_copies,
)
from sparks.model.ids import lowest_id_at
from sparks.model.keyring import Keyring
from sparks.model.photo import Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.table.port import Table
from tests.account_makers import an_account
from tests.factories import ANN, BOB, a_photo
from tests.library.photos.photo_makers import LATER, settled

MINE, BOBS = scope_of_owner(ANN), scope_of_owner(BOB)
OLD, NEW = b"o" * 32, b"n" * 32
RING = Keyring("old", {"old": OLD})
JULY = datetime(2024, 7, 1, tzinfo=UTC)


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


def keep_copy(blobs: MemoryBlobs, month: ScopeMonth, version: int = 1, *, ring: Keyring = RING) -> str:
    key = month_copy(month, version, keyring=ring)
    blobs.put(key, [b"{}"])
    return key


def kept(blobs: MemoryBlobs) -> set[str]:
    return {blob.key for blob in blobs.list(blob_keys.DERIVED).blobs}


def version_of(scope: Scope, month: str, table: Table) -> int:
    item = table.get(keys.month_counter(scope, month))
    assert item is not None
    return int(item["version"])


# -- Dropping


def test_all_versions_of_a_month_go_and_no_other_month(blobs: MemoryBlobs) -> None:
    for version in (1, 2, 30):
        keep_copy(blobs, ScopeMonth(MINE, "2025-08"), version)
    others = {
        keep_copy(blobs, month)
        for month in (ScopeMonth(MINE, "2025-09"), ScopeMonth(BOBS, "2025-08"), ScopeMonth(COMMUNITY, "2025-08"))
    }
    drop_month(MINE, "2025-08", blobs=blobs, keyring=RING)
    assert kept(blobs) == others
    drop_month(MINE, "2025-08", blobs=blobs, keyring=RING)
    assert kept(blobs) == others


def test_a_copy_made_with_a_former_secret_is_dropped_too(blobs: MemoryBlobs) -> None:
    keep_copy(blobs, ScopeMonth(MINE, "2025-08"))
    rotated = Keyring("new", {"old": OLD, "new": NEW})
    keep_copy(blobs, ScopeMonth(MINE, "2025-08"), ring=rotated)
    assert len(kept(blobs)) == 2
    drop_month(MINE, "2025-08", blobs=blobs, keyring=rotated)
    assert kept(blobs) == set()


def test_all_months_of_a_scope_go_with_its_strip(blobs: MemoryBlobs) -> None:
    for month in ("2025-08", "2024-07"):
        keep_copy(blobs, ScopeMonth(MINE, month))
    blobs.put(ratios_copy(MINE, keyring=RING), [b""])
    other = keep_copy(blobs, ScopeMonth(BOBS, "2025-08"))
    drop_scope(MINE, blobs=blobs, keyring=RING)
    assert kept(blobs) == {other}


# -- The months of a photo


def test_the_months_of_a_photo_are_those_that_lead_to_it(table: Table) -> None:
    photo = settled(table)
    assert months_of(photo.image_id, table=table) == {ScopeMonth(MINE, "2025-08"), ScopeMonth(COMMUNITY, "2025-08")}
    assert months_of(photo.image_id, table=table) == months_from_row(photo)
    private = settled(table, visibility=Visibility.PRIVATE)
    assert months_of(private.image_id, table=table) == {ScopeMonth(MINE, "2025-08")}
    assert months_of(a_photo().image_id, table=table) == frozenset()


def test_a_photo_without_an_upload_time_is_in_the_month_of_its_id() -> None:
    photo = a_photo(uploaded_at=None, image_id=lowest_id_at(datetime(1970, 1, 2, tzinfo=UTC)))
    assert {each.month for each in months_from_row(photo)} == {"1970-01"}


def test_before_reconciling_the_months_of_a_photo_are_the_former_ones(table: Table, blobs: MemoryBlobs) -> None:
    photo = settled(table)
    stale = keep_copy(blobs, ScopeMonth(MINE, "2025-08"), version_of(MINE, "2025-08", table))
    edit_photo(photo, PhotoEdit(taken_at=JULY), version=photo.version, at=LATER, table=table)
    months = months_of(photo.image_id, table=table)
    reconcile_links(photo.image_id, photo.owner, table=table)
    assert months == {ScopeMonth(MINE, "2025-08"), ScopeMonth(COMMUNITY, "2025-08")}
    drop_months(months, blobs=blobs, keyring=RING)
    assert stale not in kept(blobs)


# -- Blobs that are not needed any more


def test_a_copy_of_a_month_as_it_is_now_is_not_stale(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    settled(table)
    for scope in (MINE, COMMUNITY):
        keep_copy(blobs, ScopeMonth(scope, "2025-08"), version_of(scope, "2025-08", table))
        blobs.put(ratios_copy(scope, keyring=RING), [b""])
    assert drop_stale(table=table, blobs=blobs, keyring=RING) == 0
    assert len(kept(blobs)) == 4


def test_stale_are_former_versions_empty_months_unknown_scopes_and_lost_secrets(
    table: Table, blobs: MemoryBlobs
) -> None:
    an_account(table)
    settled(table)
    good = keep_copy(blobs, ScopeMonth(MINE, "2025-08"), version_of(MINE, "2025-08", table))
    stale = {
        keep_copy(blobs, ScopeMonth(MINE, "2025-08"), 1),
        keep_copy(blobs, ScopeMonth(MINE, "2024-07")),
        keep_copy(blobs, ScopeMonth(BOBS, "2025-08")),
        keep_copy(blobs, ScopeMonth(MINE, "2025-08"), ring=Keyring("lost", {"lost": b"l" * 32})),
    }
    assert set(stale_copies(table=table, blobs=blobs, keyring=RING)) == stale
    assert drop_stale(table=table, blobs=blobs, keyring=RING) == 4
    assert kept(blobs) == {good}


def test_the_strip_of_a_scope_without_photos_is_stale(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    blobs.put(ratios_copy(MINE, keyring=RING), [b""])
    assert drop_stale(table=table, blobs=blobs, keyring=RING) == 1


def test_blobs_of_other_kinds_stay(table: Table, blobs: MemoryBlobs) -> None:
    blobs.put("derived/elsewhere/copy", [b""])
    assert drop_stale(table=table, blobs=blobs, keyring=RING) == 0

"""Concurrent changes of one photo: one wins, none is half made, and the counters are right at the end."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.processing_state import finish_processing
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import Conflict, NotFound, VersionMismatch
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.table.port import Table
from tests.account_makers import at_once
from tests.library.photos.photo_lists import check_settled, counts_in
from tests.library.photos.photo_makers import LATER, MADE, kept, pending, settled
from tests.library.tables import confirmed, new_account
from tests.stored_traces import traces_of

EDITORS = 6
NOBODY: frozenset[str] = frozenset()  # persons that change when a photo without faces is erased

in_ci = pytest.mark.parametrize("seed", range(3))


@pytest.fixture(params=["sqlite", "dynamodb"])
def shared(request: pytest.FixtureRequest) -> Table:
    """A table that takes many at once."""
    table: Table = request.getfixturevalue(request.param)
    return table


@pytest.fixture
def owner(shared: Table) -> str:
    return new_account(shared, photos=10, bytes=10_000)


def settle(photo: Photo, table: Table) -> None:
    reconcile_links(photo.image_id, photo.owner, table=table)


def months_of(owner: str, table: Table) -> dict[str, int]:
    return {month: count for (pk, month), count in counts_in(table).items() if pk == f"TIMELINE#{owner}"}


def test_one_of_many_concurrent_edits_of_a_version_succeeds(shared: Table, owner: str) -> None:
    photo = kept(shared, owner=owner)
    for version in range(1, 5):
        calls = [
            partial(edit_photo, photo, PhotoEdit(title=f"{editor}"), version=version, at=LATER, table=shared)
            for editor in range(EDITORS)
        ]
        answers = at_once(*calls)
        [photo] = [answer for answer in answers if isinstance(answer, Photo)]
        mismatches = [answer for answer in answers if isinstance(answer, VersionMismatch)]
        assert [mismatch.current_version for mismatch in mismatches] == [version + 1] * (EDITORS - 1)
        assert find_photo(photo.image_id, table=shared) == photo


def test_concurrent_reconciles_count_a_photo_once(shared: Table, owner: str) -> None:
    photo = kept(shared, owner=owner, tags=("a", "b", "c"))
    assert at_once(*[partial(settle, photo, shared)] * 5) == [None] * 5
    check_settled(shared, owner)
    trash_photo(photo, at=LATER, table=shared)
    assert at_once(*[partial(settle, photo, shared)] * 5) == [None] * 5
    check_settled(shared, owner)


def test_concurrent_photos_of_one_month_are_counted_and_uncounted(shared: Table, owner: str) -> None:
    photos = [kept(shared, owner=owner, tags=("sea",)) for _ in range(8)]
    assert at_once(*[partial(settle, photo, shared) for photo in photos]) == [None] * 8
    assert months_of(owner, shared) == {"2025-08": 8}

    def remove(photo: Photo) -> None:
        settle(trash_photo(photo, at=LATER, table=shared), shared)

    assert at_once(*[partial(remove, photo) for photo in photos]) == [None] * 8
    assert months_of(owner, shared) == {}
    check_settled(shared, owner)


def change_and_settle(photo: Photo, table: Table, rng: Random) -> None:
    """As the journey does: every change is followed by a settling of its own, sooner or later."""
    now = find_photo(photo.image_id, table=table)
    assert now is not None
    edits = [
        PhotoEdit(tags=tuple(rng.sample(["a", "b", "c", "d"], 2))),
        PhotoEdit(taken_at=datetime(2020 + rng.randrange(3), 1, 1, tzinfo=UTC)),
        PhotoEdit(visibility=rng.choice(list(Visibility))),
    ]
    changes: list[Callable[[], Any]] = [
        lambda: edit_photo(now, rng.choice(edits), version=now.version, at=LATER, table=table),
        lambda: trash_photo(now, at=LATER, table=table),
        lambda: restore_photo(now, at=LATER, table=table),
    ]
    try:
        rng.choice(changes)()
    except VersionMismatch:
        return
    settle(photo, table)


def race_of_changes(table: Table, owner: str, seed: int) -> None:
    rng = Random(seed)
    photo = settled(table, owner=owner, tags=("a",))

    def keep_changing(own: Random) -> None:
        for _ in range(4):
            change_and_settle(photo, table, own)

    answers = at_once(*[partial(keep_changing, Random(rng.random())) for _ in range(4)])
    assert answers == [None] * 4
    check_settled(table, owner)


@in_ci
def test_the_last_reconcile_leaves_what_the_photo_says(shared: Table, owner: str, seed: int) -> None:
    race_of_changes(shared, owner, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 100))
def test_the_last_reconcile_leaves_what_the_photo_says_in_many_runs(shared: Table, owner: str, seed: int) -> None:
    race_of_changes(shared, owner, seed)


# -- Deletion


def race_of_deletion(table: Table, owner: str, blobs: MemoryBlobs) -> None:
    """The photo is settled, edited and marked while it is deleted, twice."""
    photo = settled(table, owner=owner, tags=("a", "b"), file_size=100)
    erase = partial(delete_rows_and_blobs, photo, table=table, blobs=blobs)
    edit = PhotoEdit(tags=("c",), visibility=Visibility.PRIVATE)
    answers = at_once(
        erase,
        erase,
        partial(settle, photo, table),
        partial(edit_photo, photo, edit, version=1, at=LATER, table=table),
        partial(settle, photo, table),
    )
    assert answers[:3] == [NOBODY, NOBODY, None]
    assert isinstance(answers[3], Photo | NotFound)
    assert answers[4] is None
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []
    assert months_of(owner, table) == {}
    check_settled(table, owner)


def test_a_photo_that_is_deleted_while_it_is_reconciled_leaves_no_trace(shared: Table, owner: str) -> None:
    for _ in range(5):
        race_of_deletion(shared, owner, MemoryBlobs())


@pytest.mark.long
def test_a_photo_that_is_deleted_while_it_is_reconciled_leaves_no_trace_in_many_runs(shared: Table, owner: str) -> None:
    for _ in range(100):
        race_of_deletion(shared, owner, MemoryBlobs())


def render(photo: Photo, table: Table, blobs: MemoryBlobs) -> str:
    """As a step does it: blob before row, and what was made goes where the photo is gone."""
    made = {size: blob_keys.rendition(photo.image_id, size) for size in ("large", "wall")}
    for key in made.values():
        blobs.put(key, [b"webp"])
    try:
        finish_processing(photo, replace(MADE, renditions=made), at=LATER, table=table)
    except NotFound:
        for key in made.values():
            blobs.delete(key)
        return "removed what it made"
    settle(photo, table)
    return "finished"


def test_a_photo_that_is_deleted_while_it_is_processed_leaves_no_trace(shared: Table, owner: str) -> None:
    for _ in range(5):
        blobs, photo = MemoryBlobs(), confirmed(shared, owner)
        erase = partial(delete_rows_and_blobs, photo, table=shared, blobs=blobs)
        answers = at_once(partial(render, photo, shared, blobs), erase, partial(render, photo, shared, blobs))
        assert answers[1] == NOBODY
        assert traces_of(photo.image_id, table=shared, blobs=blobs) == []
        check_settled(shared, owner)
    assert read_limit(owner, table=shared).photos_left == 10


def test_a_photo_that_is_trashed_while_it_is_finished_stays_in_the_trash(shared: Table, owner: str) -> None:
    for _ in range(5):
        photo = pending(shared, owner=owner)
        answers = at_once(
            partial(finish_processing, photo, MADE, at=LATER, table=shared),
            partial(trash_photo, photo, at=LATER, table=shared),
        )
        assert all(isinstance(answer, Photo) for answer in answers)
        now = find_photo(photo.image_id, table=shared)
        assert now is not None
        assert (now.state, now.thumbhash, now.version) == (PhotoState.TRASHED, MADE.thumbhash, 2)


def test_a_photo_is_restored_or_deleted_and_never_both(shared: Table, owner: str) -> None:
    for _ in range(5):
        blobs, photo = MemoryBlobs(), confirmed(shared, owner)
        trashed = trash_photo(photo, at=LATER, table=shared)
        erased, restored = at_once(
            partial(delete_rows_and_blobs, trashed, table=shared, blobs=blobs),
            partial(restore_photo, trashed, at=LATER, table=shared),
        )
        if isinstance(restored, Photo):
            assert isinstance(erased, Conflict)
            assert find_photo(photo.image_id, table=shared) == restored
            delete_rows_and_blobs(restored, table=shared, blobs=blobs)
        else:
            assert (erased, type(restored)) == (NOBODY, NotFound)
        assert traces_of(photo.image_id, table=shared, blobs=blobs) == []
    assert read_limit(owner, table=shared).photos_left == 10

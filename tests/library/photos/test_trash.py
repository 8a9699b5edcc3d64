"""The trash: hidden and restored, in the state that the pipeline has reached meanwhile."""

from dataclasses import replace
from typing import Any

import pytest

from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.processing_state import fail_processing, finish_processing, retry_processing
from sparks.library.records import key_of, to_item
from sparks.model.errors import Conflict, NotFound
from sparks.model.photo import PhotoState, ProcessingStatus, Visibility
from sparks.table.port import Put, Table
from tests.factories import ANN, NOON, a_photo
from tests.library.photos.photo_makers import LATER, MADE, kept

STATES = {
    PhotoState.PENDING: ProcessingStatus.PROCESSING,
    PhotoState.READY: ProcessingStatus.COMPLETED,
    PhotoState.FAILED: ProcessingStatus.FAILED,
}


@pytest.mark.parametrize("state", STATES)
def test_a_trashed_photo_is_restored_as_it_was(any_table: Table, state: PhotoState) -> None:
    photo = kept(any_table, state=state, processing_status=STATES[state])
    trashed = trash_photo(photo, at=NOON, table=any_table)
    assert (trashed.state, trashed.trashed_at, trashed.version) == (PhotoState.TRASHED, NOON, 2)
    item = any_table.get(key_of(photo))
    assert item is not None
    assert item["entityType"] == f"IMAGE_TRASHED#{ANN}"
    assert "uploadedBy" not in item
    restored = restore_photo(trashed, at=LATER, table=any_table)
    assert restored == replace(photo, version=3, updated_at=LATER, last_modified=LATER)
    assert find_photo(photo.image_id, table=any_table) == restored


def test_a_repeat_is_harmless(table: Table) -> None:
    photo = kept(table)
    trashed = trash_photo(photo, at=NOON, table=table)
    assert trash_photo(photo, at=LATER, table=table) == trashed
    assert trash_photo(trashed, at=LATER, table=table) == trashed
    restored = restore_photo(trashed, at=LATER, table=table)
    assert restore_photo(trashed, at=LATER, table=table) == restored
    assert restore_photo(restored, at=LATER, table=table) == restored


def test_a_private_photo_is_restored_as_a_private_one(table: Table) -> None:
    photo = kept(table)
    trashed = trash_photo(photo, at=NOON, table=table)
    hidden = edit_photo(trashed, PhotoEdit(visibility=Visibility.PRIVATE), version=2, at=NOON, table=table)
    assert restore_photo(trashed, at=LATER, table=table).visibility is Visibility.PRIVATE
    item = table.get(key_of(hidden))
    assert item is not None
    assert item["entityType"] == "IMAGE_PRIVATE"


def test_a_photo_that_is_finished_in_the_trash_stays_there_and_is_ready_when_it_is_restored(any_table: Table) -> None:
    photo = kept(any_table, state=PhotoState.PENDING, processing_status=ProcessingStatus.PROCESSING)
    trash_photo(photo, at=NOON, table=any_table)
    finished = finish_processing(photo, MADE, at=LATER, table=any_table)
    assert (finished.state, finished.version) == (PhotoState.TRASHED, 2)
    assert restore_photo(finished, at=LATER, table=any_table).state is PhotoState.READY


def test_a_photo_that_fails_in_the_trash_stays_there_and_can_be_tried_again_when_it_is_restored(table: Table) -> None:
    photo = kept(table, state=PhotoState.PENDING, processing_status=ProcessingStatus.PROCESSING)
    trashed = trash_photo(photo, at=NOON, table=table)
    failed = fail_processing(photo, "broken", at=LATER, table=table)
    assert failed.state is PhotoState.TRASHED
    with pytest.raises(Conflict, match="only a failed photo"):
        retry_processing(failed, at=LATER, table=table)
    restored = restore_photo(trashed, at=LATER, table=table)
    assert (restored.state, restored.processing_error) == (PhotoState.FAILED, "broken")


def test_an_imported_finished_photo_needs_no_processing_status(table: Table) -> None:
    photo = a_photo()
    item = to_item(photo)
    del item["processingStatus"]
    table.write(Put(item))
    seen = find_photo(photo.image_id, table=table)
    assert seen is not None
    trashed = trash_photo(seen, at=NOON, table=table)
    assert restore_photo(trashed, at=LATER, table=table).state is PhotoState.READY


def test_bytes_on_their_way_are_not_trashed(table: Table) -> None:
    photo = kept(table, state=PhotoState.RESERVED)
    with pytest.raises(Conflict, match="cancel the upload"):
        trash_photo(photo, at=NOON, table=table)
    assert restore_photo(photo, at=NOON, table=table) == photo


@pytest.mark.parametrize("state", [PhotoState.READY, PhotoState.TRASHED])
def test_a_photo_that_is_being_deleted_is_neither_trashed_nor_restored(table: Table, state: PhotoState) -> None:
    photo = kept(table, state=state)
    begin_deletion(photo, table=table)
    with pytest.raises(NotFound):
        (trash_photo if state is PhotoState.READY else restore_photo)(photo, at=LATER, table=table)


@pytest.mark.parametrize("move", [trash_photo, restore_photo])
def test_trashing_a_deleted_or_expired_photo_is_not_found(table: Table, move: Any) -> None:
    trash = PhotoState.TRASHED if move is restore_photo else PhotoState.READY
    with pytest.raises(NotFound):
        move(a_photo(state=trash), at=NOON, table=table)
    with pytest.raises(NotFound):
        move(kept(table, state=trash, expires_at=NOON), at=NOON, table=table)

"""The writes of the pipeline: values that people set stay, and deleted photos do not come back."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from sparks.library import blob_keys
from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import edit_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.processing_state import (
    add_rendition,
    begin_processing,
    fail_processing,
    finish_processing,
    retry_processing,
)
from sparks.library.records import key_of
from sparks.model.errors import Conflict, NotFound
from sparks.model.photo import EmbeddedMetadata, Exif, Location, PhotoState, ProcessingStatus, Renditions, Visibility
from sparks.table.port import Delete, Table
from tests.factories import NOON
from tests.library.photos.photo_makers import IMAGE_ID, KEYS, LATER, MADE, pending
from tests.library.tables import Meddled

TOLD = EmbeddedMetadata(
    title="from the file",
    description="said the camera",
    keywords=("Sea", "x" * 51),
    taken_at=NOON,
    taken_offset="+02:00",
    exif=Exif(camera="Canon EOS 5D"),
    location=Location(latitude=1.5, longitude=2.5),
)
PIPELINE = [
    lambda photo, table: begin_processing(photo, at=LATER, table=table),
    lambda photo, table: finish_processing(photo, MADE, at=LATER, table=table),
    lambda photo, table: fail_processing(photo, "broken", at=LATER, table=table),
]


def test_a_photo_is_begun_with_and_finished(any_table: Table) -> None:
    photo = pending(any_table)
    begun = begin_processing(photo, at=NOON, table=any_table)
    assert begun == replace(photo, processing_status=ProcessingStatus.PROCESSING, last_modified=NOON)
    finished = finish_processing(photo, MADE, at=LATER, table=any_table)
    assert finished == replace(
        photo,
        state=PhotoState.READY,
        processing_status=ProcessingStatus.COMPLETED,
        renditions=Renditions(KEYS, LATER),
        sizes=("ORIGINAL", "LARGE", "MEDIUM", "THUMB"),
        processed_size=300,
        rendition_format="webp",
        rendition_quality=80,
        width=400,
        height=300,
        aspect_ratio=400 / 300,
        thumbhash=b"hash",
        last_modified=LATER,
    )
    assert find_photo(photo.image_id, table=any_table) == finished


def test_the_metadata_of_the_file_fills_the_gaps(table: Table) -> None:
    finished = finish_processing(pending(table), replace(MADE, metadata=TOLD), at=LATER, table=table)
    assert (finished.title, finished.description, finished.tags) == ("from the file", "said the camera", ("Sea",))
    assert (finished.taken_at, finished.taken_offset) == (NOON, "+02:00")
    assert (finished.exif, finished.location) == (TOLD.exif, TOLD.location)


def test_values_that_people_set_stay(table: Table) -> None:
    said: dict[str, Any] = {"title": "mine", "description": "my words", "tags": ("mine",), "taken_at": LATER}
    finished = finish_processing(pending(table, **said), replace(MADE, metadata=TOLD), at=LATER, table=table)
    assert {name: getattr(finished, name) for name in said} == said
    assert finished.taken_offset is None  # the file's belongs to the file's time


def test_a_migrated_photo_keeps_the_texts_of_the_service_that_it_came_from(table: Table) -> None:
    photo = pending(table, source_id="old", title=None, description="", tags=())
    finished = finish_processing(photo, replace(MADE, metadata=TOLD), at=LATER, table=table)
    assert (finished.title, finished.description, finished.tags) == (None, "", ())
    assert (finished.taken_at, finished.exif) == (NOON, TOLD.exif)


def test_values_that_people_set_while_processing_ends_stay(table: Table) -> None:
    photo = pending(table)
    edit = PhotoEdit(title="mine", visibility=Visibility.PRIVATE)
    meddled = Meddled(table, lambda: edit_photo(photo, edit, version=1, at=NOON, table=table))
    finished = finish_processing(photo, replace(MADE, metadata=TOLD), at=LATER, table=meddled)
    assert (finished.title, finished.visibility, finished.version) == ("mine", Visibility.PRIVATE, 2)
    item = table.get(key_of(photo))
    assert item is not None
    assert item["entityType"] == "IMAGE_PRIVATE"


def test_a_cleared_value_stays_cleared_when_renditions_are_made_again(table: Table) -> None:
    finished = finish_processing(pending(table), replace(MADE, metadata=TOLD), at=LATER, table=table)
    cleared = edit_photo(finished, PhotoEdit(title=None, tags=()), version=1, at=LATER, table=table)
    again = finish_processing(cleared, replace(MADE, metadata=TOLD), at=LATER, table=table)
    assert (again.title, again.tags, again.state) == (None, (), PhotoState.READY)


def test_a_later_rendition_is_added_to_the_others(table: Table) -> None:
    finished = finish_processing(pending(table), MADE, at=NOON, table=table)
    wall = {"wall": blob_keys.rendition(IMAGE_ID, "wall")}
    more = finish_processing(finished, replace(MADE, renditions=wall, processed_size=900), at=LATER, table=table)
    assert more.renditions == Renditions(KEYS | wall, LATER)
    assert more.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "WALL")
    assert more.processed_size == 900


def test_renditions_of_two_concurrent_runs_are_all_recorded(table: Table) -> None:
    finished = finish_processing(pending(table), MADE, at=NOON, table=table)
    wall, tiny = ({size: blob_keys.rendition(IMAGE_ID, size)} for size in ("wall", "tiny"))
    other = partial(finish_processing, finished, replace(MADE, renditions=tiny), at=LATER, table=table)
    both = finish_processing(finished, replace(MADE, renditions=wall), at=LATER, table=Meddled(table, other))
    assert both.renditions == Renditions(KEYS | wall | tiny, LATER)


def test_the_pipeline_never_moves_the_version(table: Table) -> None:
    photo = pending(table, version=7)
    begin_processing(photo, at=NOON, table=table)
    failed = fail_processing(photo, "broken", at=NOON, table=table)
    retry_processing(failed, at=NOON, table=table)
    assert finish_processing(photo, MADE, at=LATER, table=table).version == 7


def test_a_failed_photo_holds_the_reason_and_only_a_retry_begins_again(any_table: Table) -> None:
    photo = pending(any_table)
    failed = fail_processing(photo, "x" * 2000, at=NOON, table=any_table)
    assert (failed.state, failed.processing_status) == (PhotoState.FAILED, ProcessingStatus.FAILED)
    assert failed.processing_error == "x" * 1000
    assert begin_processing(photo, at=LATER, table=any_table) == failed
    retried = retry_processing(failed, at=LATER, table=any_table)
    assert retried == replace(photo, last_modified=LATER)
    assert retry_processing(failed, at=LATER, table=any_table) == retried
    assert begin_processing(retried, at=LATER, table=any_table).processing_status is ProcessingStatus.PROCESSING


def test_a_late_failure_does_not_hide_a_photo_that_another_run_finished(table: Table) -> None:
    photo = pending(table)
    finished = finish_processing(photo, MADE, at=NOON, table=table)
    assert fail_processing(photo, "late", at=LATER, table=table) == finished
    assert begin_processing(photo, at=LATER, table=table) == finished


def test_a_late_success_beats_a_failure(table: Table) -> None:
    photo = pending(table)
    fail_processing(photo, "out of memory", at=NOON, table=table)
    finished = finish_processing(photo, MADE, at=LATER, table=table)
    assert (finished.state, finished.processing_error) == (PhotoState.READY, None)


def test_only_a_failed_photo_can_be_retried(table: Table) -> None:
    finished = finish_processing(pending(table), MADE, at=NOON, table=table)
    with pytest.raises(Conflict, match="only a failed photo"):
        retry_processing(finished, at=LATER, table=table)


@pytest.mark.parametrize("write", PIPELINE)
def test_nothing_is_made_of_bytes_that_have_not_arrived(table: Table, write: Any) -> None:
    with pytest.raises(Conflict, match="has not been uploaded completely"):
        write(pending(table, state=PhotoState.RESERVED), table)


@pytest.mark.parametrize("write", PIPELINE)
def test_processing_a_deleted_photo_is_not_found_so_that_its_renditions_are_removed(
    any_table: Table, write: Any
) -> None:
    photo = pending(any_table)
    with pytest.raises(NotFound):
        write(photo, Meddled(any_table, lambda: begin_deletion(photo, table=any_table)))
    any_table.write(Delete(key_of(photo)))
    with pytest.raises(NotFound):
        write(photo, any_table)
    assert any_table.get(key_of(photo)) is None


@pytest.mark.parametrize("write", PIPELINE)
def test_a_photo_that_is_trashed_this_moment_does_not_come_back(table: Table, write: Any) -> None:
    photo = pending(table)
    write(photo, Meddled(table, lambda: trash_photo(photo, at=NOON, table=table)))
    now = find_photo(photo.image_id, table=table)
    assert now is not None
    assert now.state is PhotoState.TRASHED


def test_one_more_rendition_is_added_to_those_that_are_there_and_a_repeat_adds_nothing(any_table: Table) -> None:
    photo = finish_processing(pending(any_table, image_id=IMAGE_ID), MADE, at=NOON, table=any_table)
    key = blob_keys.video(IMAGE_ID)
    filmed = add_rendition(photo, "video", key, 1000, at=LATER, table=any_table)
    assert filmed.renditions == Renditions({**KEYS, "video": key}, LATER)
    assert filmed.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "VIDEO")
    assert filmed.processed_size == MADE.processed_size + 1000
    assert add_rendition(photo, "video", key, 1000, at=LATER, table=any_table) == filmed
    assert find_photo(IMAGE_ID, table=any_table) == filmed
    any_table.write(Delete(key_of(filmed)))


def test_the_source_of_a_time_is_stored_unless_people_set_the_time(table: Table) -> None:
    made = replace(MADE, metadata=replace(TOLD, exif=Exif(camera="Canon EOS 5D", taken_from="exif")))
    told = finish_processing(pending(table), made, at=LATER, table=table)
    said = finish_processing(pending(table, taken_at=NOON), made, at=LATER, table=table)
    assert told.exif == Exif(camera="Canon EOS 5D", taken_from="exif")
    assert said.exif == Exif(camera="Canon EOS 5D")

"""Search for photos that lack renditions, from the resume point."""

from dataclasses import replace
from typing import Any

import pytest

from sparks.model.events import Uploaded
from sparks.model.ids import image_id_at
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Renditions, Visibility
from sparks.model.system_records import JobState
from sparks.renditions import missing_renditions
from sparks.renditions.missing_renditions import (
    batches,
    clear_resume_point,
    count_lacking,
    lacks_renditions,
    resume_point,
    save_resume_point,
)
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import everything, keep
from tests.factories import NOON, a_photo

WANTED = ("large", "tiny")
COMPLETE = Renditions({"large": "processed/x", "tiny": "processed/y"}, NOON)


@pytest.fixture
def table() -> Table:
    return MemoryTable()


def hang(table: Table, number: int, **changes: Any) -> Photo:
    photo = a_photo(image_id=image_id_at(NOON.replace(minute=number)), **changes)
    keep(table, photo)
    return photo


def found(state: JobState, table: Table) -> list[Uploaded]:
    return [event for batch in batches(WANTED, state, table=table) for event in batch.events]


def event(photo: Photo) -> Uploaded:
    return Uploaded(photo.image_id, photo.owner)


def test_photos_without_renditions_are_found_the_oldest_first_and_private_ones_last(table: Table) -> None:
    private = hang(table, 0, visibility=Visibility.PRIVATE)
    second, first = hang(table, 2, renditions=Renditions({"large": "processed/x"})), hang(table, 1)
    hang(table, 3, renditions=COMPLETE)
    hang(table, 4, state=PhotoState.TRASHED)
    state = resume_point(WANTED, table=table)

    assert found(state, table) == [event(first), event(second), event(private)]
    assert count_lacking(WANTED, state, table=table) == 3


def test_a_run_continues_at_the_resume_point(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_renditions, "BATCH_SIZE", 2)
    photos = [hang(table, number) for number in range(5)]
    private = hang(table, 0, visibility=Visibility.PRIVATE)
    first, second, *_ = batches(WANTED, resume_point(WANTED, table=table), table=table)
    for photo in photos[:2]:
        keep(table, replace(photo, renditions=COMPLETE))

    save_resume_point(first.then, table=table)

    assert list(second.events) == [event(photo) for photo in photos[2:4]]
    assert found(resume_point(WANTED, table=table), table) == [*map(event, photos[2:]), event(private)]


def test_a_run_for_other_sizes_starts_at_the_beginning(table: Table) -> None:
    photo = hang(table, 0)
    (batch,) = batches(WANTED, resume_point(WANTED, table=table), table=table)
    save_resume_point(batch.then, table=table)
    hang(table, 1)

    assert resume_point((*WANTED, "hd"), table=table).last_processed_at is None
    assert event(photo) in found(resume_point((*WANTED, "hd"), table=table), table)


def test_a_finished_run_leaves_no_resume_point(table: Table) -> None:
    hang(table, 0)
    (batch,) = batches(WANTED, resume_point(WANTED, table=table), table=table)
    save_resume_point(batch.then, table=table)

    clear_resume_point(table=table)

    assert len(everything(table)) == 1


def test_a_resume_point_names_no_photo(table: Table) -> None:
    photo = hang(table, 0)
    (batch,) = batches(WANTED, resume_point(WANTED, table=table), table=table)
    save_resume_point(batch.then, table=table)

    assert photo.image_id not in str([row for row in everything(table) if row["PK"].startswith("JOB#")])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"renditions": COMPLETE}, False),
        ({"processing_status": ProcessingStatus.FAILED, "state": PhotoState.FAILED}, False),
        ({"state": PhotoState.DELETING}, False),
    ],
)
def test_photos_whose_renditions_cannot_be_made_lack_none(changes: dict[str, Any], *, expected: bool) -> None:
    assert lacks_renditions(a_photo(**changes), WANTED) is expected

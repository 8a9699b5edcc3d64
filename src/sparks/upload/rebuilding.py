"""Which photos of a library lack renditions, or the film behind them, from where an earlier run has stopped.

[Note: resume point] It is kept as a time, not as the id of a photo: that photo may be deleted, and its id goes then.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import dropwhile, islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records import from_item, key_of, to_item
from sparks.model.events import Uploaded
from sparks.model.ids import lowest_id_at, time_of
from sparks.model.ledger import JobState
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import EVERYTHING, Between, Delete, EntityType, Put, Table, every

JOB: Final = "renditions"
BATCH: Final = 200  # photos between two resume points
LISTS: Final = (entity_types.FEED, entity_types.PRIVATE)

_SIZES, _LIST = "sizes", "list"


@dataclass(frozen=True, slots=True)
class Batch:
    """Photos that lack something; `then` is how far one is when they are finished."""

    events: Sequence[Uploaded]
    then: JobState


def lacks(photo: Photo, sizes: Collection[str]) -> bool:
    """Whether something is missing that can be made."""
    made = {} if photo.renditions is None else photo.renditions.keys
    can_be_made = photo.processing_status is not ProcessingStatus.FAILED and _is_there(photo)
    return can_be_made and (photo.lacks_motion or bool(set(sizes) - set(made)))


def resume_point(sizes: Collection[str], *, table: Table) -> JobState:
    """Where a run for the same sizes has stopped; else the beginning."""
    item = table.get(keys.job_state(JOB))
    asked = ",".join(sorted(sizes))
    if item is not None:
        state = from_item(JobState, item)
        if (state.stats or {}).get(_SIZES) == asked:
            return state
    return JobState(job_name=JOB, stats={_SIZES: asked, _LIST: LISTS[0].value})


def note(state: JobState, *, table: Table) -> None:
    table.write(Put(to_item(replace(state, last_run_at=now()))))


def forget(*, table: Table) -> None:
    """The library is complete: the next run begins at its beginning."""
    table.write(Delete(key_of(JobState(job_name=JOB))))


def batches(sizes: Collection[str], state: JobState, *, table: Table) -> Iterator[Batch]:
    """The oldest photos first, those that everyone sees and then the private ones."""
    began = (state.stats or {}).get(_LIST)
    for kind in dropwhile(lambda kind: kind.value != began, LISTS):
        since = state.last_processed_at if kind.value == began else None
        lacking = _lacking(kind, since, sizes, table)
        while events := list(islice(lacking, BATCH)):
            stats = {**(state.stats or {}), _LIST: kind.value}
            yield Batch(events, replace(state, stats=stats, last_processed_at=time_of(events[-1].image_id)))


def count_lacking(sizes: Collection[str], state: JobState, *, table: Table) -> int:
    return sum(len(batch.events) for batch in batches(sizes, state, table=table))


def _lacking(kind: EntityType, since: datetime | None, sizes: Collection[str], table: Table) -> Iterator[Uploaded]:
    span = EVERYTHING if since is None else Between(low=lowest_id_at(since))
    for row in every(table, kind, span):
        is_short = not row.get("images", {}).keys() >= set(sizes)
        if is_short or ("duration" in row and from_item(Photo, row).lacks_motion):
            yield Uploaded(row["PK"], row["owner"])


def _is_there(photo: Photo) -> bool:
    return photo.state not in (PhotoState.DELETING, PhotoState.RESERVED)

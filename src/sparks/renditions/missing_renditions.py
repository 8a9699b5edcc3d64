"""Photos that lack renditions, in resumable batches.

The resume point is stored as a time, not as the id of a photo: no id of a deleted photo may stay in the table.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import dropwhile, islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records import from_item, key_of, read_item, to_item
from sparks.model.errors import BadInput
from sparks.model.events import Uploaded
from sparks.model.ids import lowest_id_at, time_of
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.system_records import JobState
from sparks.model.times import now
from sparks.table.port import EVERYTHING, Between, Delete, EntityType, Put, Table, every

JOB: Final = "renditions"
BATCH_SIZE: Final = 200  # photos between two resume points
LISTS: Final = (entity_types.FEED, entity_types.PRIVATE)

_SIZES, _LIST = "sizes", "list"


@dataclass(frozen=True, slots=True)
class RenditionBatch:
    """Photos that lack renditions; `then` is the resume point once they are finished."""

    events: Sequence[Uploaded]
    then: JobState


def lacks_renditions(photo: Photo, sizes: Collection[str]) -> bool:
    """Whether a rendition is missing that can be made."""
    can_be_made = photo.processing_status is not ProcessingStatus.FAILED and _has_original(photo)
    return can_be_made and (photo.lacks_motion or not _made(photo) >= set(sizes))


def resume_point(sizes: Collection[str], *, table: Table) -> JobState:
    """The point at which a run for the same sizes stopped; else the start of the library."""
    item = table.get(keys.job_state(JOB))
    size_names = ",".join(sorted(sizes))
    if item is not None:
        state = from_item(JobState, item)
        if (state.stats or {}).get(_SIZES) == size_names:
            return state
    return JobState(job_name=JOB, stats={_SIZES: size_names, _LIST: LISTS[0].value})


def save_resume_point(state: JobState, *, table: Table) -> None:
    table.write(Put(to_item(replace(state, last_run_at=now()))))


def clear_resume_point(*, table: Table) -> None:
    """Makes the next run begin at the start of the library."""
    table.write(Delete(key_of(JobState(job_name=JOB))))


def batches(sizes: Collection[str], state: JobState, *, table: Table) -> Iterator[RenditionBatch]:
    """Community photos, then private ones; the oldest first in each list."""
    first_list = (state.stats or {}).get(_LIST)
    for kind in dropwhile(lambda kind: kind.value != first_list, LISTS):
        since = state.last_processed_at if kind.value == first_list else None
        lacking = _lacking(kind, since, sizes, table)
        while events := list(islice(lacking, BATCH_SIZE)):
            since = next(filter(None, map(_time_of, reversed(events))), since)
            stats = {**(state.stats or {}), _LIST: kind.value}
            yield RenditionBatch(events, replace(state, stats=stats, last_processed_at=since))


def count_lacking(sizes: Collection[str], state: JobState, *, table: Table) -> int:
    return sum(len(batch.events) for batch in batches(sizes, state, table=table))


def _lacking(kind: EntityType, since: datetime | None, sizes: Collection[str], table: Table) -> Iterator[Uploaded]:
    span = EVERYTHING if since is None else Between(low=lowest_id_at(since))
    for row in every(table, kind, span):
        photo = read_item(Photo, row)
        if photo is not None and (photo.lacks_motion or not _made(photo) >= set(sizes)):
            yield Uploaded(photo.image_id, photo.owner)


def _made(photo: Photo) -> set[str]:
    return set() if photo.renditions is None else set(photo.renditions.keys)


def _time_of(event: Uploaded) -> datetime | None:
    """None for an id of another writer, which holds no time."""
    try:
        return time_of(event.image_id)
    except BadInput:
        return None


def _has_original(photo: Photo) -> bool:
    return photo.state not in (PhotoState.DELETING, PhotoState.RESERVED)

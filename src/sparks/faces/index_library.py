"""Resumable run over the library that queues photos the engine has not analyzed.

A run reads the lists of photos from the oldest on and stores its position. It queues at most MAX_QUEUED jobs, so that
new uploads do not wait for the whole library.

Each run has a name. Starting a new run ends the one before, so that no photo is left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import dropwhile, islice
from typing import Any, Final

from sparks.faces.detect_faces import detection_source
from sparks.faces.port import FaceEngine
from sparks.jobs.port import Jobs
from sparks.library import entity_types, keys
from sparks.library.consent import faces_allowed
from sparks.library.encryption import seal, unseal
from sparks.library.records import from_item, read_items, to_item
from sparks.model.errors import BadSignature, ConditionFailed
from sparks.model.events import FaceIndexingDue, FacesWanted, UpkeepDue
from sparks.model.ids import random_id
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.system_records import JobState
from sparks.model.times import now
from sparks.table.port import EVERYTHING, Between, Conditions, Delete, Equals, Put, Table, every

JOB: Final = "face-index"
MAX_QUEUED: Final = 100  # jobs
BATCH_SIZE: Final = 2000  # photos that are read at once, most of which are indexed already
INTERVAL: Final = timedelta(days=1)  # between two runs
LISTS: Final = (entity_types.FEED, entity_types.PRIVATE)
ATTRIBUTES: Final = frozenset(
    {"entityType", "owner", "guestId", "albums", "assetType", "s3Key", "images", "faceEngine"}
)

_ENGINE, _NAME, _LIST, _POSITION, _DONE = "engine", "run", "list", "behind", "done"  # stored


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRun:
    """A run that has passed the photo `position` of the list `list_name`, at the time `at`; both None at its start."""

    name: str
    engine: str
    at: datetime
    list_name: str | None = None
    position: str | None = None
    done: bool = False


def find_run(*, keyring: Keyring, table: Table) -> IndexRun | None:
    """The last run, done or not; None where there is none, or where its position was sealed with a lost secret."""
    item = table.get(keys.job_state(JOB))
    if item is None:
        return None
    state = from_item(JobState, item)
    stats = state.stats or {}
    if state.last_run_at is None or not stats.keys() >= {_ENGINE, _NAME}:
        return None
    try:
        position = unseal(JOB, stats[_POSITION], keyring) if _POSITION in stats else None
    except BadSignature:
        return None
    return IndexRun(
        name=stats[_NAME],
        engine=stats[_ENGINE],
        at=state.last_run_at,
        list_name=stats.get(_LIST),
        position=position,
        done=stats.get(_DONE, False),
    )


def begin_run(engine: str, *, at: datetime, keyring: Keyring, table: Table) -> IndexRun:
    """Starts a run, which replaces any other."""
    run = IndexRun(name=random_id(), engine=engine, at=at)
    table.write(_put(run, keyring))
    return run


def save_progress(before: IndexRun, after: IndexRun, *, keyring: Keyring, table: Table) -> bool:
    """Stores the progress of a run; False where another run has started, or another worker continued this one."""
    try:
        table.write(_put(after, keyring, (Equals("stats", _stats(before, keyring)),)))
    except ConditionFailed:
        return False
    return True


def delete_runs(*, table: Table) -> None:
    table.write(Delete(keys.job_state(JOB)))


def _put(run: IndexRun, keyring: Keyring, when: Conditions = ()) -> Put:
    return Put(to_item(JobState(job_name=JOB, last_run_at=run.at, stats=_stats(run, keyring))), when)


def _stats(run: IndexRun, keyring: Keyring) -> Mapping[str, Any]:
    """The stored state. The photo's id is sealed, because no trace of it may be left when the photo is deleted."""
    position = {} if run.position is None else {_POSITION: seal(JOB, run.position, keyring)}
    list_name = {} if run.list_name is None else {_LIST: run.list_name}
    return {_ENGINE: run.engine, _NAME: run.name, **list_name, **position, _DONE: run.done}


def look_for_unindexed(
    event: UpkeepDue, *, table: Table, keyring: Keyring, engine: FaceEngine | None, pipeline: PipelineSettings
) -> FaceIndexingDue | None:
    """Continues an interrupted run; starts a new run a day after the last one, or with another engine.

    While no engine is usable, the state is deleted, because new photos arrive that a run must not pass over.
    """
    name = _usable_engine(engine, pipeline)
    if name is None:
        delete_runs(table=table)
        return None
    run = find_run(keyring=keyring, table=table)
    if run is None or run.engine != name:
        return FaceIndexingDue()
    if not run.done:
        return FaceIndexingDue(run.name)
    return FaceIndexingDue() if abs(event.at - run.at) >= INTERVAL else None


def index_library(
    event: FaceIndexingDue,
    *,
    table: Table,
    jobs: Jobs,
    keyring: Keyring,
    engine: FaceEngine | None,
    pipeline: PipelineSettings,
) -> Iterator[FacesWanted | FaceIndexingDue]:
    """Sends events for the next photos that the engine has not analyzed; then for the next batch, unless it is done."""
    name = _usable_engine(engine, pipeline)
    run = None if name is None else _run_of(event, name, table, keyring)
    if run is None:
        return
    slots = max(0, MAX_QUEUED - jobs.counts().waiting)
    photos = list(islice(_photos_after(run, table), BATCH_SIZE)) if slots else []
    selected = list(islice((photo for photo in photos if _may_index(photo, run.engine, table)), slots))
    yield from map(_wanted_event, selected)
    after = _advance(
        run, photos if len(selected) < slots else selected, done=len(selected) < slots and len(photos) < BATCH_SIZE
    )
    if save_progress(run, after, keyring=keyring, table=table) and not after.done:
        yield FaceIndexingDue(run.name)


def is_unindexed(photo: Photo, engine: str) -> bool:
    """Whether the photo can be analyzed, and this engine has not done so."""
    return photo.face_engine != engine and detection_source(photo) is not None


def unindexed(engine: str, *, table: Table) -> Iterator[FacesWanted]:
    """Events for all photos that the engine may analyze and has not; without the trash."""
    beginning = IndexRun(name="", engine=engine, at=now())
    return (_wanted_event(photo) for photo in _photos_after(beginning, table) if _may_index(photo, engine, table))


def _usable_engine(engine: FaceEngine | None, pipeline: PipelineSettings) -> str | None:
    """The engine's name; None where face detection is switched off, or the engine cannot work."""
    return None if engine is None or pipeline.faces is None or engine.missing else engine.name


def _run_of(event: FaceIndexingDue, engine: str, table: Table, keyring: Keyring) -> IndexRun | None:
    """The run of the event; None where it is over or was replaced."""
    if event.run is None:
        return begin_run(engine, at=now(), keyring=keyring, table=table)
    run = find_run(keyring=keyring, table=table)
    return run if run is not None and (run.name, run.engine, run.done) == (event.run, engine, False) else None


def _photos_after(run: IndexRun, table: Table) -> Iterator[Photo]:
    """Photos after the run's position, with the attributes that are needed here."""
    for list_type in dropwhile(lambda list_type: run.list_name not in (None, list_type.value), LISTS):
        position = run.position if list_type.value == run.list_name else None
        span = EVERYTHING if position is None else Between(low=position)
        rows = every(table, list_type, span, only=ATTRIBUTES)
        yield from read_items(Photo, (row for row in rows if row["PK"] != position))


def _may_index(photo: Photo, engine: str, table: Table) -> bool:
    return is_unindexed(photo, engine) and faces_allowed(photo, table=table)


def _wanted_event(photo: Photo) -> FacesWanted:
    return FacesWanted(photo.image_id, photo.owner)


def _advance(run: IndexRun, photos: list[Photo], *, done: bool) -> IndexRun:
    """The run after these photos."""
    if not photos:
        return replace(run, at=now(), done=done)
    last = photos[-1]
    list_name = entity_types.photo(last.state, last.visibility, last.owner).value
    return replace(run, at=now(), list_name=list_name, position=last.image_id, done=done)

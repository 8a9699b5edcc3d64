"""Groups the faces that came since the last run, under a lease.

One run at a time, by a lease that a full rebuild holds too. The checkpoint moves after the work, so a run that follows
an interrupted one starts where that one started, and finds part of the work done. The faces of each batch are noted
before they are changed, so that their photos can be reconciled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.library.face_index import FaceIndex
from sparks.library.face_log import entries_between, faces_by_id
from sparks.library.leases import INCREMENTAL, HeldLeases, held_leases, job_state
from sparks.library.live_events import people_announced
from sparks.library.people.merge_suggestions import replace_suggestions
from sparks.model.errors import BadInput, Busy
from sparks.model.events import PeopleDue, PersonPicturesDue
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.times import now
from sparks.people.affected_faces import NewFaces, affected_by, new_faces_since
from sparks.people.apply_plan import AppliedChanges, Photos, apply_steps, photos_of, reconcile_photos
from sparks.people.clustering.new_faces import regroup
from sparks.people.face_arrays import thresholds_of
from sparks.people.grouping_result import result_of, suggestions_from
from sparks.table.port import Table

MAX_FACES_PER_RUN: Final = 2000  # unless the caller names another number
QUIET_PERIOD: Final = timedelta(seconds=3)
MAX_DELAY: Final = timedelta(seconds=30)
FACES_OFF: Final = "face recognition is off: switch `faces` on in the settings"

_UNRECONCILED: Final = "settling"


@dataclass(frozen=True, slots=True)
class RegroupResult:
    """The result of a rebuild. All faces up to `checkpoint` are grouped; `more` says that there are newer ones."""

    processed_faces: int = 0
    created_persons: int = 0
    updated_persons: int = 0
    checkpoint: datetime | None = None
    more: bool = False


def regroup_people(
    _event: PeopleDue, *, table: Table, index: FaceIndex | None, pipeline: PipelineSettings
) -> PeopleDue | PersonPicturesDue | None:
    """Sends its event again, to run later, while faces keep coming or another run holds the lease. The pictures of the
    persons follow their new faces.
    """
    if pipeline.faces is None or index is None:
        return None
    at = now()
    if _faces_keep_coming(at, table):
        return PeopleDue()
    try:
        result = regroup_faces(table=table, index=index, pipeline=pipeline, at=at)
    except Busy:
        return PeopleDue()
    if result.more:
        return PeopleDue()
    return PersonPicturesDue() if result.processed_faces else None


def regroup_faces(
    *,
    table: Table,
    index: FaceIndex | None,
    pipeline: PipelineSettings,
    at: datetime | None = None,
    max_faces: int | None = None,
) -> RegroupResult:
    """Groups about `max_faces` faces at most; `at` is now. Busy while another rebuild runs; BadInput where faces are
    switched off.
    """
    if pipeline.faces is None or index is None:
        raise BadInput(FACES_OFF)
    if max_faces is not None and max_faces < 1:
        raise BadInput("the number of faces must be at least 1")
    at = at or now()
    with people_announced(table=table) as touched, held_leases(INCREMENTAL, at=at, table=table) as job:
        touched |= reconcile_photos(_unreconciled_photos(job, table), min_photos=pipeline.min_photos, table=table)
        index.catch_up(at=at)
        most = max_faces or MAX_FACES_PER_RUN
        new = new_faces_since(job[INCREMENTAL].last_processed_at, at=at, most=most, table=table)
        applied = _group(new, job, pipeline=pipeline.faces, index=index, at=at, table=table)
        touched |= applied.scopes
        result = _result(new, applied)
        job.note(INCREMENTAL, last_processed_at=new.checkpoint, last_run_at=at, stats=_stats(result))
    return result


def _group(
    new: NewFaces, job: HeldLeases, *, pipeline: FacePipelineSettings, index: FaceIndex, at: datetime, table: Table
) -> AppliedChanges:
    if not new.rows:
        return AppliedChanges()
    affected = affected_by(new.rows, pipeline=pipeline, index=index, table=table)
    grouping, reached = regroup(
        affected.new, affected.known, thresholds=thresholds_of(pipeline), constraints=affected.constraints
    )
    taken = frozenset(affected.known) - reached
    result = result_of(grouping, affected.rows, affected.constraints, taken=taken, table=table)
    applied = apply_steps(
        result.steps,
        at=at,
        min_photos=pipeline.min_photos,
        table=table,
        note=lambda _, face_ids: _note_unreconciled(face_ids, job),
    )
    about = {affected.resolve(person) for person in {*reached, *result.planned.values()} if person is not None}
    suggestions = suggestions_from(grouping.doubts, result.planned, resolve=affected.resolve)
    replace_suggestions(suggestions, about=about, table=table)
    return applied


def _unreconciled_photos(job: HeldLeases, table: Table) -> Photos:
    """The photos that an interrupted run was changing. The job state names faces, not photos, so that no id of a photo
    that is deleted meanwhile stays in it.
    """
    face_ids = (job[INCREMENTAL].stats or {}).get(_UNRECONCILED, [])
    return photos_of(faces_by_id(face_ids, table=table).values())


def _note_unreconciled(face_ids: Sequence[str], job: HeldLeases) -> None:
    job.note(INCREMENTAL, stats={**(job[INCREMENTAL].stats or {}), _UNRECONCILED: list(face_ids)})


def _result(new: NewFaces, applied: AppliedChanges) -> RegroupResult:
    return RegroupResult(
        processed_faces=new.count,
        created_persons=len(applied.created),
        updated_persons=len(applied.updated),
        checkpoint=new.checkpoint,
        more=new.more,
    )


def _stats(result: RegroupResult) -> dict[str, int]:
    return {
        "processedFaces": result.processed_faces,
        "createdPersons": result.created_persons,
        "updatedPersons": result.updated_persons,
    }


def _faces_keep_coming(at: datetime, table: Table) -> bool:
    """Whether faces came just now, and the last run was not long ago."""
    last_run_at = job_state(INCREMENTAL, table=table).last_run_at
    if last_run_at is None or at - last_run_at >= MAX_DELAY:
        return False
    return any(True for _ in entries_between(at - QUIET_PERIOD, at, table=table))

"""Faces that came since the last time, thought over with those that are near to them.

One run at a time, by a lease that a full rebuild holds too. The checkpoint moves after the work, so whoever comes after
one who was killed begins where that one began, and finds part of it done; the faces that were being changed are noted
before, and their photos settled then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.library.face_index import FaceIndex
from sparks.library.face_log import entries_between, faces_by_id
from sparks.library.job_states import INCREMENTAL, job_state
from sparks.library.live import people_told
from sparks.library.people import keep_suggestions
from sparks.model.errors import BadInput, Busy
from sparks.model.events import PeopleDue
from sparks.model.terms import FaceTerms, Terms
from sparks.model.times import now
from sparks.people.applying import Applied, Photos, apply_steps, photos_of, settle_photos
from sparks.people.arrivals import Arrivals, arrivals_since
from sparks.people.groups.arrival import regroup
from sparks.people.holding import Held, held
from sparks.people.known import rule_of
from sparks.people.neighbourhood import neighbourhood_of
from sparks.people.outcome import outcome_of, suggestions_from
from sparks.table.port import Table

MOST_AT_ONCE: Final = 2000  # faces of one run, unless somebody says otherwise
QUIET: Final = timedelta(seconds=3)
PATIENCE: Final = timedelta(seconds=30)
FACES_OFF: Final = "nobody looks for faces here: switch `faces` on in the settings"

_SETTLING: Final = "settling"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild came to. All faces up to `checkpoint` are thought over; there may be `more` behind it."""

    processed_faces: int = 0
    created_persons: int = 0
    updated_persons: int = 0
    checkpoint: datetime | None = None
    more: bool = False


def regroup_people(_event: PeopleDue, *, table: Table, index: FaceIndex | None, terms: Terms) -> PeopleDue | None:
    """While faces keep coming, or somebody else is at it, it comes again later."""
    if terms.faces is None or index is None:
        return None
    at = now()
    if _is_unquiet(at, table):
        return PeopleDue()
    try:
        rebuilt = regroup_faces(table=table, index=index, terms=terms, at=at)
    except Busy:
        return PeopleDue()
    return PeopleDue() if rebuilt.more else None


def regroup_faces(
    *,
    table: Table,
    index: FaceIndex | None,
    terms: Terms,
    at: datetime | None = None,
    max_faces: int | None = None,
) -> Rebuilt:
    """At most about `max_faces` are thought over; `at` is now. Busy where another rebuild is under way; BadInput where
    nobody looks for faces.
    """
    if terms.faces is None or index is None:
        raise BadInput(FACES_OFF)
    if max_faces is not None and max_faces < 1:
        raise BadInput("say how many faces: at least one")
    at = at or now()
    with people_told(table=table) as touched, held(INCREMENTAL, at=at, table=table) as job:
        touched |= settle_photos(_unsettled(job, table), enough=terms.enough, table=table)
        index.catch_up(at=at)
        most = max_faces or MOST_AT_ONCE
        came = arrivals_since(job[INCREMENTAL].last_processed_at, at=at, most=most, table=table)
        applied = _think_over(came, job, terms=terms.faces, index=index, at=at, table=table)
        touched |= applied.scopes
        rebuilt = _told(came, applied)
        job.note(INCREMENTAL, last_processed_at=came.checkpoint, last_run_at=at, stats=_stats(rebuilt))
    return rebuilt


def _think_over(
    came: Arrivals, job: Held, *, terms: FaceTerms, index: FaceIndex, at: datetime, table: Table
) -> Applied:
    if not came.rows:
        return Applied()
    near = neighbourhood_of(came.rows, terms=terms, index=index, table=table)
    grouping, reached = regroup(near.new, near.known, rule=rule_of(terms), constraints=near.said)
    taken = frozenset(near.known) - reached
    outcome = outcome_of(grouping, near.rows, near.said, taken=taken, table=table)
    applied = apply_steps(
        outcome.steps,
        at=at,
        enough=terms.enough,
        table=table,
        note=lambda _, face_ids: _note_unsettled(face_ids, job),
    )
    about = {near.resolve(home) for home in {*reached, *outcome.then.values()} if home is not None}
    asked = suggestions_from(grouping.doubts, outcome.then, resolve=near.resolve, at=at)
    keep_suggestions(asked, about=about, table=table)
    return applied


def _unsettled(job: Held, table: Table) -> Photos:
    """The photos that somebody was changing who was killed.

    [Note: no trace] The state names their faces: a photo that is deleted meanwhile is named nowhere.
    """
    face_ids = (job[INCREMENTAL].stats or {}).get(_SETTLING, [])
    return photos_of(faces_by_id(face_ids, table=table).values())


def _note_unsettled(face_ids: Sequence[str], job: Held) -> None:
    job.note(INCREMENTAL, stats={**(job[INCREMENTAL].stats or {}), _SETTLING: list(face_ids)})


def _told(came: Arrivals, applied: Applied) -> Rebuilt:
    return Rebuilt(
        processed_faces=came.count,
        created_persons=len(applied.created),
        updated_persons=len(applied.updated),
        checkpoint=came.checkpoint,
        more=came.more,
    )


def _stats(rebuilt: Rebuilt) -> dict[str, int]:
    return {
        "processedFaces": rebuilt.processed_faces,
        "createdPersons": rebuilt.created_persons,
        "updatedPersons": rebuilt.updated_persons,
    }


def _is_unquiet(at: datetime, table: Table) -> bool:
    """Faces come right now, and what came before was not left waiting for long."""
    last_run_at = job_state(INCREMENTAL, table=table).last_run_at
    if last_run_at is None or at - last_run_at >= PATIENCE:
        return False
    return any(True for _ in entries_between(at - QUIET, at, table=table))

"""Erasure step: removes listed traces at once, scans the table, finishes the receipt.

The request removes all traces of a person that keys and lists lead to. The job that follows reads every row of the
table, removes the traces that are left, and finishes the receipt when there is none. Where face detection was forbidden
for photos, the job alone removes their faces.
"""

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Final

from sparks.blobs.port import Blobs, has_blob
from sparks.library.consent import is_allowed
from sparks.library.face_index import FaceIndex
from sparks.library.live_events import people_announced
from sparks.model.biometric_erasure import Erasure, Keep, TraceCounts
from sparks.model.errors import Busy
from sparks.model.events import ErasureBegun, FaceIndexingDue, PeopleDue, UpkeepDue
from sparks.model.face import Face
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import Scope
from sparks.model.times import now
from sparks.people.biometric_erasure.find_traces import (
    ErasureTarget,
    FoundTraces,
    listed_rows,
    scanned_rows,
    target_of,
    traces_among,
)
from sparks.people.biometric_erasure.receipts import (
    find_erasure,
    note_before,
    note_checked,
    note_scanned,
    unfinished_erasures,
)
from sparks.people.biometric_erasure.remove_traces import crops_of, pictures_of, remove_traces, unlink_accounts
from sparks.table.port import Table

MAX_PASSES: Final = 5
RESUME_AFTER: Final = timedelta(minutes=10)


def erase_faces(
    event: ErasureBegun, *, table: Table, blobs: Blobs, index: FaceIndex | None, pipeline: PipelineSettings
) -> PeopleDue | FaceIndexingDue | None:
    """Removes all traces from the table, the crops and the index. Nothing happens where that is done; Busy where new
    faces keep coming. If faces were allowed again meanwhile, it stops, and photos without faces are indexed again.
    """
    erasure = find_erasure(event.erasure_id, table=table)
    if erasure is None or erasure.scanned_at is not None:
        return None
    target, seen = target_of(erasure, table=table), dict[str, Face]()
    unlink_accounts(target.persons, table=table)
    with people_announced(table=table) as touched:
        for _ in range(MAX_PASSES):
            traces = traces_among(scanned_rows(table=table), target)
            seen |= traces.faces
            counts = count_traces(traces, target, seen.values(), blobs=blobs, index=index)
            erasure = erasure if erasure.before is not None else note_before(erasure, counts, table=table)
            is_due = _is_due(erasure, table)
            if traces.is_empty_for(target) or not is_due:
                note_scanned(erasure, counts, at=now(), table=table)
                return PeopleDue() if is_due else FaceIndexingDue()
            touched |= _remove(traces, target, erasure, table=table, blobs=blobs, index=index, pipeline=pipeline)
    raise Busy("new faces came during the erasure: it continues later")


def erase_listed(
    erasure: Erasure, *, table: Table, blobs: Blobs, index: FaceIndex | None, pipeline: PipelineSettings
) -> Erasure:
    """Removes all traces of the persons that keys and lists lead to, and returns the receipt with what is left."""
    target, seen = target_of(erasure, table=table), dict[str, Face]()
    traces = traces_among(listed_rows(target, table=table), target)
    with people_announced(table=table) as touched:
        for _ in range(MAX_PASSES):
            if traces.is_empty_for(target):
                break
            seen |= traces.faces
            touched |= _remove(traces, target, erasure, table=table, blobs=blobs, index=index, pipeline=pipeline)
            traces = traces_among(listed_rows(target, table=table), target)
    left = count_traces(traces, target, seen.values(), blobs=blobs, index=index)
    return note_checked(erasure, left, at=now(), table=table)


def resume_erasures(event: UpkeepDue, *, table: Table) -> Iterator[ErasureBegun]:
    """Sends the event of each unfinished erasure again, a while after it was begun: its job may be lost."""
    for erasure in unfinished_erasures(table=table):
        if event.at - erasure.asked_at >= RESUME_AFTER:
            yield ErasureBegun(erasure.erasure_id)


def count_traces(
    traces: FoundTraces, target: ErasureTarget, seen: Collection[Face], *, blobs: Blobs, index: FaceIndex | None
) -> TraceCounts:
    """`seen` are the faces whose crops and vectors are counted, whether or not their rows still exist."""
    return TraceCounts(
        faces=len(traces.faces),
        embeddings=sum(face.embedding is not None for face in traces.faces.values()),
        crops=sum(has_blob(key, blobs=blobs) for key in crops_of(seen) | pictures_of(target.persons)),
        vectors=0 if index is None else len(index.held(face.face_id for face in seen)),
        taggings=len(traces.persons_in_photos),
        persons=len(traces.persons),
        lists=len(traces.persons_in_scopes),
        decisions=len({decision.decision_id for decision in traces.decisions_about(target)}),
    )


def _remove(
    traces: FoundTraces,
    target: ErasureTarget,
    erasure: Erasure,
    *,
    table: Table,
    blobs: Blobs,
    index: FaceIndex | None,
    pipeline: PipelineSettings,
) -> frozenset[Scope]:
    """Returns the scopes whose persons have changed."""
    touched = remove_traces(
        traces,
        target,
        keep_boxes=erasure.keep is Keep.VECTOR,
        at=now(),
        min_photos=pipeline.min_photos,
        table=table,
        blobs=blobs,
    )
    unlink_accounts(target.persons, table=table)
    if index is not None and traces.faces:
        index.forget(traces.faces)
    return touched


def _is_due(erasure: Erasure, table: Table) -> bool:
    """Whether the faces are still to be erased: those of photos stay if face detection was allowed again."""
    return bool(erasure.person_ids) or not is_allowed(erasure.subject, table=table)

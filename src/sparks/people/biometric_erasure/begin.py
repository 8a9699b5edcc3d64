"""Begins a biometric erasure: records persons, faces and opt-out before anything is removed."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import consent
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.people.photo_faces import read_faces
from sparks.library.people.recognition_opt_outs import mean_vector, opt_out
from sparks.library.people.redirects import Redirects, get_person, leading_to, merged_into
from sparks.library.people.replay_decisions import verdict_on
from sparks.library.records import to_item
from sparks.model.biometric_erasure import Erasure, Keep
from sparks.model.face import Face
from sparks.model.ids import new_event_id
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.biometric_erasure.erase import count_traces
from sparks.people.biometric_erasure.find_traces import ErasureTarget, FoundTraces, listed_rows, traces_among
from sparks.people.biometric_erasure.receipts import create_receipt, note_unassigned_faces
from sparks.table.port import Change, Put, Table
from sparks.vectors.port import Vector

MAX_UNASSIGNED: Final = 1000  # faces of a person that are not assigned yet
ANY_QUALITY: Final = 0.0  # where faces are off, and the engine's threshold is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest:
    """A request to erase the face of a person. `account` is the e-mail address of the person's account, if any."""

    person_id: str
    keep: Keep
    who: str
    account: str | None
    at: datetime


def begin_erasure(
    request: ErasureRequest,
    *,
    also: Sequence[Change] = (),
    table: Table,
    blobs: Blobs,
    index: FaceIndex | None,
    pipeline: PipelineSettings,
) -> Erasure:
    """Writes the receipt, with counts of what is there; the caller must erase it next. NotFound where there is no such
    person.

    Unassigned faces are searched again once the opt-out is stored: a step that stored a face without seeing the opt-out
    has logged the face by then.
    """
    person_ids = merged_person_ids(request.person_id, table=table)
    faces = _traces(ErasureTarget(person_ids), table).faces.values()
    engine = _engine_of(list(faces), pipeline)
    founding = ANY_QUALITY if pipeline.faces is None else pipeline.faces.founding
    mean = mean_vector(list(faces), engine, founding=founding)
    unassigned = () if mean is None else tuple(_unassigned(mean, person_ids, request.at, table, index, pipeline))
    target = ErasureTarget(person_ids, frozenset(unassigned))
    traces = _traces(target, table)
    erasure = Erasure(
        erasure_id=new_event_id(),
        subject=request.account or consent.subject_of_person(get_person(request.person_id, table=table).person_id),
        who=request.who,
        asked_at=request.at,
        keep=request.keep,
        person_ids=tuple(sorted(person_ids, key=lambda person_id: (len(person_id), person_id))),
        face_ids=unassigned,
        before=count_traces(traces, target, traces.faces.values(), blobs=blobs, index=index),
    )
    opt_outs = _opt_outs(erasure, request, mean, engine)
    begun = create_receipt(erasure, also=(*also, *_consents(erasure, request), *opt_outs), table=table)
    late = () if mean is None else tuple(_unassigned(mean, person_ids, request.at, table, index, pipeline))
    return note_unassigned_faces(begun, late, table=table)


def forbid_faces(subject: str, *, who: str, at: datetime, also: Sequence[Change] = (), table: Table) -> Erasure:
    """Forbids face detection for this subject; the caller must erase the faces that were found there next."""
    erasure = Erasure(erasure_id=new_event_id(), subject=subject, who=who, asked_at=at)
    forbidden = consent.consent_entry(subject, consent.FACES, allowed=False, who=who, at=at)
    return create_receipt(erasure, also=(*also, forbidden), table=table)


def merged_person_ids(person_id: str, *, table: Table) -> frozenset[str]:
    """The person to whom the id redirects, and all who were merged into them, by decisions or by their rows."""
    first = get_person(person_id, table=table).person_id
    return leading_to({first, *merged_into(first, table=table)}, table=table)


def _traces(target: ErasureTarget, table: Table) -> FoundTraces:
    return traces_among(listed_rows(target, table=table), target)


def _engine_of(faces: Sequence[Face], pipeline: PipelineSettings) -> str:
    """The present engine; where faces are off, the one that found most of these faces."""
    if pipeline.faces is not None:
        return pipeline.faces.engine
    found = Counter(face.engine for face in faces if face.engine is not None)
    return found.most_common(1)[0][0] if found else ""


def _unassigned(
    mean: Vector,
    person_ids: Collection[str],
    at: datetime,
    table: Table,
    index: FaceIndex | None,
    pipeline: PipelineSettings,
) -> Iterator[str]:
    """Unassigned faces that are clearly of this person, unless people rejected them."""
    if index is None or pipeline.faces is None:
        return
    index.catch_up(at=at)
    near = [each.face_id for each in index.nearest(mean, MAX_UNASSIGNED, pipeline.faces.strong)]
    for face in faces_by_id(near, table=table).values():
        if face.person_id is None and not _is_rejected(face, person_ids, table):
            yield face.face_id


def _is_rejected(face: Face, person_ids: Collection[str], table: Table) -> bool:
    photo = read_faces(face.image_id, face.owner, table=table)
    verdict = verdict_on(face, photo.decisions, photo.faces, Redirects(table))
    return bool(verdict.rejected & set(person_ids))


def _opt_outs(erasure: Erasure, request: ErasureRequest, mean: Vector | None, engine: str) -> Iterator[Change]:
    if request.keep is Keep.VECTOR and mean is not None:
        row = opt_out(erasure.erasure_id, mean, engine=engine, account=request.account, at=request.at)
        yield Put(to_item(row))


def _consents(erasure: Erasure, request: ErasureRequest) -> Iterator[Change]:
    forbidden = (consent.BIOMETRICS, consent.RECOGNIZE) if request.keep is Keep.VECTOR else (consent.BIOMETRICS,)
    for what in forbidden:
        yield consent.consent_entry(erasure.subject, what, allowed=False, who=request.who, at=request.at)

"""Step that assigns new faces at once to the persons they clearly match.

All other faces stay unassigned until the incremental rebuild, which compares them with each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.live_events import announce_people
from sparks.library.people.face_assignment import assign_face
from sparks.library.people.photo_faces import PhotoFaces, read_faces
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import Redirects
from sparks.library.people.replay_decisions import verdict_on
from sparks.model.errors import NotFound
from sparks.model.events import FacesFound, PeopleDue
from sparks.model.face import Face
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.times import now
from sparks.people.clustering.face_columns import FaceColumns, Vectors
from sparks.people.clustering.neighbor_graph import MAX_NEIGHBORS
from sparks.people.clustering.new_faces import clear_match
from sparks.people.constraints_from_decisions import Resolve
from sparks.people.face_arrays import columns_of, engine_person_of, faces_of_person, thresholds_of
from sparks.table.port import Table

MAX_FACES_COMPARED: Final = 200  # of a person


def place_faces(
    event: FacesFound, *, table: Table, index: FaceIndex | None, pipeline: PipelineSettings
) -> PeopleDue | None:
    """None where the photo has no face that can be compared. Any other photo is reconciled, even if no face is assigned
    now: an earlier run may have been interrupted after it assigned one.
    """
    if pipeline.faces is None or index is None:
        return None
    photo = read_faces(event.image_id, event.owner, table=table)
    columns = columns_of(photo.faces.values() if photo.is_there else (), pipeline.faces)
    if not len(columns):
        return None
    _assign(photo, _clear_matches(photo, columns, pipeline.faces, index, table), table)
    touched = reconcile_people(event.image_id, event.owner, min_photos=pipeline.min_photos, table=table)
    announce_people(touched, at=now(), table=table)
    return PeopleDue()


def _clear_matches(
    photo: PhotoFaces, columns: FaceColumns, pipeline: FacePipelineSettings, index: FaceIndex, table: Table
) -> dict[str, str]:
    """The engine person of each unassigned face that has a clear match; none for two faces of the same person."""
    resolve = Redirects(table)
    present = frozenset(resolve(face.person_id) for face in photo.faces.values() if face.person_id is not None)
    matches: dict[str, str] = {}
    for face_id, vector in zip(columns.ids, columns.vectors, strict=True):
        face = photo.faces[face_id]
        if face.person_id is None and vector.any():
            near = _near_persons(vector, pipeline, index, resolve, table)
            verdict = verdict_on(face, photo.decisions, photo.faces, resolve)
            rejected = {each for each in near if resolve(each) in present | verdict.rejected}
            match = clear_match(vector, face.image_id, near, thresholds=thresholds_of(pipeline), rejected=rejected)
            matches |= {} if match is None or verdict.person_id is not None else {face_id: match}
    counts = Counter(resolve(match) for match in matches.values())
    return {face_id: match for face_id, match in matches.items() if counts[resolve(match)] == 1}


def _near_persons(
    vector: Vectors, pipeline: FacePipelineSettings, index: FaceIndex, resolve: Resolve, table: Table
) -> Mapping[str, FaceColumns]:
    """Faces of each engine person near the vector; of engine persons that are merged, only of the nearest one."""
    near = index.nearest(vector, MAX_NEIGHBORS, pipeline.candidate)
    rows = faces_by_id([each.face_id for each in near], table=table)
    nearest: dict[str, str] = {}
    for each in near:
        engine_person = engine_person_of(rows[each.face_id]) if each.face_id in rows else None
        if engine_person is not None:
            nearest.setdefault(resolve(engine_person), engine_person)
    return {
        engine_person: columns_of(_some_faces(engine_person, person, table), pipeline)
        for person, engine_person in nearest.items()
    }


def _some_faces(engine_person: str, person_id: str, table: Table) -> Iterable[Face]:
    faces = (face for face in faces_of_person(person_id, table=table) if engine_person_of(face) == engine_person)
    return islice(faces, MAX_FACES_COMPARED)


def _assign(photo: PhotoFaces, matches: Mapping[str, str], table: Table) -> None:
    for face_id, engine_person in matches.items():
        try:
            assign_face(photo.faces[face_id], engine_person, at=now(), as_seen=True, table=table)
        except NotFound:
            continue  # the photo is being deleted, or the person is gone: the incremental rebuild looks again

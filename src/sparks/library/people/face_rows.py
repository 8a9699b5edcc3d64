"""Face rows of a photo: stored, matched with those found before, and removed.

A face that is found again keeps its id, its person and the decisions about it, also when another engine finds it: the
boxes overlap by half.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library.people.face_moves import BUSY, with_joining_time, write_face
from sparks.library.people.photo_faces import TRIES, PhotoFaces, read_faces_or_raise
from sparks.library.people.redirects import Redirects
from sparks.library.people.replay_decisions import verdict_on
from sparks.library.photos.photo_rows import update_photo
from sparks.library.photos.processing_state import MAX_REASON
from sparks.model.errors import Busy, Conflict
from sparks.model.face import Face
from sparks.model.photo import FaceStatus, Photo
from sparks.table.port import Table

WATCHED: Final = ("status", "error")  # so that the error is always that of the status


def match_known(found: Iterable[Face], known: Iterable[Face]) -> list[Face]:
    """The detected faces in their order, each with the id and person of the known face that it is; each known face is
    used once. Equal ids are matched first: in a video, faces of different frames may be at the same place.
    """
    faces = list(found)
    left = {face.face_id: face for face in known}
    same = {face.face_id: left.pop(face.face_id) for face in faces if face.face_id in left}
    matched = []
    for face in faces:
        was = same.get(face.face_id) or max(left.values(), key=lambda each: face.box.overlap(each.box), default=None)
        if was is not None and (was.face_id == face.face_id or face.box.is_same_face(was.box)):
            left.pop(was.face_id, None)
            face = with_known_person(face, was)
        matched.append(face)
    return matched


def with_known_person(face: Face, known: Face) -> Face:
    """The face as detected now, with its person as before."""
    return replace(
        face,
        face_id=known.face_id,
        person_id=known.person_id,
        added_at=known.added_at,
        stored_engine_person_id=known.stored_engine_person_id,
        by_hand=known.by_hand,
        extra=known.extra,
    )


def store_face(face: Face, *, at: datetime, table: Table) -> Face:
    """The face as it is now: new and waiting, unless people decided about a face there; or found again. NotFound where
    the photo is deleted or being deleted: the step then deletes the crop. A repeat is harmless.
    """
    for _ in range(TRIES):
        seen = read_faces_or_raise(face.image_id, face.owner, table=table)
        before = seen.faces.get(face.face_id)
        known = _without_person(face) if before is None else with_known_person(face, before)
        after = with_joining_time(before, _with_verdict(seen, known, table), at)
        if after == before or write_face(seen, before, after, at=at, table=table):
            return after
    raise Busy(BUSY)


def remove_face(image_id: str, owner: str, face_id: str, *, at: datetime, table: Table) -> Face | None:
    """The removed face, whose crop is to be deleted, or None where there was none. NotFound as in `store_face`."""
    for _ in range(TRIES):
        seen = read_faces_or_raise(image_id, owner, table=table)
        before = seen.faces.get(face_id)
        if before is None or write_face(seen, before, None, at=at, table=table):
            return before
    raise Busy(BUSY)


def finish_indexing(
    photo: Photo, status: FaceStatus, *, engine: str | None, error: str | None = None, table: Table
) -> Photo:
    """Records the engine that searched the photo for faces, with or without success, and the `error` of a failure.
    NotFound where it is deleted or being deleted.
    """
    reason = None if error is None else error[:MAX_REASON]

    def plan(photo: Photo) -> Photo:
        return replace(photo, face_status=status, face_engine=engine, face_error=reason)

    return update_photo(photo, plan, watching=WATCHED, table=table)


def retry_indexing(photo: Photo, *, table: Table) -> Photo:
    """The photo as it is now: RAW, to be searched for faces again. Conflict where that was done with success."""

    def plan(photo: Photo) -> Photo:
        if photo.face_status is FaceStatus.INDEXED:
            raise Conflict("only a photo in which face detection failed is tried again")
        return replace(photo, face_status=FaceStatus.RAW, face_engine=None, face_error=None)

    return update_photo(photo, plan, watching=WATCHED, table=table)


def stale_faces(known: Iterable[Face], kept: Sequence[Face]) -> list[Face]:
    """Faces that an engine found before and not now. Faces that people drew or decided about stay."""
    ids = {face.face_id for face in kept}
    return [face for face in known if face.face_id not in ids and face.engine is not None and not face.by_hand]


def _without_person(face: Face) -> Face:
    """The face without its person, who was deleted or erased since it was read."""
    return replace(face, person_id=None, added_at=None, stored_engine_person_id=None, by_hand=False)


def _with_verdict(seen: PhotoFaces, face: Face, table: Table) -> Face:
    resolve = Redirects(table)
    known = {*seen.faces, face.face_id}
    return verdict_on(face, seen.decisions, known, resolve).place(face, face.engine_person_id, resolve)

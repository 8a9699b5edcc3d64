"""The faces that were found in a photo: kept, found again, and gone.

A face that is found again keeps its id, its person and whatever people decided about it, also when another engine finds
it: the boxes overlap by half.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sparks.library.people.reading import TRIES, PhotoFaces, read_faces_there
from sparks.library.people.redirects import Redirects
from sparks.library.people.replaying import verdict_on
from sparks.library.people.writing import BUSY, write_face
from sparks.library.photos.writing import change_photo
from sparks.model.errors import Busy
from sparks.model.face import Face
from sparks.model.photo import FaceStatus, Photo
from sparks.table.port import Table


def found_again(found: Iterable[Face], known: Iterable[Face]) -> list[Face]:
    """What was found, in its order, each with the id and the person of the face that it is; each of these once. Who
    has the same id comes first: in a film, faces of different frames may be at the same place.
    """
    faces = list(found)
    left = {face.face_id: face for face in known}
    same = {face.face_id: left.pop(face.face_id) for face in faces if face.face_id in left}
    told = []
    for face in faces:
        was = same.get(face.face_id) or max(left.values(), key=lambda each: face.box.overlap(each.box), default=None)
        if was is not None and (was.face_id == face.face_id or face.box.is_same_face(was.box)):
            left.pop(was.face_id, None)
            face = as_known(face, was)
        told.append(face)
    return told


def as_known(face: Face, known: Face) -> Face:
    """As it was found now, and whose it is as before."""
    return replace(
        face,
        face_id=known.face_id,
        person_id=known.person_id,
        home_person_id=known.home_person_id,
        by_hand=known.by_hand,
        extra=known.extra,
    )


def keep_face(face: Face, *, at: datetime, table: Table) -> Face:
    """The face as it is now: new and waiting, unless people decided about a face there; or found again. NotFound where
    the photo is gone or being deleted: the step then removes the crop. A repeat is harmless.
    """
    for _ in range(TRIES):
        seen = read_faces_there(face.image_id, face.owner, table=table)
        before = seen.faces.get(face.face_id)
        after = _with_verdict(seen, _nobodys(face) if before is None else as_known(face, before), table)
        if after == before or write_face(seen, before, after, at=at, table=table):
            return after
    raise Busy(BUSY)


def remove_face(image_id: str, owner: str, face_id: str, *, at: datetime, table: Table) -> Face | None:
    """The face that went, whose crop is to be deleted, or None where there was none. NotFound as in `keep_face`."""
    for _ in range(TRIES):
        seen = read_faces_there(image_id, owner, table=table)
        before = seen.faces.get(face_id)
        if before is None or write_face(seen, before, None, at=at, table=table):
            return before
    raise Busy(BUSY)


def finish_indexing(photo: Photo, status: FaceStatus, *, engine: str | None, table: Table) -> Photo:
    """Tells that its faces were looked for, and by which engine: found, or not to be found. NotFound where it is gone
    or being deleted.
    """
    return change_photo(photo, lambda photo: replace(photo, face_status=status, face_engine=engine), table=table)


def stale_faces(known: Iterable[Face], kept: Sequence[Face]) -> list[Face]:
    """Those that an engine found before and not now. What people drew or decided about stays."""
    ids = {face.face_id for face in kept}
    return [face for face in known if face.face_id not in ids and face.engine is not None and not face.by_hand]


def _nobodys(face: Face) -> Face:
    """Whosever it was when it was read, it has gone since: forgotten, perhaps, with the person."""
    return replace(face, person_id=None, home_person_id=None, by_hand=False)


def _with_verdict(seen: PhotoFaces, face: Face, table: Table) -> Face:
    resolve = Redirects(table)
    known = {*seen.faces, face.face_id}
    return verdict_on(face, seen.decisions, known, resolve).place(face, face.home, resolve)

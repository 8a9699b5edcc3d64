"""Moves one face to, from or between persons, in one transaction.

The face's row, the TAGGING rows of both persons, and the photo's own row, whose `persons` are rewritten from the faces,
change together, so that a face has at most one person at every moment. The counters follow (`counters`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from sparks.library import blob_keys, keys
from sparks.library.people.photo_faces import PhotoFaces, decisions_about, find_persons, row_of
from sparks.library.people.redirects import CANONICAL
from sparks.library.people.replay_decisions import new_person, replayed
from sparks.library.records import as_read, changes, key_of, to_item
from sparks.model.audience import is_in_community
from sparks.model.errors import ConditionFailed
from sparks.model.face import Face, FaceById, FaceChange, FaceLogEntry
from sparks.model.person import Person, PersonInPhoto
from sparks.model.photo import Photo, ProcessingStatus, Rendition
from sparks.table.port import Absent, AttributeAbsent, Change, Check, Delete, Equals, Present, Put, Set, Table

CHOSEN: Final = 10.0  # higher than any quality
COUNTED: Final = ("counted", "countedFaces", "countedIn")
BUSY: Final = "the faces of this photo are being changed by other requests: try again later"


@dataclass(frozen=True, slots=True)
class FaceMove:
    """A face of a photo as it was read and as it is to be; None where it does not exist. `persons` are those of the two
    persons who exist, `founded` is one to create.
    """

    seen: PhotoFaces
    before: Face | None
    after: Face | None
    at: datetime
    persons: Mapping[str, Person] = field(default_factory=dict)
    founded: Person | None = None


def write_move(move: FaceMove, *also: Change, table: Table) -> None:
    """ConditionFailed at 0 where the photo's faces changed meanwhile or it is being deleted; from 1 on where a change
    of `also` fails; after those where a person was merged.
    """
    faces = faces_after(move)
    photo = move.seen.photo
    values = {
        "persons": _persons_in(move.seen, faces.values()),
        "faceCount": len(faces),
        "facesVersion": (photo.faces_version if photo else 0) + 1,
    }
    table.write(
        Set(move.seen.key, values, when=move.seen.to_be_changed()),
        *also,
        *_face_changes(move),
        *_tagging_changes(move, faces),
        *_person_checks(move),
    )


def faces_after(move: FaceMove) -> dict[str, Face]:
    gone = {} if move.before is None else {move.before.face_id}
    faces = {face_id: face for face_id, face in move.seen.faces.items() if face_id not in gone}
    return faces if move.after is None else faces | {move.after.face_id: move.after}


def persons_of(faces: Iterable[Face]) -> list[str]:
    """In the order in which they were founded."""
    return _in_order({face.person_id for face in faces if face.person_id is not None})


def _persons_in(seen: PhotoFaces, faces: Iterable[Face]) -> list[str]:
    """Also those of whom another program says that they are in the photo."""
    external = {tagging.person_id for tagging in seen.taggings.values() if is_external(tagging)}
    return _in_order({*persons_of(faces), *external})


def _in_order(person_ids: Iterable[str]) -> list[str]:
    return sorted(person_ids, key=lambda person_id: (len(person_id), person_id))


def tagging_of(
    photo: Photo,
    person_id: str,
    faces: Iterable[Face],
    person: Person | None,
    before: PersonInPhoto | None,
    *,
    at: datetime,
) -> PersonInPhoto:
    """The row of the person in the photo, with their best face there; counted as it was before."""
    tagging = before or PersonInPhoto(
        image_id=photo.image_id, person_id=person_id, created_at=at.replace(microsecond=0)
    )
    chosen = None if person is None else person.chosen_face_id
    best = max(faces, key=lambda face: (rank_of(face, chosen), face.face_id), default=None)
    return replace(
        tagging,
        owner=photo.owner,
        private=not is_in_community(photo),
        picture_key=_picture_key(photo),
        renditions=photo.renditions,
        best_face_id=None if best is None else best.face_id,
        best_thumb_key=None if best is None else best.thumb_key,
        best_rank=None if best is None else rank_of(best, chosen),
    )


def _picture_key(photo: Photo) -> str | None:
    """The large rendition, also before it is made; the original where it cannot be made."""
    made = None if photo.renditions is None else photo.renditions.keys.get(Rendition.LARGE)
    if made is None and photo.processing_status is ProcessingStatus.FAILED:
        return photo.original_key
    return made or blob_keys.rendition(photo.image_id, Rendition.LARGE)


def rank_of(face: Face, chosen: str | None) -> float:
    return (face.quality or 0.0) + (CHOSEN if face.face_id == chosen else 0.0)


def is_counted(tagging: PersonInPhoto) -> bool:
    """Whether any counter includes it."""
    return tagging.counted or tagging.counted_faces != 0 or bool(tagging.counted_in)


def is_external(tagging: PersonInPhoto) -> bool:
    """Whether another program wrote the row, and no face of the person is known: it stands until that program, or the
    deletion of the photo, removes it.
    """
    return tagging.owner is None and tagging.best_face_id is None


def face_log_changes(before: Face | None, after: Face | None, *, at: datetime) -> Iterator[Change]:
    """The changes of the face log, which every vector index follows: a face was added or is to be looked up again. The
    entry that named the photo of a removed face is deleted.
    """
    old, new = _entry(before), _entry(after)
    if after is None and before is not None and before.embedding is not None:
        new = FaceLogEntry(indexed_at=at, face_id=before.face_id, change=FaceChange.REMOVED)
    if old is not None and (new is None or key_of(new) != key_of(old)):
        yield Delete(key_of(old))
    if new is not None and (old is None or key_of(new) != key_of(old) or new.change is not old.change):
        yield Put(to_item(new))


def _entry(face: Face | None) -> FaceLogEntry | None:
    if face is None or face.indexed_at is None:
        return None
    return FaceLogEntry(
        indexed_at=face.indexed_at,
        face_id=face.face_id,
        image_id=face.image_id,
        owner=face.owner,
        change=FaceChange.ADDED,
    )


def face_removal_changes(face: Face, *, at: datetime) -> Iterator[Change]:
    """Deletes all rows of a face, except those of persons in the photo."""
    yield from (Delete(key_of(face)), Delete(keys.face_by_id(face.face_id)))
    yield from face_log_changes(face, None, at=at)


def _face_changes(move: FaceMove) -> Iterator[Change]:
    before, after = move.before, move.after
    if after is None:
        yield from () if before is None else face_removal_changes(before, at=move.at)
        return
    if before is None:
        by_id = FaceById(face_id=after.face_id, image_id=after.image_id, owner=after.owner)
        yield from (Put(to_item(after), when=(Absent(),)), Put(to_item(by_id)))
    else:
        yield changes(before, after)
    yield from face_log_changes(before, after, at=move.at)


def _tagging_changes(move: FaceMove, faces: Mapping[str, Face]) -> Iterator[Change]:
    photo = move.seen.photo
    if photo is None:
        return
    for person_id in persons_of(face for face in (move.before, move.after) if face is not None):
        before = move.seen.taggings.get(person_id)
        theirs = [face for face in faces.values() if face.person_id == person_id]
        after = tagging_of(photo, person_id, theirs, move.persons.get(person_id), before, at=move.at)
        if before is None:
            yield Put(to_item(after), when=(Absent(),))
        elif theirs or is_counted(before):
            yield changes(before, after)
        else:
            yield Delete(key_of(before), when=as_read(row_of(move.seen, before), COUNTED))


def _person_checks(move: FaceMove) -> Sequence[Change]:
    """The person who gets the face is not merged, and the engine's person leads to them."""
    if move.after is None or move.after.person_id is None:
        return ()
    if move.founded is not None:
        return (Put(to_item(move.founded), when=(Absent(),)),)
    there = Check(keys.person(move.after.person_id), (Present(), AttributeAbsent(CANONICAL)))
    engine_person = move.after.engine_person_id
    if move.after.by_hand or engine_person is None or engine_person == move.after.person_id:
        return (there,)
    return there, Check(keys.person(engine_person), (Equals(CANONICAL, move.after.person_id),))


def write_face(
    seen: PhotoFaces,
    before: Face | None,
    after: Face | None,
    *,
    at: datetime,
    also: Sequence[Change] = (),
    founded: Person | None = None,
    table: Table,
) -> bool:
    """Whether it was written; not so where another process was faster. An unassigned face is logged as waiting.

    ConditionFailed where a change of `also` fails, by its position.
    """
    after = None if after is None else with_joining_time(before, _waiting(before, after, at), at)
    about = {face.person_id for face in (before, after) if face is not None and face.person_id is not None}
    persons = find_persons(about, table=table)
    if founded is None and after is not None and after.person_id is not None and after.person_id not in persons:
        founded = restored_person(after.person_id, at=at, table=table)
    try:
        write_move(FaceMove(seen, before, after, at, persons, founded), *also, table=table)
    except ConditionFailed as failed:
        if 1 <= failed.position <= len(also):
            raise ConditionFailed(failed.position - 1, failed.found) from failed
        return False
    return True


def restored_person(person_id: str, *, at: datetime, table: Table) -> Person:
    """A person who was deleted with the last face, as decisions make them."""
    decisions = decisions_about(person_id, table=table)
    return replace(replayed(new_person(person_id, at=at), decisions), decision_count=len(decisions))


def with_joining_time(before: Face | None, after: Face, at: datetime) -> Face:
    """The face with the time at which it joined its person, as it is written."""
    if after.person_id is None:
        return replace(after, added_at=None)
    stayed = before is not None and before.person_id == after.person_id
    return after if stayed else replace(after, added_at=at)


def _waiting(before: Face | None, after: Face, at: datetime) -> Face:
    lost = before is not None and before.person_id is not None
    if after.person_id is not None or after.embedding is None or not lost:
        return after
    return replace(after, indexed_at=at)

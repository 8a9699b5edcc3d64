"""A face comes, goes, or becomes somebody's: one transaction a face.

The face's row, the TAGGING rows of who loses and who gets it, and the photo's own row, whose `persons` are rewritten
from the faces, change together or not at all, so that a face has at most one person at every moment. The counters
follow (`counting`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.reading import PhotoFaces, row_of
from sparks.library.people.redirects import CANONICAL
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, key_of, to_item
from sparks.model.face import Face, FaceById, FaceChange, FaceLogEntry
from sparks.model.person import Person, Tagging
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.table.port import Absent, AttributeAbsent, Change, Check, Delete, Equals, Present, Put, Set, Table

CHOSEN: Final = 10.0  # better than the best of those whom nobody chose
COUNTED: Final = ("counted", "countedFaces", "countedIn")


@dataclass(frozen=True, slots=True)
class Move:
    """A face of a photo as it was read, and as it is to be; None where it is not there. `persons` are those that were
    read of the persons whom this is about.
    """

    seen: PhotoFaces
    before: Face | None
    after: Face | None
    at: datetime
    persons: Mapping[str, Person] = field(default_factory=dict)
    founded: Person | None = None


def write_move(move: Move, *also: Change, table: Table) -> None:
    """ConditionFailed at 0 where the photo's faces changed meanwhile or it is being deleted; from 1 on where a change
    of `also` fails; behind those where a person was merged.
    """
    faces = faces_after(move)
    photo = move.seen.photo
    values = {
        "persons": persons_of(faces.values()),
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


def faces_after(move: Move) -> dict[str, Face]:
    gone = {} if move.before is None else {move.before.face_id}
    faces = {face_id: face for face_id, face in move.seen.faces.items() if face_id not in gone}
    return faces if move.after is None else faces | {move.after.face_id: move.after}


def persons_of(faces: Iterable[Face]) -> list[str]:
    """In the order in which they were founded."""
    ids = {face.person_id for face in faces if face.person_id is not None}
    return sorted(ids, key=lambda person_id: (len(person_id), person_id))


def tagging_of(
    photo: Photo, person_id: str, faces: Iterable[Face], person: Person | None, before: Tagging | None, *, at: datetime
) -> Tagging:
    """The row that says who is in the photo, with their best face there; counted as it was before."""
    tagging = before or Tagging(image_id=photo.image_id, person_id=person_id, created_at=at.replace(microsecond=0))
    chosen = None if person is None else person.chosen_face_id
    best = max(faces, key=lambda face: (rank_of(face, chosen), face.face_id), default=None)
    return replace(
        tagging,
        owner=photo.owner,
        private=not in_community(photo),
        picture_key=photo.original_key,
        renditions=photo.renditions,
        best_face_id=None if best is None else best.face_id,
        best_rank=None if best is None else rank_of(best, chosen),
    )


def rank_of(face: Face, chosen: str | None) -> float:
    return (face.quality or 0.0) + (CHOSEN if face.face_id == chosen else 0.0)


def in_community(photo: Photo) -> bool:
    return photo.state is PhotoState.READY and photo.visibility is Visibility.COMMUNITY


def is_counted(tagging: Tagging) -> bool:
    """Whether any counter knows it."""
    return tagging.counted or tagging.counted_faces != 0 or bool(tagging.counted_in)


def logged(before: Face | None, after: Face | None, *, at: datetime) -> Iterator[Change]:
    """The face log, which every vector index tails: that a face came, and when it is to be looked at again. Of one that
    goes, what told its photo goes too.
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


def removed(face: Face, *, at: datetime) -> Iterator[Change]:
    """All rows of a face that goes, but for those that tell who is in the photo."""
    yield from (Delete(key_of(face)), Delete(keys.face_by_id(face.face_id)))
    yield from logged(face, None, at=at)


def _face_changes(move: Move) -> Iterator[Change]:
    before, after = move.before, move.after
    if after is None:
        yield from () if before is None else removed(before, at=move.at)
        return
    if before is None:
        by_id = FaceById(face_id=after.face_id, image_id=after.image_id, owner=after.owner)
        yield from (Put(to_item(after), when=(Absent(),)), Put(to_item(by_id)))
    else:
        yield changes(before, after)
    yield from logged(before, after, at=move.at)


def _tagging_changes(move: Move, faces: Mapping[str, Face]) -> Iterator[Change]:
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


def _person_checks(move: Move) -> Sequence[Change]:
    """Who gets the face leads to nobody else, and the one whom the engine took it for leads there."""
    if move.after is None or move.after.person_id is None:
        return ()
    if move.founded is not None:
        return (Put(to_item(move.founded), when=(Absent(),)),)
    there = Check(keys.person(move.after.person_id), (Present(), AttributeAbsent(CANONICAL)))
    home = move.after.home
    if move.after.by_hand or home is None or home == move.after.person_id:
        return (there,)
    return there, Check(keys.person(home), (Equals(CANONICAL, move.after.person_id),))

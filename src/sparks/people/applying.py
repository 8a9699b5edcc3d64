"""The way from the persons that are to those that should be, gone step by step.

Each step is one small transaction, and holds only while the face is still whose the plan says: what people decide, and
photos that go meanwhile, come first. Photos are settled after every few steps: whoever was killed begins again at the
position that was noted last, or settles the photos of the faces that were noted with it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from sparks.library.face_log import faces_by_id
from sparks.library.people import assign_face, drop_emptied, find_person, found_person, settle_people, unassign_face
from sparks.library.people.redirects import Redirects
from sparks.model.errors import NotFound
from sparks.model.face import Face
from sparks.model.scope import Scope
from sparks.people.known import Rows, home_of
from sparks.people.plan import Found, Leave, Move, Step
from sparks.table.port import Table

AT_ONCE: Final = 50  # steps between two notes

Photos: TypeAlias = Sequence[tuple[str, str]]
"""Image id and owner of each."""
Note: TypeAlias = Callable[[int, Sequence[str]], None]
"""(position, ids of faces): all before this position is done and settled, and these are touched next."""
Still: TypeAlias = Callable[[Sequence[Step]], Sequence[Step]]


@dataclass(slots=True)
class Applied:
    """Who was founded, which others got or lost a face, and in which scopes that is to be seen."""

    created: set[str] = field(default_factory=set)
    updated: set[str] = field(default_factory=set)
    scopes: set[Scope] = field(default_factory=set)


def apply_steps(
    steps: Sequence[Step],
    *,
    at: datetime,
    enough: int | None,
    table: Table,
    note: Note | None = None,
    still: Still | None = None,
    start: int = 0,
) -> Applied:
    """All steps from the position `start` on; a repeat is harmless. `note` is called before every few of them, and at
    the end; `still` tells which of the next few are wanted.
    """
    applied = Applied()
    begun = frozenset(step.person_id for step in steps if isinstance(step, Found))
    for position in range(start, len(steps), AT_ONCE):
        some = steps[position : position + AT_ONCE]
        faces = faces_by_id([step.face_id for step in some if isinstance(step, Move)], table=table)
        photos = photos_of(faces.values())
        if note is not None:
            note(position, list(faces))
        for step in some if still is None else still(some):
            _take(step, faces, begun, applied, at=at, table=table)
        applied.scopes |= settle_photos(photos, enough=enough, table=table)
    if note is not None:
        note(len(steps), ())
    return applied


def photos_of(faces: Iterable[Face]) -> Photos:
    return list(dict.fromkeys((face.image_id, face.owner) for face in faces))


def settle_next(steps: Sequence[Step], start: int, *, enough: int | None, table: Table) -> set[Scope]:
    """The photos that somebody was changing who was killed behind this position; for steps that nobody goes on with."""
    moves = [step.face_id for step in steps[start : start + AT_ONCE] if isinstance(step, Move)]
    return settle_photos(photos_of(faces_by_id(moves, table=table).values()), enough=enough, table=table)


def settle_photos(photos: Iterable[tuple[str, str]], *, enough: int | None, table: Table) -> set[Scope]:
    """The scopes whose persons are others now, or seen in another way."""
    settled = (settle_people(image_id, owner, enough=enough, table=table) for image_id, owner in photos)
    return {scope for touched in settled for scope in touched}


def _take(step: Step, faces: Rows, begun: frozenset[str], applied: Applied, *, at: datetime, table: Table) -> None:
    if isinstance(step, Leave):
        drop_emptied(step.person_id, table=table)
    elif isinstance(step, Move) and (face := faces.get(step.face_id)) is not None and home_of(face) == step.before:
        try:
            _move(step, face, begun, applied, at=at, table=table)
        except NotFound:
            return  # the photo is on its way out, or the person was forgotten


def _move(step: Move, face: Face, begun: frozenset[str], applied: Applied, *, at: datetime, table: Table) -> None:
    """[Note: homes] A face that stays with the same person keeps its home, so that an undone merge leaves what was."""
    resolve = Redirects(table)
    if step.after is None:
        moved = unassign_face(face, at=at, as_seen=True, table=table).person_id != face.person_id
    elif step.after in begun and find_person(step.after, table=table) is None:
        if step.after in applied.created:  # and forgotten since
            return
        moved = found_person(face, person_id=step.after, at=at, as_seen=True, table=table) is not None
        applied.created |= {step.after} if moved else set()
    elif step.before is not None and resolve(step.before) == resolve(step.after):
        moved = False
    else:
        moved = assign_face(face, step.after, at=at, as_seen=True, table=table).person_id == resolve(step.after)
    touched = {resolve(each) for each in (step.before, step.after) if each is not None} if moved else set()
    applied.updated |= touched - applied.created

"""Carries out a plan step by step, each a small transaction that may be repeated.

A step applies only while the face still has the person that the plan says: decisions and deletions made meanwhile come
first. After every batch of steps the photos of the moved faces are reconciled. A run that follows an interrupted one
starts at the last noted position, or reconciles the photos of the faces that were noted with it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from sparks.library.face_log import faces_by_id
from sparks.library.people.apply_decision import remove_if_empty
from sparks.library.people.face_assignment import assign_face, found_person, unassign_face
from sparks.library.people.photo_faces import find_person
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import Redirects
from sparks.model.errors import NotFound
from sparks.model.face import Face
from sparks.model.scope import Scope
from sparks.people.change_plan import CreatePerson, MoveFace, PlanStep, RemovePerson
from sparks.people.face_arrays import Rows, engine_person_of
from sparks.table.port import Table

BATCH_SIZE: Final = 50  # steps

Photos: TypeAlias = Sequence[tuple[str, str]]
"""Image id and owner of each."""
Note: TypeAlias = Callable[[int, Sequence[str]], None]
"""(position, ids of faces): all steps before this position are done and reconciled; these faces are changed next."""
SelectSteps: TypeAlias = Callable[[Sequence[PlanStep]], Sequence[PlanStep]]


@dataclass(slots=True)
class AppliedChanges:
    """The persons that were created, the other persons who got or lost a face, and the scopes where they are seen."""

    created: set[str] = field(default_factory=set)
    updated: set[str] = field(default_factory=set)
    scopes: set[Scope] = field(default_factory=set)


def apply_steps(
    steps: Sequence[PlanStep],
    *,
    at: datetime,
    min_photos: int | None,
    table: Table,
    note: Note | None = None,
    select: SelectSteps | None = None,
    start: int = 0,
) -> AppliedChanges:
    """Applies all steps from the position `start` on; a repeat is harmless. `note` is called before each batch and at
    the end; `select` returns the steps of a batch that are still to be applied.
    """
    applied = AppliedChanges()
    new_persons = frozenset(step.person_id for step in steps if isinstance(step, CreatePerson))
    for position in range(start, len(steps), BATCH_SIZE):
        batch = steps[position : position + BATCH_SIZE]
        faces = faces_by_id([step.face_id for step in batch if isinstance(step, MoveFace)], table=table)
        photos = photos_of(faces.values())
        if note is not None:
            note(position, list(faces))
        for step in batch if select is None else select(batch):
            _apply(step, faces, new_persons, applied, at=at, table=table)
        applied.scopes |= reconcile_photos(photos, min_photos=min_photos, table=table)
    if note is not None:
        note(len(steps), ())
    return applied


def photos_of(faces: Iterable[Face]) -> Photos:
    return list(dict.fromkeys((face.image_id, face.owner) for face in faces))


def reconcile_interrupted(steps: Sequence[PlanStep], start: int, *, min_photos: int | None, table: Table) -> set[Scope]:
    """Reconciles the photos of the batch in which a run was interrupted, for a plan that is not resumed."""
    moves = [step.face_id for step in steps[start : start + BATCH_SIZE] if isinstance(step, MoveFace)]
    return reconcile_photos(photos_of(faces_by_id(moves, table=table).values()), min_photos=min_photos, table=table)


def reconcile_photos(photos: Iterable[tuple[str, str]], *, min_photos: int | None, table: Table) -> set[Scope]:
    """Returns the scopes whose persons have changed."""
    scopes = (reconcile_people(image_id, owner, min_photos=min_photos, table=table) for image_id, owner in photos)
    return {scope for touched in scopes for scope in touched}


def _apply(
    step: PlanStep, faces: Rows, new_persons: frozenset[str], applied: AppliedChanges, *, at: datetime, table: Table
) -> None:
    if isinstance(step, RemovePerson):
        remove_if_empty(step.person_id, table=table)
    elif (
        isinstance(step, MoveFace)
        and (face := faces.get(step.face_id)) is not None
        and engine_person_of(face) == step.before
    ):
        try:
            _move(step, face, new_persons, applied, at=at, table=table)
        except NotFound:
            return  # the photo is being deleted, or the person was erased


def _move(
    step: MoveFace, face: Face, new_persons: frozenset[str], applied: AppliedChanges, *, at: datetime, table: Table
) -> None:
    """A face whose old and new engine persons are merged stays, so that undoing the merge restores both persons as they
    were; see [Note: engine persons].
    """
    resolve = Redirects(table)
    if step.after is None:
        moved = unassign_face(face, at=at, as_seen=True, table=table).person_id != face.person_id
    elif step.after in new_persons and find_person(step.after, table=table) is None:
        if step.after in applied.created:  # and erased since
            return
        moved = found_person(face, person_id=step.after, at=at, as_seen=True, table=table) is not None
        applied.created |= {step.after} if moved else set()
    elif step.before is not None and resolve(step.before) == resolve(step.after):
        moved = False
    else:
        moved = assign_face(face, step.after, at=at, as_seen=True, table=table).person_id == resolve(step.after)
    touched = {resolve(each) for each in (step.before, step.after) if each is not None} if moved else set()
    applied.updated |= touched - applied.created

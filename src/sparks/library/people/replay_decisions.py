"""Replays human decisions: the later one counts, and undone ones do not."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sparks.model.face import Box, Face, FaceReference
from sparks.model.person import Decision, DecisionKind, FaceDecision, Person

WHOLE_PICTURE: Final = Box(0, 0, 1, 1)  # in a reference: the only face of the photo, wherever it is
Resolve = Callable[[str], str]

_GIVEN: Final = frozenset({DecisionKind.ASSIGN, DecisionKind.DRAW})


def in_force(decisions: Iterable[Decision]) -> list[Decision]:
    """The decisions that are not undone, in the order in which they are replayed."""
    listed = list(decisions)
    undone = {decision.undoes for decision in listed if decision.kind is DecisionKind.UNDO}
    kept = (each for each in listed if each.kind is not DecisionKind.UNDO and each.decision_id not in undone)
    return sorted(kept, key=lambda decision: (decision.decided_at, decision.decision_id))


def new_person(person_id: str, *, at: datetime) -> Person:
    """A new person, whose name is the id until they get one."""
    founded = at.replace(microsecond=0)
    return Person(person_id=person_id, display_name=person_id, created_at=founded, updated_at=at, member_count=0)


def replayed(person: Person, decisions: Sequence[Decision]) -> Person:
    """The person as all decisions about them make them. Fields without a decision stay as they are."""
    standing = in_force(decisions)
    person = replace(person, display_name=_name(person, decisions, standing))
    if any(decision.kind in {DecisionKind.HIDE, DecisionKind.SHOW} for decision in decisions):
        shown = [each.kind for each in standing if each.kind in {DecisionKind.HIDE, DecisionKind.SHOW}]
        person = replace(person, hidden=shown[-1:] == [DecisionKind.HIDE])
    chosen = [each.faces[0].face_id for each in standing if each.kind is DecisionKind.PICTURE and each.faces]
    return replace(person, chosen_face_id=chosen[-1] if chosen else None)


def merged_by(decisions: Iterable[Decision]) -> list[str]:
    """The persons who became this one, by the decisions about them."""
    merges = (each for each in in_force(decisions) if each.kind is DecisionKind.MERGE)
    return [each.other_person_id for each in merges if each.other_person_id is not None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of decisions about a face: its person, if there is one, and the persons that it is not."""

    person_id: str | None = None
    rejected: frozenset[str] = frozenset()

    def place(self, face: Face, engine_person_id: str | None, resolve: Resolve) -> Face:
        """The face as people decided, where the engine assigns it to `engine_person_id`."""
        if self.person_id is not None:
            return replace(face, person_id=self.person_id, stored_engine_person_id=engine_person_id, by_hand=True)
        person_id = None if engine_person_id is None else resolve(engine_person_id)
        person_id = None if person_id in self.rejected else person_id
        stored = engine_person_id if engine_person_id != person_id else None
        return replace(face, person_id=person_id, stored_engine_person_id=stored, by_hand=False)


def verdict_on(face: Face, decisions: Iterable[FaceDecision], known: Collection[str], resolve: Resolve) -> Verdict:
    """`known` are the ids of all faces of the photo: a decision that names one of them is about no other."""
    chosen: str | None = None
    rejected: set[str] = set()
    for decision in decisions:
        if decision.undone or not any(_is_meant(face, each, known) for each in decision.faces):
            continue
        person_id = resolve(decision.person_id)
        if decision.kind in _GIVEN:
            chosen = person_id
        elif decision.kind is DecisionKind.SPLIT and decision.other_person_id is not None:
            rejected.add(person_id)
            chosen = resolve(decision.other_person_id)
        elif decision.kind is DecisionKind.REJECT:
            rejected.add(person_id)
            chosen = None if chosen == person_id else chosen
            continue
        rejected.discard(chosen or "")
    return Verdict(chosen, frozenset(rejected))


def _is_meant(face: Face, reference: FaceReference, known: Collection[str]) -> bool:
    if reference.face_id in known:
        return reference.face_id == face.face_id
    if reference.box == WHOLE_PICTURE:
        return len(known) == 1
    return reference.box.is_same_face(face.box)


def _name(person: Person, decisions: Sequence[Decision], standing: Sequence[Decision]) -> str:
    said = [each for each in decisions if each.kind is DecisionKind.NAME]
    if not said:
        return person.display_name
    names = [each.name for each in standing if each.kind is DecisionKind.NAME]
    return (names[-1] if names else said[0].was) or person.person_id

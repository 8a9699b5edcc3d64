"""From the persons that are to those that should be: small moves in an order that may stop anywhere."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sparks.people.groups.grouping import Group


@dataclass(frozen=True, slots=True)
class Found:
    """A person begins. Their faces come after."""

    person_id: str


@dataclass(frozen=True, slots=True)
class Move:
    """One face, one transaction. Holds while the face is still `before`'s; None is nobody, and waits."""

    face_id: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Leave:
    """A person has lost the last face: they go, unless they have a name."""

    person_id: str


Step: TypeAlias = Found | Move | Leave


def persons_then(groups: Iterable[Group], waiting: Iterable[str], new_persons: Iterable[str]) -> dict[str, str | None]:
    """By face the person it should have; each group without one takes one of the new ids, in order."""
    fresh = iter(new_persons)
    persons = ((group, group.person_id or next(fresh)) for group in groups)
    then: dict[str, str | None] = {face: person for group, person in persons for face in group.faces}
    return then | dict.fromkeys(waiting)


def plan_steps(
    now: Mapping[str, str | None], then: Mapping[str, str | None], *, persons: Collection[str]
) -> tuple[Step, ...]:
    """What has to happen to the faces in `then`; a face that is in `now` alone stays where it is.

    `now` has all faces of those who may lose one, and `persons` are all who are there already. A face is moved once,
    from whom it has to whom it gets, and so never has two persons. Persons begin before their faces come, and who is
    left without a face goes last.

    [Note: order] Faces come first to those who keep none of what they have, and those who become nobody's go last: but
    for two who swap all they have, nobody who stays is without a face on the way.
    """
    kept = {person for face, person in now.items() if then.get(face, person) == person}
    moves = [Move(face, now.get(face), person) for face, person in then.items() if now.get(face) != person]
    moves.sort(key=lambda move: (move.after is None, move.after in kept, move.face_id))
    begun = {move.after for move in moves}.difference(persons)
    left = {move.before for move in moves}.difference({**now, **then}.values())
    return (*map(Found, _by_age(begun)), *moves, *map(Leave, _by_age(left)))


def _by_age(persons: Iterable[str | None]) -> list[str]:
    """person9 was there before person10."""
    return sorted((person for person in persons if person is not None), key=lambda person: (len(person), person))

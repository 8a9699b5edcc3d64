"""Plan of changes to faces and persons: its steps, and its stored form.

A plan grows with the library, so it is stored as a blob. The job state names it, with the position reached, so that a
run that follows an interrupted one finds it. A plan is valid for one engine and for a day: after that, too much of the
library has changed.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import msgspec

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.model.errors import NotFound
from sparks.people.clustering.group_faces import Doubt, Group

FOLDER: Final = "people"
VALID_FOR: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class CreatePerson:
    """Creates a person, whose faces follow."""

    person_id: str


@dataclass(frozen=True, slots=True)
class MoveFace:
    """Moves one face in one transaction, if its person is still `before`. None stands for unassigned."""

    face_id: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class RemovePerson:
    """Removes a person who has lost the last face, unless they have a name."""

    person_id: str


PlanStep: TypeAlias = CreatePerson | MoveFace | RemovePerson


def planned_persons(
    groups: Iterable[Group], unassigned: Iterable[str], new_persons: Iterable[str]
) -> dict[str, str | None]:
    """The planned person of each face; each group without a person takes the next of the new ids."""
    new_ids = iter(new_persons)
    persons = ((group, group.person_id or next(new_ids)) for group in groups)
    planned: dict[str, str | None] = {face: person for group, person in persons for face in group.faces}
    return planned | dict.fromkeys(unassigned)


def plan_steps(
    now: Mapping[str, str | None], planned: Mapping[str, str | None], *, persons: Collection[str]
) -> tuple[PlanStep, ...]:
    """The steps from `now` to `planned`; a face that is in `now` only keeps its person.

    `now` has all faces of every person who may lose one, and `persons` are the persons that exist. Each face is moved
    once, so it never has two persons. Persons are created before their faces move, and those without a face are removed
    last.

    Persons who keep none of their faces get new ones first, and faces become unassigned last. So no remaining person is
    without a face on the way, except when two persons swap all their faces.
    """
    keeping = {person for face, person in now.items() if planned.get(face, person) == person}
    moves = [MoveFace(face, now.get(face), person) for face, person in planned.items() if now.get(face) != person]
    moves.sort(key=lambda move: (move.after is None, move.after in keeping, move.face_id))
    created = {move.after for move in moves}.difference(persons)
    emptied = {move.before for move in moves}.difference({**now, **planned}.values())
    return (*map(CreatePerson, _by_age(created)), *moves, *map(RemovePerson, _by_age(emptied)))


def _by_age(persons: Iterable[str | None]) -> list[str]:
    """person9 is older than person10."""
    return sorted((person for person in persons if person is not None), key=lambda person: (len(person), person))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPlan:
    """Steps in this order: persons are `founded`, faces move, persons who have `left` are removed.

    `faces` is the number of faces that were grouped. `decided` is the number of decisions about each person at that
    time, without zeros. `doubts` are pairs of faces that may be of one person, for the merge suggestions at the end.
    """

    run: str
    engine: str
    made_at: datetime
    faces: int
    founded: tuple[str, ...] = ()
    moves: tuple[tuple[str, str | None, str | None], ...] = ()
    left: tuple[str, ...] = ()
    decided: Mapping[str, int]
    doubts: tuple[tuple[str, str, float], ...] = ()

    @property
    def steps(self) -> tuple[PlanStep, ...]:
        return (
            *map(CreatePerson, self.founded),
            *(MoveFace(*move) for move in self.moves),
            *map(RemovePerson, self.left),
        )

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.founded) + len(self.moves) + len(self.left)

    def is_valid(self, engine: str, *, at: datetime) -> bool:
        return self.engine == engine and abs(at - self.made_at) < VALID_FOR


def new_plan(
    run: str,
    steps: tuple[PlanStep, ...],
    doubts: tuple[Doubt, ...],
    *,
    engine: str,
    made_at: datetime,
    faces: int,
    decided: Mapping[str, int],
) -> StoredPlan:
    moves = [step for step in steps if isinstance(step, MoveFace)]
    return StoredPlan(
        run=run,
        engine=engine,
        made_at=made_at,
        faces=faces,
        founded=tuple(step.person_id for step in steps if isinstance(step, CreatePerson)),
        moves=tuple((move.face_id, move.before, move.after) for move in moves),
        left=tuple(step.person_id for step in steps if isinstance(step, RemovePerson)),
        decided={person: count for person, count in decided.items() if count},
        doubts=tuple((doubt.one, doubt.other, doubt.similarity) for doubt in doubts),
    )


def store_plan(plan: StoredPlan, *, blobs: Blobs) -> None:
    blobs.put(_key(plan.run), [zlib.compress(msgspec.msgpack.encode(plan))])


def find_plan(run: str, *, blobs: Blobs) -> StoredPlan | None:
    """None where the plan is gone, or was written by another version of Sparks."""
    try:
        packed = b"".join(blobs.open(_key(run)))
        return msgspec.msgpack.decode(zlib.decompress(packed), type=StoredPlan)
    except (NotFound, zlib.error, msgspec.DecodeError):
        return None


def delete_plans(*, blobs: Blobs) -> None:
    """Deletes all plans, including those of runs that were interrupted before the job state named them."""
    for key in list(_keys(blobs)):
        blobs.delete(key)


def _keys(blobs: Blobs) -> Iterator[str]:
    page = blobs.list(blob_keys.derived(FOLDER) + "/")
    yield from (blob.key for blob in page.blobs)
    while page.after is not None:
        page = blobs.list(blob_keys.derived(FOLDER) + "/", after=page.after)
        yield from (blob.key for blob in page.blobs)


def _key(run: str) -> str:
    return blob_keys.derived(FOLDER, f"{run}.plan")

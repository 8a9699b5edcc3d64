"""The plan of a full rebuild, kept while it is carried out.

It is as long as the library is large, so it is a blob; the job's state names it, and says how far it is. Whoever comes
after one who was interrupted finds it there. A plan is good for one engine and for a day: then too much has happened.
"""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import msgspec

from sparks.blobs.port import Blobs
from sparks.library import objects
from sparks.model.errors import NotFound
from sparks.people.groups.grouping import Doubt
from sparks.people.plan import Found, Leave, Move, Step

FOLDER: Final = "people"
GOOD_FOR: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """What is to be done to so many faces, in this order: persons are founded, faces move, persons leave.

    `decided` tells how often people had decided about whom, but for those of whom nobody ever spoke. `doubts` are pairs
    of faces that may be of one person, for the suggestions at the end.
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
    def steps(self) -> tuple[Step, ...]:
        return (*map(Found, self.founded), *(Move(*move) for move in self.moves), *map(Leave, self.left))

    @property
    def length(self) -> int:
        """How many steps it has."""
        return len(self.founded) + len(self.moves) + len(self.left)

    def is_good(self, engine: str, *, at: datetime) -> bool:
        return self.engine == engine and abs(at - self.made_at) < GOOD_FOR


def new_plan(
    run: str,
    steps: tuple[Step, ...],
    doubts: tuple[Doubt, ...],
    *,
    engine: str,
    made_at: datetime,
    faces: int,
    decided: Mapping[str, int],
) -> KeptPlan:
    moves = [step for step in steps if isinstance(step, Move)]
    return KeptPlan(
        run=run,
        engine=engine,
        made_at=made_at,
        faces=faces,
        founded=tuple(step.person_id for step in steps if isinstance(step, Found)),
        moves=tuple((move.face_id, move.before, move.after) for move in moves),
        left=tuple(step.person_id for step in steps if isinstance(step, Leave)),
        decided={person: count for person, count in decided.items() if count},
        doubts=tuple((doubt.one, doubt.other, doubt.similarity) for doubt in doubts),
    )


def keep_plan(plan: KeptPlan, *, blobs: Blobs) -> None:
    blobs.put(_key(plan.run), [zlib.compress(msgspec.msgpack.encode(plan))])


def find_plan(run: str, *, blobs: Blobs) -> KeptPlan | None:
    """None where it is gone, or was made by another version of Sparks."""
    try:
        packed = b"".join(blobs.open(_key(run)))
        return msgspec.msgpack.decode(zlib.decompress(packed), type=KeptPlan)
    except (NotFound, zlib.error, msgspec.DecodeError):
        return None


def drop_plans(*, blobs: Blobs) -> None:
    """All of them, also what somebody left who was interrupted before its state named it."""
    for key in list(_keys(blobs)):
        blobs.delete(key)


def _keys(blobs: Blobs) -> Iterator[str]:
    page = blobs.list(objects.derived(FOLDER) + "/")
    yield from (blob.key for blob in page.blobs)
    while page.after is not None:
        page = blobs.list(objects.derived(FOLDER) + "/", after=page.after)
        yield from (blob.key for blob in page.blobs)


def _key(run: str) -> str:
    return objects.derived(FOLDER, f"{run}.plan")

"""Writing a face that was planned from what was read: where somebody else was faster, it is planned anew."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library.people.placing import Move, write_move
from sparks.library.people.reading import PhotoFaces, decisions_about, find_persons
from sparks.library.people.replaying import nobody_yet, replayed
from sparks.model.errors import ConditionFailed
from sparks.model.face import Face
from sparks.model.person import Person
from sparks.table.port import Change, Table

BUSY: Final = "the faces of this photo are being changed by many at once: try again later"


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
    """Whether it was written: not so where somebody was faster. A face that becomes nobody's is told as one that waits.

    ConditionFailed where a change of `also` fails, by its position.
    """
    after = _waiting(before, after, at)
    about = {face.person_id for face in (before, after) if face is not None and face.person_id is not None}
    persons = find_persons(about, table=table)
    if founded is None and after is not None and after.person_id is not None and after.person_id not in persons:
        founded = anew(after.person_id, at=at, table=table)
    try:
        write_move(Move(seen, before, after, at, persons, founded), *also, table=table)
    except ConditionFailed as failed:
        if 1 <= failed.position <= len(also):
            raise ConditionFailed(failed.position - 1, failed.found) from failed
        return False
    return True


def anew(person_id: str, *, at: datetime, table: Table) -> Person:
    """One who had disappeared with the last face, as people had decided about them."""
    decisions = decisions_about(person_id, table=table)
    return replace(replayed(nobody_yet(person_id, at=at), decisions), decision_count=len(decisions))


def _waiting(before: Face | None, after: Face | None, at: datetime) -> Face | None:
    lost = before is not None and before.person_id is not None
    if after is None or after.person_id is not None or after.embedding is None or not lost:
        return after
    return replace(after, indexed_at=at)

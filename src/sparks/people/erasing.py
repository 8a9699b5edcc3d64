"""Faces that are to be forgotten go, and the receipt tells what was there and what is left.

Of a person, all that keys and lists tell goes at once. The job that follows looks at every row of the table, removes
what came or was not told by then, and ends the receipt with what is left: nothing. Faces that may not be looked for any
more are left to the job alone.
"""

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library.consent import is_allowed
from sparks.library.face_index import FaceIndex
from sparks.library.live import people_told
from sparks.library.people.erasures import find_erasure, note_before, note_checked, note_scanned, unfinished_erasures
from sparks.library.people.forgetting import crops_of, forget_accounts, remove_remains
from sparks.library.people.remains import Aim, Remains, aim_of, listed_rows, remains_among, scanned_rows
from sparks.model.errors import Busy, NotFound
from sparks.model.events import ErasureBegun, LibraryUnindexed, PeopleDue, UpkeepDue
from sparks.model.face import Face
from sparks.model.forgetting import Erasure, Keep, Traces
from sparks.model.scope import Scope
from sparks.model.terms import Terms
from sparks.model.times import now
from sparks.table.port import Table

PASSES: Final = 5
LATE: Final = timedelta(minutes=10)


def erase_faces(
    event: ErasureBegun, *, table: Table, blobs: Blobs, index: FaceIndex | None, terms: Terms
) -> PeopleDue | LibraryUnindexed | None:
    """Nothing of what is to be forgotten is left in the table, among the crops or in the index. Busy where faces come
    all the time; nothing happens where it is done. Where faces were allowed again, those that are gone already are
    looked for once more.
    """
    erasure = find_erasure(event.erasure_id, table=table)
    if erasure is None or erasure.scanned_at is not None:
        return None
    aim, known = aim_of(erasure, table=table), dict[str, Face]()
    forget_accounts(aim.persons, table=table)
    with people_told(table=table) as touched:
        for _ in range(PASSES):
            remains = remains_among(scanned_rows(table=table), aim)
            known |= remains.faces
            told = traces_of(remains, aim, known.values(), blobs=blobs, index=index)
            erasure = erasure if erasure.before is not None else note_before(erasure, told, table=table)
            is_wanted = _is_wanted(erasure, table)
            if remains.is_nothing_for(aim) or not is_wanted:
                note_scanned(erasure, told, at=now(), table=table)
                return PeopleDue() if is_wanted else LibraryUnindexed()
            touched |= _remove(remains, aim, erasure, table=table, blobs=blobs, index=index, terms=terms)
    raise Busy("faces come while they are being forgotten: it goes on later")


def erase_listed(erasure: Erasure, *, table: Table, blobs: Blobs, index: FaceIndex | None, terms: Terms) -> Erasure:
    """The receipt, once all is gone that keys and lists tell of the persons, and was looked for again."""
    aim, known = aim_of(erasure, table=table), dict[str, Face]()
    remains = remains_among(listed_rows(aim, table=table), aim)
    with people_told(table=table) as touched:
        for _ in range(PASSES):
            if remains.is_nothing_for(aim):
                break
            known |= remains.faces
            touched |= _remove(remains, aim, erasure, table=table, blobs=blobs, index=index, terms=terms)
            remains = remains_among(listed_rows(aim, table=table), aim)
    left = traces_of(remains, aim, known.values(), blobs=blobs, index=index)
    return note_checked(erasure, left, at=now(), table=table)


def resume_erasures(event: UpkeepDue, *, table: Table) -> Iterator[ErasureBegun]:
    """Those that were begun a while ago, and are not done: their job got lost."""
    for erasure in unfinished_erasures(table=table):
        if event.at - erasure.asked_at >= LATE:
            yield ErasureBegun(erasure.erasure_id)


def traces_of(remains: Remains, aim: Aim, known: Collection[Face], *, blobs: Blobs, index: FaceIndex | None) -> Traces:
    """`known` are the faces whose crops and vectors are looked for, whether or not their rows are there."""
    return Traces(
        faces=len(remains.faces),
        embeddings=sum(face.embedding is not None for face in remains.faces.values()),
        crops=sum(_is_there(key, blobs) for key in crops_of(known)),
        vectors=0 if index is None else len(index.held(face.face_id for face in known)),
        taggings=len(remains.taggings),
        persons=len(remains.persons),
        lists=len(remains.lists),
        decisions=len({said.decision_id for said in remains.said_of(aim)}),
    )


def _remove(
    remains: Remains,
    aim: Aim,
    erasure: Erasure,
    *,
    table: Table,
    blobs: Blobs,
    index: FaceIndex | None,
    terms: Terms,
) -> frozenset[Scope]:
    """The scopes where that is to be seen."""
    keep_boxes, enough = erasure.keep is Keep.VECTOR, terms.enough
    touched = remove_remains(remains, aim, keep_boxes=keep_boxes, at=now(), enough=enough, table=table, blobs=blobs)
    forget_accounts(aim.persons, table=table)
    if index is not None and remains.faces:
        index.forget(remains.faces)
    return touched


def _is_wanted(erasure: Erasure, table: Table) -> bool:
    """Faces that may be looked for again stay."""
    return bool(erasure.person_ids) or not is_allowed(erasure.subject, table=table)


def _is_there(key: str, blobs: Blobs) -> bool:
    try:
        blobs.head(key)
    except NotFound:
        return False
    return True

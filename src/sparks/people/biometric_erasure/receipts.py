"""Receipts of biometric erasures: begun, updated with counts, and finished."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from sparks.library import entity_types, keys
from sparks.library.records import changes, from_item, to_item
from sparks.model.biometric_erasure import Erasure, TraceCounts
from sparks.model.errors import ConditionFailed
from sparks.table.port import Absent, AttributeAbsent, Change, Present, Put, Table, every


def create_receipt(erasure: Erasure, *, also: Sequence[Change] = (), table: Table) -> Erasure:
    """Writes the receipt, with `also` in the same transaction. Upkeep resumes the erasure until it is finished."""
    table.write(Put(to_item(erasure), when=(Absent(),)), *also)
    return erasure


def find_erasure(erasure_id: str, *, table: Table) -> Erasure | None:
    item = table.get(keys.erasure(erasure_id))
    return None if item is None else from_item(Erasure, item)


def unfinished_erasures(*, table: Table) -> Iterator[Erasure]:
    return (from_item(Erasure, row) for row in every(table, entity_types.ERASURES))


def erased_since(at: datetime, *, table: Table) -> set[str]:
    """The ids of persons whose erasure was begun since then, from an index, which may lag."""
    rows = (row for within in (entity_types.ERASURES, entity_types.ERASURES_DONE) for row in every(table, within))
    begun = (erasure for erasure in (from_item(Erasure, row) for row in rows) if erasure.asked_at >= at)
    return {person_id for erasure in begun for person_id in erasure.person_ids}


def note_unassigned_faces(erasure: Erasure, face_ids: tuple[str, ...], *, table: Table) -> Erasure:
    """Adds unassigned faces that came while the erasure was being begun."""
    noted = replace(erasure, face_ids=tuple(dict.fromkeys((*erasure.face_ids, *face_ids))))
    return erasure if noted == erasure else _note(erasure, noted, "checkedAt", table)


def note_before(erasure: Erasure, before: TraceCounts, *, table: Table) -> Erasure:
    """Stores the first counts only: a later run finds less."""
    return _note(erasure, replace(erasure, before=before), "before", table)


def note_checked(erasure: Erasure, after: TraceCounts, *, at: datetime, table: Table) -> Erasure:
    """Stores what was left when keys and lists were followed."""
    return _note(erasure, replace(erasure, after=after, checked_at=at), "checkedAt", table)


def note_scanned(erasure: Erasure, after: TraceCounts, *, at: datetime, table: Table) -> Erasure:
    """Finishes the receipt after a scan of the whole table, and removes the ids of faces from it."""
    checked = erasure.checked_at or at
    done = replace(erasure, after=after, checked_at=checked, scanned_at=at, face_ids=())
    return _note(erasure, done, "scannedAt", table)


def _note(before: Erasure, after: Erasure, attribute: str, table: Table) -> Erasure:
    """Returns the receipt as it is stored: where another run has set the attribute or finished it, that stands."""
    unset = (Present(), AttributeAbsent(attribute), AttributeAbsent("scannedAt"))
    try:
        table.write(changes(before, after, when=unset))
    except ConditionFailed as failed:
        return before if failed.found is None else from_item(Erasure, dict(failed.found))
    return after

"""The receipts of faces that are forgotten: begun with who asked for it, and noted as it goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from sparks.library import entity_types, keys
from sparks.library.records import changes, from_item, to_item
from sparks.model.errors import ConditionFailed
from sparks.model.forgetting import Erasure, Traces
from sparks.table.port import Absent, AttributeAbsent, Change, Present, Put, Table, every


def begin_erasure(erasure: Erasure, *, also: Sequence[Change] = (), table: Table) -> Erasure:
    """`also` is part of the same transaction. From now on it goes on until it is done."""
    table.write(Put(to_item(erasure), when=(Absent(),)), *also)
    return erasure


def find_erasure(erasure_id: str, *, table: Table) -> Erasure | None:
    item = table.get(keys.erasure(erasure_id))
    return None if item is None else from_item(Erasure, item)


def unfinished_erasures(*, table: Table) -> Iterator[Erasure]:
    return (from_item(Erasure, row) for row in every(table, entity_types.ERASURES))


def forgotten_since(at: datetime, *, table: Table) -> set[str]:
    """The ids of persons whose faces were to be forgotten since then. From an index, which may be a moment behind."""
    rows = (row for within in (entity_types.ERASURES, entity_types.ERASURES_DONE) for row in every(table, within))
    asked = (erasure for erasure in (from_item(Erasure, row) for row in rows) if erasure.asked_at >= at)
    return {person_id for erasure in asked for person_id in erasure.person_ids}


def note_waiting(erasure: Erasure, face_ids: tuple[str, ...], *, table: Table) -> Erasure:
    """Faces of nobody that are to go as well: they came while it was being begun."""
    told = replace(erasure, face_ids=tuple(dict.fromkeys((*erasure.face_ids, *face_ids))))
    return erasure if told == erasure else _note(erasure, told, "checkedAt", table)


def note_before(erasure: Erasure, before: Traces, *, table: Table) -> Erasure:
    """What there was is told once: a later run finds less."""
    return _note(erasure, replace(erasure, before=before), "before", table)


def note_checked(erasure: Erasure, after: Traces, *, at: datetime, table: Table) -> Erasure:
    """Looked up by keys and lists."""
    return _note(erasure, replace(erasure, after=after, checked_at=at), "checkedAt", table)


def note_scanned(erasure: Erasure, after: Traces, *, at: datetime, table: Table) -> Erasure:
    """Looked for in the whole table: it is done, and what told the faces goes."""
    checked = erasure.checked_at or at
    done = replace(erasure, after=after, checked_at=checked, scanned_at=at, face_ids=())
    return _note(erasure, done, "scannedAt", table)


def _note(before: Erasure, after: Erasure, first: str, table: Table) -> Erasure:
    """The receipt as it is now; what another run noted before this one stands."""
    unless = (Present(), AttributeAbsent(first), AttributeAbsent("scannedAt"))
    try:
        table.write(changes(before, after, when=unless))
    except ConditionFailed as failed:
        return before if failed.found is None else from_item(Erasure, dict(failed.found))
    return after

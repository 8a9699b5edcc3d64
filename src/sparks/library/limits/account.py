"""The limit of an account: made with it, read, and changed by administrators."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sparks.library import entity_types, keys
from sparks.library.records import from_item
from sparks.model.account import UploadLimit
from sparks.model.errors import BadInput, Busy, ConditionFailed, Conflict, NotFound
from sparks.table.port import (
    Add,
    AtLeast,
    AttributeAbsent,
    Change,
    Check,
    Condition,
    Conditions,
    Equals,
    Item,
    Present,
    Table,
    every,
)

MOST: Final = 2**63 - 1  # photos, and bytes, in a limit and in a photo
NO_LIMIT: Final = "this account has no upload limit: it is gone, or is being removed"
TRIES: Final = 10


class Unit(NamedTuple):
    """What is counted, and the attributes that tell how many are left and were given."""

    name: str
    left: str
    given: str


PHOTOS: Final = Unit("photos", "limit", "given")
BYTES: Final = Unit("bytes", "bytesLeft", "bytesGiven")
Amounts = Mapping[Unit, int]


def new_limit(email: str, *, photos: int, bytes: int) -> UploadLimit:  # noqa: A002  as the limit calls them
    """Nothing of it is used yet."""
    checked(photos, PHOTOS)
    checked(bytes, BYTES)
    return UploadLimit(email=email, photos_left=photos, photos_given=photos, bytes_left=bytes, bytes_given=bytes)


def read_limit(email: str, *, table: Table) -> UploadLimit:
    return from_item(UploadLimit, _row(email, table=table))


def all_limits(*, table: Table) -> Iterator[UploadLimit]:
    """Those of all accounts, from an index, which may be a moment behind."""
    return (from_item(UploadLimit, row) for row in every(table, entity_types.UPLOAD_LIMITS))


def change_limit(
    email: str,
    *,
    photos: int = 0,
    bytes: int = 0,  # noqa: A002
    also: Sequence[Change] = (),
    table: Table,
) -> None:
    """Gives so many more, or takes them away where negative, together with `also`.

    Conflict where less than that is left, or where bytes are not limited; ConditionFailed where a change of `also`
    fails, by its position. A repeat counts again: whoever may repeat adds a `TOKEN#` row.
    """
    asked = {PHOTOS: checked(photos, PHOTOS, least=-MOST), BYTES: checked(bytes, BYTES, least=-MOST)}
    deltas = {unit: delta for unit, delta in asked.items() if delta}

    def plan(row: Item) -> Amounts:
        for unit in deltas:
            if unit.left not in row:
                raise Conflict(f"this account is not limited in {unit.name}: say how many are left, not how many more")
        return deltas

    _change(email, plan, also=also, table=table)


def set_left(
    email: str,
    *,
    photos: int | None = None,
    bytes: int | None = None,  # noqa: A002
    also: Sequence[Change] = (),
    table: Table,
) -> None:
    """From now on so many may be uploaded, whatever was before; None leaves it as it is. `also` as in `change_limit`.

    It is a delta from what is left: an upload that comes between counts as the first one from now on.
    """
    asked = {PHOTOS: photos, BYTES: bytes}
    wanted = {unit: checked(left, unit) for unit, left in asked.items() if left is not None}

    def plan(row: Item) -> Amounts:
        return {unit: left - row.get(unit.left, 0) for unit, left in wanted.items()}

    _change(email, plan, also=also, table=table)


def checked(number: int, unit: Unit, *, least: int = 0) -> int:
    if not least <= number <= MOST:
        raise BadInput(f"{unit.name} are counted from {least:,} to {MOST:,}: {number:,} is out of range")
    return number


def told(number: int, unit: Unit) -> str:
    """`1 photo`, `2,000 photos`"""
    return f"{number:,} {unit.name.removesuffix('s') if number == 1 else unit.name}"


def _change(email: str, plan: Callable[[Item], Amounts], *, also: Sequence[Change], table: Table) -> None:
    """`also` comes first: a repeat is to hear of its token, not that nothing is left."""
    for _ in range(TRIES):
        row = _row(email, table=table)
        try:
            table.write(*also, _move(email, plan(row), row))
        except ConditionFailed as failed:
            if failed.position < len(also):
                raise
            if failed.found is not None:
                _check_enough(failed.found, plan(dict(failed.found)))
        else:
            return
    raise Busy("this limit is being changed by many at once: try again later")


def _move(email: str, deltas: Amounts, row: Item) -> Change:
    """What is left and, where somebody knows it, what was given."""
    key = keys.upload_limit(email)
    amounts = {unit.left: delta for unit, delta in deltas.items()}
    amounts |= {unit.given: delta for unit, delta in deltas.items() if unit.given in row}
    when: Conditions = (Present(), *(condition for unit in deltas for condition in _unchanged(unit, row)))
    enough = [AtLeast(unit.left, -delta) for unit, delta in deltas.items() if delta < 0]
    return Add(key, amounts, when=(*when, *enough)) if amounts else Check(key, when)


def _unchanged(unit: Unit, row: Item) -> Conditions:
    """No other administrator was faster.

    [Note: what is given] Only administrators move it, so while it is the same, uploads may go on between a read and a
    write. Where nobody knows it, what is left has to be the same.
    """
    given = _same(unit.given, row)
    return (given,) if unit.given in row else (given, _same(unit.left, row))


def _same(name: str, row: Item) -> Condition:
    return Equals(name, row[name]) if name in row else AttributeAbsent(name)


def _check_enough(row: Mapping[str, Any], deltas: Amounts) -> None:
    for unit, delta in deltas.items():
        left = row.get(unit.left, 0)
        if delta < 0 and left + delta < 0:
            raise Conflict(f"what is left is {told(left, unit)}, so {-delta:,} cannot be taken away")


def _row(email: str, *, table: Table) -> Item:
    row = table.get(keys.upload_limit(email))
    if row is None:
        raise NotFound(NO_LIMIT)
    return row

"""Upload limit of an account: created, read and changed by administrators."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sparks.library import entity_types, keys
from sparks.library.records import from_item, read_items
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

MAX_AMOUNT: Final = 2**63 - 1  # photos or bytes, of a limit and of a photo
NO_LIMIT: Final = "this account has no upload limit: it is gone, or is being removed"
TRIES: Final = 10


class LimitUnit(NamedTuple):
    """The counted unit, and the attributes that hold how many are left and were granted."""

    name: str
    left: str
    given: str


PHOTOS: Final = LimitUnit("photos", "limit", "given")
BYTES: Final = LimitUnit("bytes", "bytesLeft", "bytesGiven")
Amounts = Mapping[LimitUnit, int]


def new_limit(email: str, *, photos: int, bytes: int) -> UploadLimit:  # noqa: A002  as the limit calls them
    """A limit of which nothing is used yet."""
    checked_amount(photos, PHOTOS)
    checked_amount(bytes, BYTES)
    return UploadLimit(email=email, photos_left=photos, photos_given=photos, bytes_left=bytes, bytes_given=bytes)


def read_limit(email: str, *, table: Table) -> UploadLimit:
    return from_item(UploadLimit, _row(email, table=table))


def all_limits(*, table: Table) -> Iterator[UploadLimit]:
    """The limits of all accounts, from an index, which may be a moment behind."""
    return read_items(UploadLimit, every(table, entity_types.UPLOAD_LIMITS))


def change_limit(
    email: str,
    *,
    photos: int = 0,
    bytes: int = 0,  # noqa: A002
    also: Sequence[Change] = (),
    table: Table,
) -> None:
    """Grants so many more, or takes them away where negative, together with `also`.

    Conflict where less than that is left, or where bytes are not limited; ConditionFailed where a change of `also`
    fails, by its position. A repeat counts again: a caller that may repeat adds a `TOKEN#` row.
    """
    changed = {
        PHOTOS: checked_amount(photos, PHOTOS, least=-MAX_AMOUNT),
        BYTES: checked_amount(bytes, BYTES, least=-MAX_AMOUNT),
    }
    deltas = {unit: delta for unit, delta in changed.items() if delta}

    def plan(row: Item) -> Amounts:
        for unit in deltas:
            if unit.left not in row:
                raise Conflict(f"this account is not limited in {unit.name}: set a number, not a change")
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
    """Sets the amounts that may still be uploaded; None leaves one as it is. `also` as in `change_limit`.

    It is written as a difference: an upload in between counts as the first one after it.
    """
    changed = {PHOTOS: photos, BYTES: bytes}
    amounts = {unit: checked_amount(left, unit) for unit, left in changed.items() if left is not None}

    def plan(row: Item) -> Amounts:
        return {unit: left - row.get(unit.left, 0) for unit, left in amounts.items()}

    _change(email, plan, also=also, table=table)


def checked_amount(number: int, unit: LimitUnit, *, least: int = 0) -> int:
    if not least <= number <= MAX_AMOUNT:
        raise BadInput(f"{unit.name} are counted from {least:,} to {MAX_AMOUNT:,}: {number:,} is out of range")
    return number


def amount_text(number: int, unit: LimitUnit) -> str:
    """`1 photo`, `2,000 photos`"""
    return f"{number:,} {unit.name.removesuffix('s') if number == 1 else unit.name}"


def _change(email: str, plan: Callable[[Item], Amounts], *, also: Sequence[Change], table: Table) -> None:
    """`also` comes first: a repeat fails at its token rather than at the limit."""
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
    raise Busy("this limit is being changed by other requests: try again later")


def _move(email: str, deltas: Amounts, row: Item) -> Change:
    """The change of what is left and, where that is known, of what was granted."""
    key = keys.upload_limit(email)
    amounts = {unit.left: delta for unit, delta in deltas.items()}
    amounts |= {unit.given: delta for unit, delta in deltas.items() if unit.given in row}
    when: Conditions = (Present(), *(condition for unit in deltas for condition in _unchanged(unit, row)))
    min_photos = [AtLeast(unit.left, -delta) for unit, delta in deltas.items() if delta < 0]
    return Add(key, amounts, when=(*when, *min_photos)) if amounts else Check(key, when)


def _unchanged(unit: LimitUnit, row: Item) -> Conditions:
    """No other administrator was faster.

    Only administrators change the granted amount, so while it is the same, uploads may go on between a read and a
    write. Where it is unknown, the amount that is left must be the same.
    """
    given = _same(unit.given, row)
    return (given,) if unit.given in row else (given, _same(unit.left, row))


def _same(name: str, row: Item) -> Condition:
    return Equals(name, row[name]) if name in row else AttributeAbsent(name)


def _check_enough(row: Mapping[str, Any], deltas: Amounts) -> None:
    for unit, delta in deltas.items():
        left = row.get(unit.left, 0)
        if delta < 0 and left + delta < 0:
            raise Conflict(f"the limit has {amount_text(left, unit)} left, so {-delta:,} cannot be taken away")


def _row(email: str, *, table: Table) -> Item:
    row = table.get(keys.upload_limit(email))
    if row is None:
        raise NotFound(NO_LIMIT)
    return row

"""Making accounts: all rows in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sparks.library import keys
from sparks.library.accounts.identities import IDENTITY_TAKEN, identity_name
from sparks.library.limits import new_limit
from sparks.library.records import to_item
from sparks.model.account import Identity, Password, Role, User
from sparks.model.errors import AlreadyThere, ConditionFailed, Conflict
from sparks.table.port import Absent, Add, AttributeAbsent, Change, Put, Table

TAKEN: Final = "there is an account with this e-mail address already: sign in, or use another address"
STILL_GOING: Final = (
    "the account that had this e-mail address is being removed: try again later, or use another address"
)
HAS_ADMINISTRATOR: Final = "there is an administrator already: ask them for an invitation"


def create_user(
    user: User,
    *,
    photos: int,
    bytes: int,  # noqa: A002  as the limit calls them
    password_hash: str | None = None,
    identity: Identity | None = None,
    first_administrator: bool = False,
    also: Sequence[Change] = (),
    table: Table,
) -> None:
    """User, limit, password, identity and `also` in one transaction; AlreadyThere where the e-mail is taken.

    With `first_administrator`, a Conflict where there is an administrator already. ConditionFailed where a change of
    `also` fails, by its position.
    """
    identities = () if identity is None else (identity_name(identity),)
    rows: list[Change] = [
        Put(to_item(replace(user, identities=identities)), (Absent(),)),
        Put(to_item(new_limit(user.email, photos=photos, bytes=bytes))),
    ]
    if user.role is Role.ADMIN:
        rows.append(Add(keys.ADMINISTRATORS, {"count": 1}, when=_nobody_yet(first_administrator)))
    if identity is not None:
        rows.append(Put(to_item(identity), (Absent(),)))
    if password_hash is not None:
        rows.append(Put(to_item(Password(email=user.email, password_hash=password_hash))))
    try:
        table.write(*rows, *also)
    except ConditionFailed as error:
        raise _explained(error, rows) from error


def _nobody_yet(first: bool) -> tuple[AttributeAbsent, ...]:
    return (AttributeAbsent("count"),) if first else ()


def _explained(error: ConditionFailed, rows: Sequence[Change]) -> Exception:
    if error.position >= len(rows):
        return ConditionFailed(error.position - len(rows), error.found)
    if error.position == 0:
        return AlreadyThere(STILL_GOING if _is_going(error.found) else TAKEN)
    if rows[error.position].key == keys.ADMINISTRATORS:
        return Conflict(HAS_ADMINISTRATOR)
    return AlreadyThere(IDENTITY_TAKEN)


def _is_going(found: Mapping[str, Any] | None) -> bool:
    return found is not None and "removedAt" in found

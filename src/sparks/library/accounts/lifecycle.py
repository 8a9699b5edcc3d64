"""Creation and removal of accounts: all rows in one transaction, and conditions on both.

An address may be registered again after a removal, as another account. So credentials are written only while the
account is open (`while_account_open`), and a removal writes only while it is under way (`while_account_closing`): a
delayed run cannot touch what the next account of the address owns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sparks.library import keys
from sparks.library.accounts.identities import IDENTITY_TAKEN, identity_name, identity_of
from sparks.library.accounts.users import LAST_ADMINISTRATOR, ONE_LESS, next_epoch, update_user
from sparks.library.records import from_item, key_of, to_item
from sparks.library.upload_limits.account_limit import new_limit
from sparks.model import times
from sparks.model.account import Identity, Password, Role, User
from sparks.model.errors import AlreadyThere, ConditionFailed, Conflict, NotFound
from sparks.table.port import (
    Absent,
    Add,
    AttributeAbsent,
    Change,
    Check,
    Conditions,
    Delete,
    Equals,
    Present,
    Put,
    Table,
)

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

    With `first_administrator`, Conflict where there is an administrator already. ConditionFailed where a change of
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


def while_account_open(user: User) -> Check:
    """A check that fails once the account is closed, or another one has its address."""
    return Check(keys.user(user.email), (Present(), *account_open_conditions(user.account_id)))


def account_open_conditions(account_id: str | None) -> Conditions:
    """Conditions on a user's row: it is of this very account, which is not being removed. An imported row has no id."""
    same = AttributeAbsent("accountId") if account_id is None else Equals("accountId", account_id)
    return same, AttributeAbsent("removedAt")


def while_account_closing(user: User) -> Check:
    """A check that fails once this removal is finished; always, for one that was never begun."""
    return Check(keys.user(user.email), (Equals("removedAt", times.iso(user.removed_at or times.EPOCH)),))


def closed_user(email: str, *, table: Table) -> User | None:
    """The user, if their account is being removed."""
    item = table.get(keys.user(email))
    user = None if item is None else from_item(User, item)
    return None if user is None or user.removed_at is None else user


def begin_removal(email: str, *, also: Sequence[Change] = (), at: datetime | None = None, table: Table) -> None:
    """Closes the account: no sign-in, no upload, and no registration of this address until `finish_removal`.

    A repeat is harmless. NotFound where there is no such user; Conflict for the last administrator.
    """
    removed_at = at or times.now()

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        going = replace(next_epoch(user), removed_at=removed_at)
        fewer = (ONE_LESS,) if user.role is Role.ADMIN else ()
        return going, (Delete(keys.password(email)), Delete(keys.upload_limit(email)), *fewer)

    try:
        update_user(email, plan, because=LAST_ADMINISTRATOR, also=also, table=table)
    except NotFound:
        if closed_user(email, table=table) is None:
            raise


def finish_removal(email: str, *, also: Sequence[Change] = (), table: Table) -> None:
    """The last step of a removal: deletes the identities and, when nothing points to it any more, the user, with
    `also`.

    Nothing happens where no removal is under way. ConditionFailed where another run was faster.
    """
    user = closed_user(email, table=table)
    if user is None:
        return
    going = while_account_closing(user)
    for name in user.identities:
        table.write(Delete(key_of(identity_of(name, email))), going)
    table.write(Delete(going.key, going.when), *also)

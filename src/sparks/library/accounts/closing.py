"""The end of an account: closed at once, and erased when nothing that it owned is left.

[Note: the same address] Whoever registers the address later has another account. So what lets somebody in is written
only while the account is there (`while_there`), and what a removal writes goes through only while that removal is going
on (`while_closed`): one that was held up for long cannot touch what the next account of that address owns.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sparks.library import keys
from sparks.library.accounts.changing import LAST_ADMINISTRATOR, ONE_LESS, change_user, next_epoch
from sparks.library.accounts.identities import identity_of
from sparks.library.records import from_item, key_of
from sparks.model import times
from sparks.model.account import Role, User
from sparks.model.errors import NotFound
from sparks.table.port import AttributeAbsent, Change, Check, Conditions, Delete, Equals, Present, Table


def while_there(user: User) -> Check:
    """Part of a transaction that is to fail once the account is closed, or another one has its address."""
    return Check(keys.user(user.email), (Present(), *is_open(user.account_id)))


def is_open(account_id: str | None) -> Conditions:
    """Conditions on a user's row: it is that very account's, and nobody removes it. A row from elsewhere has no id."""
    same = AttributeAbsent("accountId") if account_id is None else Equals("accountId", account_id)
    return same, AttributeAbsent("removedAt")


def while_closed(user: User) -> Check:
    """Part of a transaction that is to fail once this removal is through; always, for one that was never begun."""
    return Check(keys.user(user.email), (Equals("removedAt", times.iso(user.removed_at or times.EPOCH)),))


def closed_user(email: str, *, table: Table) -> User | None:
    """The user, if they are being removed."""
    item = table.get(keys.user(email))
    user = None if item is None else from_item(User, item)
    return None if user is None or user.removed_at is None else user


def begin_removal(email: str, *, also: Sequence[Change] = (), at: datetime | None = None, table: Table) -> None:
    """From now on nobody can sign in or upload, nor register this address again until `erase_account` is through.

    A repeat is harmless. NotFound where there is no such user; Conflict for the last administrator.
    """
    removed_at = at or times.now()

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        going = replace(next_epoch(user), removed_at=removed_at)
        fewer = (ONE_LESS,) if user.role is Role.ADMIN else ()
        return going, (Delete(keys.password(email)), Delete(keys.upload_limit(email)), *fewer)

    try:
        change_user(email, plan, because=LAST_ADMINISTRATOR, also=also, table=table)
    except NotFound:
        if closed_user(email, table=table) is None:
            raise


def erase_account(email: str, *, also: Sequence[Change] = (), table: Table) -> None:
    """The last of a removal: the identities and, when nothing points to it any more, the user, with `also`.

    Nothing happens where none is going on. ConditionFailed where another run of it was faster.
    """
    user = closed_user(email, table=table)
    if user is None:
        return
    going = while_closed(user)
    for name in user.identities:
        table.write(Delete(key_of(identity_of(name, email))), going)
    table.write(Delete(going.key, going.when), *also)

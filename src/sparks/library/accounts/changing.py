"""Changing accounts: read, changed, and written only if nobody else has changed what matters meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sparks.library import keys
from sparks.library.accounts.finding import NO_USER, present
from sparks.library.records import changes, to_item
from sparks.model.account import Password, Role, User
from sparks.model.errors import ConditionFailed, Conflict, NotFound
from sparks.table.port import (
    Absent,
    Add,
    AtLeast,
    AttributeAbsent,
    Change,
    Conditions,
    Equals,
    Item,
    Present,
    Put,
    Table,
)

CHANGED_MEANWHILE: Final = "this account was changed by somebody else meanwhile: look again, and try again"
LAST_ADMINISTRATOR: Final = "this is the last administrator: make somebody else one first"
TRIES: Final = 10

ONE_MORE: Final = Add(keys.ADMINISTRATORS, {"count": 1})
ONE_LESS: Final = Add(keys.ADMINISTRATORS, {"count": -1}, when=(AtLeast("count", 2),))

_WATCHED: Final = (
    "accountId",
    "role",
    "sessionEpoch",
    "identities",
    "removedAt",
    "profilePicture",
    "personId",
    "claimedPersonId",
)

Plan = Callable[[User], tuple[User, Sequence[Change]] | None]


def change_user(
    email: str,
    plan: Plan,
    *,
    refusal: type[Conflict] = Conflict,
    because: str = CHANGED_MEANWHILE,
    also: Sequence[Change] = (),
    table: Table,
) -> User:
    """The user as they are now, written as `plan` makes them, with the rows that it adds and `also`; nothing is written
    where it is None. It is planned anew where somebody else was faster.

    NotFound where there is no such user; `refusal` where one of the added rows is not as the plan has it;
    ConditionFailed where a change of `also` fails, by its position.
    """
    for _ in range(TRIES):
        item = table.get(keys.user(email))
        user = present(item)
        if item is None or user is None:
            raise NotFound(NO_USER)
        planned = plan(user)
        if planned is None:
            return user
        changed, rows = planned
        try:
            table.write(changes(user, changed, when=_as_read(item)), *rows, *also)
        except ConditionFailed as error:
            if error.position > len(rows):
                raise ConditionFailed(error.position - len(rows) - 1, error.found) from error
            if error.position > 0:
                raise refusal(because) from error
        else:
            return changed
    raise Conflict(CHANGED_MEANWHILE)


def _as_read(item: Item) -> Conditions:
    """What decides who gets in, as what and as whom, is as it was. A row from elsewhere may lack some of it."""
    watched = (Equals(name, item[name]) if name in item else AttributeAbsent(name) for name in _WATCHED)
    return (Present(), *watched)


def rename_user(email: str, username: str, *, table: Table) -> User:
    return change_user(email, lambda user: (replace(user, username=username), ()), table=table)


def change_role(email: str, role: Role, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user as they are now. Conflict where it would leave no administrator."""
    count = ONE_MORE if role is Role.ADMIN else ONE_LESS

    def plan(user: User) -> tuple[User, Sequence[Change]] | None:
        return None if user.role is role else (replace(user, role=role), (count,))

    return change_user(email, plan, because=LAST_ADMINISTRATOR, also=also, table=table)


def set_password(email: str, password_hash: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user as they are now: every session from before is over."""
    return _set_password(email, password_hash, epoch=None, when=(), also=also, table=table)


def change_password(
    email: str,
    password_hash: str,
    *,
    before: Password | None,
    session_epoch: int,
    also: Sequence[Change] = (),
    table: Table,
) -> User:
    """As `set_password`, by somebody who was asked for the one `before`: Conflict where it is that no more, or sessions
    of that epoch are over, so that nobody undoes that it was reset.
    """
    same = Absent() if before is None else Equals("hash", before.password_hash)
    return _set_password(email, password_hash, epoch=session_epoch, when=(same,), also=also, table=table)


def replace_hash(password: Password, password_hash: str, *, table: Table) -> None:
    """The same password, hashed in a better way. Nothing happens where it was changed meanwhile."""
    fresh = replace(password, password_hash=password_hash)
    try:
        table.write(changes(password, fresh, when=(Equals("hash", password.password_hash),)))
    except ConditionFailed:
        return


def end_all_sessions(email: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user as they are now: every session from before is over."""
    return change_user(email, lambda user: (next_epoch(user), ()), also=also, table=table)


def _set_password(
    email: str, password_hash: str, *, epoch: int | None, when: Conditions, also: Sequence[Change], table: Table
) -> User:
    row = Put(to_item(Password(email=email, password_hash=password_hash)), when)

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        if epoch is not None and user.session_epoch != epoch:
            raise Conflict(CHANGED_MEANWHILE)
        return next_epoch(user), (row,)

    return change_user(email, plan, also=also, table=table)


def next_epoch(user: User) -> User:
    """Every session from before is over."""
    return replace(user, session_epoch=user.session_epoch + 1)

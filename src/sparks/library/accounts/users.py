"""Users found by e-mail or listed, and updated with optimistic conditions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pagination import filled_page
from sparks.library.records import changes, from_item, read_item, read_items, to_item
from sparks.model.account import Identity, Password, Role, User
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
    Key,
    Page,
    Present,
    Put,
    Table,
    every,
)

NO_USER: Final = "there is no user with this e-mail address"
CHANGED_MEANWHILE: Final = "this account was changed by another request meanwhile: look at it again, then try again"
LAST_ADMINISTRATOR: Final = "this is the last administrator: make another user an administrator first"
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


def find_user(email: str, *, table: Table) -> User | None:
    return present_user(table.get(keys.user(email)))


def get_user(email: str, *, table: Table) -> User:
    user = find_user(email, table=table)
    if user is None:
        raise NotFound(NO_USER)
    return user


def users_by_email(emails: Iterable[str], *, table: Table) -> dict[str, User]:
    """The users with these e-mail addresses; also those whose accounts are being removed."""
    rows = table.get_many([keys.user(email) for email in sorted(set(emails))])
    return {user.email: user for user in read_items(User, rows.values())}


def find_user_and_password(email: str, *, table: Table) -> tuple[User | None, Password | None]:
    """Both in one call, so that the time does not reveal which of them exist."""
    found = table.get_many([keys.user(email), keys.password(email)])
    user, password = found.get(keys.user(email)), found.get(keys.password(email))
    return present_user(user), None if password is None else from_item(Password, password)


def find_identity(iss: str, sub: str, *, table: Table) -> Identity | None:
    item = table.get(keys.identity(iss, sub))
    return None if item is None else from_item(Identity, item)


def all_users(*, table: Table) -> Iterator[User]:
    for item in every(table, entity_types.USERS):
        user = present_user(item)
        if user is not None:
            yield user


def page_of_users(*, limit: int, after: Key | None, table: Table) -> tuple[list[User], Key | None]:
    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(entity_types.USERS, limit=most, after=behind)

    return filled_page(fetch, present_user, limit=limit, after=after)


def has_administrator(*, table: Table) -> bool:
    item = table.get(keys.ADMINISTRATORS)
    return item is not None and item["count"] > 0


def present_user(item: Item | None) -> User | None:
    """The user of the row, unless their account is being removed."""
    user = None if item is None else read_item(User, item)
    return None if user is None or user.removed_at is not None else user


def update_user(
    email: str,
    plan: Plan,
    *,
    refusal: type[Conflict] = Conflict,
    because: str = CHANGED_MEANWHILE,
    also: Sequence[Change] = (),
    table: Table,
) -> User:
    """The user as they are now, written as `plan` makes them, with the rows that it adds and `also`; nothing is written
    where it returns None. It is planned again where another process was faster.

    NotFound where there is no such user; `refusal` where a condition of an added row fails; ConditionFailed where a
    change of `also` fails, by its position.
    """
    for _ in range(TRIES):
        item = table.get(keys.user(email))
        user = present_user(item)
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
    """The attributes that decide about access are as they were read. An imported row may lack some of them."""
    watched = (Equals(name, item[name]) if name in item else AttributeAbsent(name) for name in _WATCHED)
    return (Present(), *watched)


def rename_user(email: str, username: str, *, table: Table) -> User:
    return update_user(email, lambda user: (replace(user, username=username), ()), table=table)


def change_role(email: str, role: Role, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user as they are now. Conflict where no administrator would be left."""
    count = ONE_MORE if role is Role.ADMIN else ONE_LESS

    def plan(user: User) -> tuple[User, Sequence[Change]] | None:
        return None if user.role is role else (replace(user, role=role), (count,))

    return update_user(email, plan, because=LAST_ADMINISTRATOR, also=also, table=table)


def set_password(email: str, password_hash: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user as they are now: all former sessions have ended."""
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
    """As `set_password`, after the user gave the password with the hash `before`: Conflict where it has changed since,
    or sessions of that epoch have ended, so that a reset is not undone.
    """
    same = Absent() if before is None else Equals("hash", before.password_hash)
    return _set_password(email, password_hash, epoch=session_epoch, when=(same,), also=also, table=table)


def replace_hash(password: Password, password_hash: str, *, table: Table) -> None:
    """Stores a better hash of the same password. Nothing happens where the password was changed meanwhile."""
    fresh = replace(password, password_hash=password_hash)
    try:
        table.write(changes(password, fresh, when=(Equals("hash", password.password_hash),)))
    except ConditionFailed:
        return


def end_all_sessions(email: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user as they are now: all former sessions have ended."""
    return update_user(email, lambda user: (next_epoch(user), ()), also=also, table=table)


def _set_password(
    email: str, password_hash: str, *, epoch: int | None, when: Conditions, also: Sequence[Change], table: Table
) -> User:
    row = Put(to_item(Password(email=email, password_hash=password_hash)), when)

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        if epoch is not None and user.session_epoch != epoch:
            raise Conflict(CHANGED_MEANWHILE)
        return next_epoch(user), (row,)

    return update_user(email, plan, also=also, table=table)


def next_epoch(user: User) -> User:
    """Ends all former sessions."""
    return replace(user, session_epoch=user.session_epoch + 1)

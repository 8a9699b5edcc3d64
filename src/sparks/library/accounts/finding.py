"""Finding accounts: by their key, and all of them by the index."""

from collections.abc import Iterator
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pages import filled
from sparks.library.records import from_item
from sparks.model.account import Identity, Password, User
from sparks.model.errors import NotFound
from sparks.table.port import Item, Key, Page, Table, every

NO_USER: Final = "there is no user with this e-mail address"


def find_user(email: str, *, table: Table) -> User | None:
    return present(table.get(keys.user(email)))


def get_user(email: str, *, table: Table) -> User:
    user = find_user(email, table=table)
    if user is None:
        raise NotFound(NO_USER)
    return user


def find_user_and_password(email: str, *, table: Table) -> tuple[User | None, Password | None]:
    """Both in one call, so that it takes as long whichever of them is there."""
    found = table.get_many([keys.user(email), keys.password(email)])
    user, password = found.get(keys.user(email)), found.get(keys.password(email))
    return present(user), None if password is None else from_item(Password, password)


def find_identity(iss: str, sub: str, *, table: Table) -> Identity | None:
    item = table.get(keys.identity(iss, sub))
    return None if item is None else from_item(Identity, item)


def all_users(*, table: Table) -> Iterator[User]:
    for item in every(table, entity_types.USERS):
        user = present(item)
        if user is not None:
            yield user


def page_of_users(*, limit: int, after: Key | None, table: Table) -> tuple[list[User], Key | None]:
    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(entity_types.USERS, limit=most, after=behind)

    return filled(fetch, present, limit=limit, after=after)


def has_administrator(*, table: Table) -> bool:
    item = table.get(keys.ADMINISTRATORS)
    return item is not None and item["count"] > 0


def present(item: Item | None) -> User | None:
    """The user whose row it is, unless they are being removed."""
    user = None if item is None else from_item(User, item)
    return None if user is None or user.removed_at is not None else user

"""Accounts as commands find them, and tell of them."""

from collections.abc import Iterator
from typing import Any

from sparks.auth.api_keys import keys_of
from sparks.auth.sessions import sessions_of
from sparks.cli.amounts import shown_photos, shown_size
from sparks.library import keys, limits
from sparks.library.accounts import NO_USER, all_users, find_user, find_user_and_password
from sparks.library.records import from_item
from sparks.model import times
from sparks.model.account import Role, UploadLimit, User
from sparks.model.errors import AlreadyThere, BadInput, NotFound
from sparks.table.port import Table


def find_account(email: str, *, table: Table) -> User:
    user = find_user(email, table=table)
    if user is None:
        raise NotFound(f"{NO_USER}: `sparks user list` shows all")
    return user


def choose_account(email: str | None, *, table: Table) -> User:
    """Who is named; where nobody is, the only account or the only administrator. BadInput where that is not one."""
    if email is not None:
        return find_account(email, table=table)
    users = list(all_users(table=table))
    for those in (users, [user for user in users if user.role is Role.ADMIN]):
        if len(those) == 1:
            return those[0]
    if not users:
        raise BadInput("there are no accounts yet: `sparks user add` makes one")
    raise BadInput("there are several accounts: name the one that is meant with --owner")


def refuse_taken(email: str, *, table: Table) -> None:
    """AlreadyThere where this address has an account, or had one of which something is still there."""
    row = table.get(keys.user(email))
    if row is None:
        return
    if from_item(User, row).removed_at is None:
        raise AlreadyThere(f"there is an account with this e-mail address already: see `sparks user show {email}`")
    raise AlreadyThere(
        "an account with this e-mail address is being removed: wait until that is through, "
        f"or see to it with `sparks user remove {email}`"
    )


def tell_accounts(*, table: Table) -> Iterator[dict[str, Any]]:
    """All of them, as `tell_account`."""
    users = list(all_users(table=table))
    rows = table.get_many([keys.upload_limit(user.email) for user in users])
    for user in users:
        row = rows.get(keys.upload_limit(user.email))
        if row is not None:  # otherwise it was removed a moment ago
            yield _told(user, from_item(UploadLimit, row))


def tell_account(user: User, *, table: Table) -> dict[str, Any]:
    """In the words of the API."""
    return _told(user, limits.read_limit(user.email, table=table))


def tell_more(user: User, *, table: Table) -> dict[str, Any]:
    """And the ways in."""
    now = times.now()
    _, password = find_user_and_password(user.email, table=table)
    return {
        **tell_account(user, table=table),
        "password": password is not None,
        "identities": list(user.identities),
        "sessions": sum(1 for _ in sessions_of(user, at=now, table=table)),
        "keys": sum(1 for _ in keys_of(user.email, at=now, table=table)),
    }


def _told(user: User, limit: UploadLimit) -> dict[str, Any]:
    return {
        "email": user.email,
        "username": user.username,
        "role": user.role,
        "createdAt": None if user.created_at is None else times.iso(user.created_at),
        "uploadLimit": {
            "limit": limit.photos_left,
            "used": limit.used,
            "bytesLeft": limit.bytes_left,
            "bytesUsed": limit.bytes_used,
        },
    }


def left_in_words(told: dict[str, Any]) -> str:
    limit = told["uploadLimit"]
    size = "any size" if limit["bytesLeft"] is None else shown_size(limit["bytesLeft"])
    return f"{shown_photos(limit['limit'])}, {size}"


def used_in_words(told: dict[str, Any]) -> str:
    photos, size = told["uploadLimit"]["used"], told["uploadLimit"]["bytesUsed"]
    known = [*([] if photos is None else [shown_photos(photos)]), *([] if size is None else [shown_size(size)])]
    return ", ".join(known) or "not counted"

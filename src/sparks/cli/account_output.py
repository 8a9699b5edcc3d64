"""Accounts in commands: find, choose and print them."""

from collections.abc import Iterator
from typing import Any

from sparks.auth.api_keys import keys_of
from sparks.auth.sessions import sessions_of
from sparks.cli.quantities import format_photos, format_size
from sparks.library import keys
from sparks.library.accounts.users import NO_USER, all_users, find_user, find_user_and_password
from sparks.library.records import from_item, read_item
from sparks.library.upload_limits.account_limit import read_limit
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
    """The account with this address; without one, the only account or the only administrator. BadInput where there is
    none, or several.
    """
    if email is not None:
        return find_account(email, table=table)
    users = list(all_users(table=table))
    for candidates in (users, [user for user in users if user.role is Role.ADMIN]):
        if len(candidates) == 1:
            return candidates[0]
    if not users:
        raise BadInput("there are no accounts yet: `sparks user add` makes one")
    raise BadInput("there are several accounts: name one with --owner")


def refuse_taken(email: str, *, table: Table) -> None:
    """AlreadyThere where this address has an account, or has one that is being removed."""
    row = table.get(keys.user(email))
    if row is None:
        return
    if from_item(User, row).removed_at is None:
        raise AlreadyThere(f"there is an account with this e-mail address already: see `sparks user show {email}`")
    raise AlreadyThere(
        "an account with this e-mail address is being removed: wait until that is done, "
        f"or finish it with `sparks user remove {email}`"
    )


def accounts_json(*, table: Table) -> Iterator[dict[str, Any]]:
    users = list(all_users(table=table))
    rows = table.get_many([keys.upload_limit(user.email) for user in users])
    for user in users:
        row = rows.get(keys.upload_limit(user.email))
        limit = None if row is None else read_item(UploadLimit, row)
        if limit is not None:  # otherwise the account was removed a moment ago
            yield _as_json(user, limit)


def account_json(user: User, *, table: Table) -> dict[str, Any]:
    """The account in the field names of the API."""
    return _as_json(user, read_limit(user.email, table=table))


def account_details_json(user: User, *, table: Table) -> dict[str, Any]:
    """The account with its password, identities, sessions and API keys."""
    now = times.now()
    _, password = find_user_and_password(user.email, table=table)
    return {
        **account_json(user, table=table),
        "password": password is not None,
        "identities": list(user.identities),
        "sessions": sum(1 for _ in sessions_of(user, at=now, table=table)),
        "keys": sum(1 for _ in keys_of(user.email, at=now, table=table)),
    }


def _as_json(user: User, limit: UploadLimit) -> dict[str, Any]:
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


def limit_left_text(fields: dict[str, Any]) -> str:
    limit = fields["uploadLimit"]
    size = "any size" if limit["bytesLeft"] is None else format_size(limit["bytesLeft"])
    return f"{format_photos(limit['limit'])}, {size}"


def limit_used_text(fields: dict[str, Any]) -> str:
    photos, size = fields["uploadLimit"]["used"], fields["uploadLimit"]["bytesUsed"]
    known = [*([] if photos is None else [format_photos(photos)]), *([] if size is None else [format_size(size)])]
    return ", ".join(known) or "not counted"

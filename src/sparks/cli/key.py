"""`sparks key`: creates, lists and revokes API keys."""

import re
import sys
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, Final

import click

from sparks.cli.options import email_argument, json_option, print_json, print_line, with_data
from sparks.cli.quantities import format_time
from sparks.model import times
from sparks.model.account import User
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import NotAllowed, NotFound
from sparks.settings import Settings

SCOPES: Final = ", ".join(KeyScope)
MAX_DAYS: Final = 36500

_DAYS: Final = re.compile(r"(\d{1,5})d", re.ASCII)
_KEY: Final = re.compile(r"(?:sk_)?([A-Za-z0-9_-]{1,64})(?:\..*)?", re.ASCII)


def parse_scopes(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> frozenset[KeyScope] | None:
    names = [name.strip() for text in texts for name in text.split(",")]
    for name in names:
        if name not in [*KeyScope]:
            raise click.BadParameter(f"{name!r} is not a scope: the scopes are {SCOPES}")
    return frozenset(map(KeyScope, names)) if names else None


def parse_expiry(_context: click.Context, _parameter: click.Parameter, text: str | None) -> datetime | None:
    if text is None:
        return None
    days = _DAYS.fullmatch(text)
    if days and 1 <= int(days[1]) <= MAX_DAYS:
        return times.now() + timedelta(days=int(days[1]))
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        return _moment(text)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a time: write it as 90d, 2030-01-31 or 2030-01-31T12:00:00Z"
        ) from None
    if moment.tzinfo is None:
        raise click.BadParameter(f"{text!r} has no time zone: for UTC, write {text}Z")
    return times.utc(moment)


def parse_key_id(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """The id, also out of a whole key: a user who finds a leaked key may not know its id."""
    match = _KEY.fullmatch(text)
    if match is None:
        raise click.BadParameter("this is not the id of a key: `sparks key list` shows the ids")
    return match[1]


@click.group()
def key() -> None:
    """Manage API keys, which scripts use instead of a password. Sparks shows a key once, when it is created.

    \b
    Examples:
      sparks key add ann@example.com --name backup --scope read --expires 90d
      sparks key list
    """


@key.command()
@email_argument
@click.option("--name", required=True, metavar="NAME", help="What the key is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="SCOPE",
    callback=parse_scopes,
    help=f"What the key may do: {SCOPES}. May be repeated; by default all that the role of the account allows.",
)
@click.option(
    "--expires",
    metavar="WHEN",
    callback=parse_expiry,
    help="When the key expires: 90d, 2030-01-31 (0:00 UTC) or 2030-01-31T12:00:00Z; by default never.",
)
@json_option
@with_data
def add(
    settings: Settings,
    *,
    email: str,
    name: str,
    scopes: frozenset[KeyScope] | None,
    expires: datetime | None,
    as_json: bool,
) -> None:
    """Create a key and print it. It cannot be shown again: keep it.

    The output is the key alone, unless it goes to a terminal; with --json, it has the id and the other fields too.

    \b
    Examples:
      sparks key add ann@example.com --name backup --scope read --expires 90d
      KEY=$(sparks key add ann@example.com --name import --scope read,upload)
      curl -H "Authorization: Bearer $KEY" http://127.0.0.1:8000/api/me/profile
    """
    from sparks.auth.api_keys import make_key
    from sparks.cli.account_output import find_account
    from sparks.library.audit import COMMAND_LINE
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        user = find_account(email, table=stores.table)
        _refuse_beyond(user, scopes)
        made, text = make_key(
            user, name=name, scopes=scopes, expires_at=expires, by=COMMAND_LINE, at=times.now(), table=stores.table
        )
    if as_json:
        print_json({**_as_json(made), "key": text})
        return
    print_line(text)
    if sys.stdout.isatty():
        print_line(
            "This key is shown once: keep it. To use it:\n"
            f"  curl -H 'Authorization: Bearer {text}' {settings.public_url}/api/me/profile\n"
            f"To revoke it:\n  sparks key revoke {made.key_id}"
        )


@key.command("list")
@partial(email_argument, required=False)
@json_option
@with_data
def list_keys(settings: Settings, *, email: str | None, as_json: bool) -> None:
    """List the keys of one account, or of all, without their secrets.

    \b
    Examples:
      sparks key list
      sparks key list ann@example.com --json
    """
    from sparks.auth.api_keys import keys_of
    from sparks.cli.account_output import find_account
    from sparks.library.accounts.users import all_users
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        users = all_users(table=stores.table) if email is None else [find_account(email, table=stores.table)]
        found = [key for user in users for key in keys_of(user.email, at=times.now(), table=stores.table)]
    rows = [_as_json(key) for key in sorted(found, key=lambda key: (key.email, key.created_at))]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        used = format_time(row["lastUsedAt"], otherwise="never")
        ends = format_time(row["expiresAt"], otherwise="never")
        print_line(
            f"{row['id']}  {row['email']}  {row['name']}  {','.join(row['scopes'])}  used {used}  expires {ends}"
        )
    if not rows:
        print_line("there are no keys: `sparks key add` makes one")


@key.command()
@click.argument("key_id", metavar="ID", callback=parse_key_id)
@json_option
@with_data
def revoke(settings: Settings, *, key_id: str, as_json: bool) -> None:
    """Revoke a key at once. ID is an id of `sparks key list`, or the whole key.

    \b
    Example:
      sparks key revoke ID
    """
    from sparks.auth.api_keys import revoke_key
    from sparks.library import keys
    from sparks.library.audit import COMMAND_LINE, AuditAction, audit_row
    from sparks.library.records import from_item
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        row = stores.table.get(keys.api_key(key_id))
        if row is None:
            raise NotFound("there is no key with this id: `sparks key list` shows all")
        found = from_item(ApiKey, row)
        note = audit_row(AuditAction.KEY_REVOKED, who=COMMAND_LINE, target=found.email, key=key_id, name=found.name)
        revoke_key(found.email, key_id, also=(note,), table=stores.table)
    if as_json:
        print_json(_as_json(found))
    else:
        print_line(f"revoked the key {found.name} of {found.email}")


def _refuse_beyond(user: User, scopes: frozenset[KeyScope] | None) -> None:
    from sparks.auth.api_keys import allowed_scopes

    if beyond := (scopes or frozenset()) - allowed_scopes(user.role):
        raise NotAllowed(
            f"a key of {user.email}, who is a {user.role}, cannot have the scope {', '.join(sorted(beyond))}: "
            f"leave it out, or make them an administrator with `sparks user role {user.email} admin`"
        )


def _as_json(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "email": key.email,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "createdAt": times.iso(key.created_at),
        "lastUsedAt": None if key.last_used_at is None else times.iso(key.last_used_at),
        "expiresAt": None if key.expires_at is None else times.iso(key.expires_at),
    }

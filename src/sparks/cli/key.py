"""`sparks key`: API keys, for scripts and programs."""

import sys
from datetime import datetime
from functools import partial
from typing import Any

import click

from sparks.cli.amounts import shown_time
from sparks.cli.key_options import SCOPES, expiry_of, key_id_of, scopes_of
from sparks.cli.options import email_argument, json_option, print_json, say, with_data
from sparks.model import times
from sparks.model.account import User
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import NotAllowed, NotFound
from sparks.settings import Settings


@click.group()
def key() -> None:
    """API keys: what a script shows instead of a password. A key is shown once, when it is made.

    \b
    Examples:
      sparks key add ann@example.com --name backup --scope read --expires 90d
      sparks key list
    """


@key.command()
@email_argument
@click.option("--name", required=True, metavar="NAME", help="What it is for, to know it again.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="SCOPE",
    callback=scopes_of,
    help=f"What it may do: {SCOPES}. Several may be given; without, all that the account's role allows.",
)
@click.option(
    "--expires",
    metavar="WHEN",
    callback=expiry_of,
    help="When it ends: 90d, 2030-01-31 (as that day begins, in UTC) or 2030-01-31T12:00:00Z; without, never.",
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
    """Make a key and print it. Nobody can show it again: keep it.

    Where the output is no terminal, it is the key alone, for a script; with --json, its id and the rest too.

    \b
    Examples:
      sparks key add ann@example.com --name backup --scope read --expires 90d
      KEY=$(sparks key add ann@example.com --name import --scope read,upload)
      curl -H "Authorization: Bearer $KEY" http://127.0.0.1:8000/api/me/profile
    """
    from sparks.auth.api_keys import make_key
    from sparks.cli.accounts import find_account
    from sparks.library.audit import COMMAND_LINE
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        user = find_account(email, table=stores.table)
        _refuse_beyond(user, scopes)
        made, text = make_key(
            user, name=name, scopes=scopes, expires_at=expires, by=COMMAND_LINE, at=times.now(), table=stores.table
        )
    if as_json:
        print_json({**_told(made), "key": text})
        return
    say(text)
    if sys.stdout.isatty():
        say(
            "This key is shown once: keep it. To use it:\n"
            f"  curl -H 'Authorization: Bearer {text}' {settings.public_url}/api/me/profile\n"
            f"To end it:\n  sparks key revoke {made.key_id}"
        )


@key.command("list")
@partial(email_argument, required=False)
@json_option
@with_data
def list_keys(settings: Settings, *, email: str | None, as_json: bool) -> None:
    """Show the keys of one account, or of all. Never the secrets.

    \b
    Examples:
      sparks key list
      sparks key list ann@example.com --json
    """
    from sparks.auth.api_keys import keys_of
    from sparks.cli.accounts import find_account
    from sparks.library.accounts import all_users
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        users = all_users(table=stores.table) if email is None else [find_account(email, table=stores.table)]
        found = [key for user in users for key in keys_of(user.email, at=times.now(), table=stores.table)]
    rows = [_told(key) for key in sorted(found, key=lambda key: (key.email, key.created_at))]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        used = shown_time(row["lastUsedAt"], otherwise="never")
        ends = shown_time(row["expiresAt"], otherwise="never")
        say(f"{row['id']}  {row['email']}  {row['name']}  {','.join(row['scopes'])}  used {used}  expires {ends}")
    if not rows:
        say("there are no keys: `sparks key add` makes one")


@key.command()
@click.argument("key_id", metavar="ID", callback=key_id_of)
@json_option
@with_data
def revoke(settings: Settings, *, key_id: str, as_json: bool) -> None:
    """End a key at once. ID is as `sparks key list` shows it, or the key itself.

    \b
    Example:
      sparks key revoke ID
    """
    from sparks.auth.api_keys import revoke_key
    from sparks.library import keys
    from sparks.library.audit import COMMAND_LINE, Deed, audit
    from sparks.library.records import from_item
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        row = stores.table.get(keys.api_key(key_id))
        if row is None:
            raise NotFound("there is no such key, or no more: `sparks key list` shows all")
        found = from_item(ApiKey, row)
        note = audit(Deed.KEY_REVOKED, who=COMMAND_LINE, target=found.email, key=key_id, name=found.name)
        revoke_key(found.email, key_id, also=(note,), table=stores.table)
    if as_json:
        print_json(_told(found))
    else:
        say(f"revoked the key {found.name} of {found.email}")


def _refuse_beyond(user: User, scopes: frozenset[KeyScope] | None) -> None:
    from sparks.auth.api_keys import allowed_scopes

    if beyond := (scopes or frozenset()) - allowed_scopes(user.role):
        raise NotAllowed(
            f"{user.email} is a {user.role}, whose keys cannot have the scope {', '.join(sorted(beyond))}: "
            f"leave it out, or make them an administrator with `sparks user role {user.email} admin`"
        )


def _told(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "email": key.email,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "createdAt": times.iso(key.created_at),
        "lastUsedAt": None if key.last_used_at is None else times.iso(key.last_used_at),
        "expiresAt": None if key.expires_at is None else times.iso(key.expires_at),
    }

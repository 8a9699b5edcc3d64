"""`sparks user limit`, `role` and `password`: what may be changed about an account."""

from typing import Any

import click

from sparks.cli.amounts import Amount, amount_of, photos, size
from sparks.cli.options import email_argument, json_option, print_json, say, with_data
from sparks.cli.passwords import ask_password, password_option
from sparks.model import times
from sparks.model.account import Role
from sparks.settings import Settings
from sparks.table.port import Change, Table


@click.command(context_settings={"ignore_unknown_options": True})  # -5 is a number here, not an option
@email_argument
@click.argument("number", metavar="[N|+N|-N]", required=False, callback=amount_of(photos))
@click.option(
    "--bytes", "most_bytes", metavar="SIZE", callback=amount_of(size), help="Bytes: as 50GB, +10GB or -500MB."
)
@json_option
@with_data
def limit(settings: Settings, *, email: str, number: Amount | None, most_bytes: Amount | None, as_json: bool) -> None:
    """Change how much somebody may upload.

    N is how many photos they may still upload from now on; +N gives so many more, -N takes so many away.

    \b
    Examples:
      sparks user limit ann@example.com 500
      sparks user limit ann@example.com +100 --bytes +10GB
      sparks user limit ann@example.com -5
    """
    if number is None and most_bytes is None:
        raise click.UsageError("say how many: a number of photos, or --bytes")
    from sparks.cli.accounts import find_account, left_in_words, tell_account
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        account = find_account(email, table=stores.table)
        _change_limit(email, photos=number, size=most_bytes, table=stores.table)
        told = tell_account(account, table=stores.table)
    if as_json:
        print_json(told)
    else:
        say(f"{email} may still upload {left_in_words(told)}")


@click.command()
@email_argument
@click.argument("role", type=click.Choice([role.value for role in Role]))
@json_option
@with_data
def role(settings: Settings, *, email: str, role: str, as_json: bool) -> None:
    """Make somebody an administrator, or a member again. The last administrator stays one.

    \b
    Examples:
      sparks user role ann@example.com admin
      sparks user role ann@example.com member
    """
    from sparks.cli.accounts import find_account, tell_account
    from sparks.library.accounts import change_role
    from sparks.library.audit import COMMAND_LINE, Deed, audit
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        before = find_account(email, table=stores.table).role
        note = audit(Deed.ROLE_CHANGED, who=COMMAND_LINE, target=email, role=role, before=before.value)
        told = tell_account(change_role(email, Role(role), also=(note,), table=stores.table), table=stores.table)
    if as_json:
        print_json(told)
    else:
        say(f"{email} is {role} already" if before == role else f"{email} is {role} now")


@click.command()
@email_argument
@password_option
@json_option
@with_data
def password(settings: Settings, *, email: str, password_stdin: bool, as_json: bool) -> None:
    """Set a new password. All sessions end: whoever is signed in has to sign in again. API keys stay good.

    \b
    Examples:
      sparks user password ann@example.com
      sparks user password ann@example.com --password-stdin < password.txt
    """
    from sparks.auth.passwords import hash_password
    from sparks.auth.sessions import sessions_of
    from sparks.cli.accounts import find_account
    from sparks.library.accounts import set_password
    from sparks.library.audit import COMMAND_LINE, Deed, audit
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        account = find_account(email, table=stores.table)
        hashed = hash_password(ask_password(email, from_stdin=password_stdin))
        ended = sum(1 for _ in sessions_of(account, at=times.now(), table=stores.table))
        note = audit(Deed.PASSWORD_RESET, who=COMMAND_LINE, target=email)
        set_password(email, hashed, also=(note,), table=stores.table)
    if as_json:
        print_json({"email": email, "sessionsEnded": ended})
    else:
        say(f"{email} has a new password; sessions ended: {ended}")


def _change_limit(email: str, *, photos: Amount | None, size: Amount | None, table: Table) -> None:
    """What is more or less comes first: it may fail, where less is left than is to be taken away."""
    from sparks.library.audit import COMMAND_LINE, Deed, audit
    from sparks.library.limits import change_limit, set_left

    def note(**details: Any) -> Change:
        return audit(Deed.LIMIT_CHANGED, who=COMMAND_LINE, target=email, **details)

    more, more_bytes = _change(photos), _change(size)
    if more is not None or more_bytes is not None:
        also = (note(limitChange=more, bytesChange=more_bytes),)
        change_limit(email, photos=more or 0, bytes=more_bytes or 0, also=also, table=table)
    left, bytes_left = _level(photos), _level(size)
    if left is not None or bytes_left is not None:
        also = (note(limit=left, bytesLeft=bytes_left),)
        set_left(email, photos=left, bytes=bytes_left, also=also, table=table)


def _change(amount: Amount | None) -> int | None:
    return amount.number if amount is not None and amount.is_change else None


def _level(amount: Amount | None) -> int | None:
    return amount.number if amount is not None and not amount.is_change else None

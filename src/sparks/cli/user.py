"""`sparks user`: the accounts."""

from dataclasses import replace

import click

from sparks.cli.amounts import number_of, photos, shown_time, size
from sparks.cli.options import email_argument, json_option, print_json, say, with_data, with_settings
from sparks.cli.passwords import ask_password, password_option
from sparks.cli.removal import remove
from sparks.cli.user_changes import limit, password, role
from sparks.model import times
from sparks.model.account import Role
from sparks.settings import Settings


@click.group()
def user() -> None:
    """The accounts: who they are, and how much they may upload.

    All of it works while `sparks serve` runs, and before there is an administrator.

    \b
    Examples:
      sparks user add ann@example.com --admin
      sparks user limit ann@example.com +100
    """


for command in (limit, role, password, remove):
    user.add_command(command)


@user.command()
@email_argument
@click.option("--username", metavar="NAME", help="The name that others see; by default what stands before the @.")
@click.option("--admin", is_flag=True, help="Make an administrator.")
@click.option("--limit", metavar="N", callback=number_of(photos), help="Photos they may upload; else as upload_limit.")
@click.option(
    "--bytes",
    "most_bytes",
    metavar="SIZE",
    callback=number_of(size),
    help="Bytes they may upload, as 50GB; else as upload_limit_bytes.",
)
@password_option
@click.option("--no-password", is_flag=True, help="For somebody who signs in with the provider.")
@json_option
@with_settings
def add(
    settings: Settings,
    *,
    email: str,
    username: str | None,
    admin: bool,
    limit: int | None,
    most_bytes: int | None,
    password_stdin: bool,
    no_password: bool,
    as_json: bool,
) -> None:
    """Make an account. The password is asked for, unless it comes with --password-stdin.

    \b
    Examples:
      sparks user add ann@example.com --username Ann --admin
      sparks user add bob@example.com --limit 1000 --bytes 100GB --password-stdin < password.txt
    """
    if no_password and password_stdin:
        raise click.UsageError("--no-password and --password-stdin contradict each other: say one of them")
    from sparks.auth.registration import Allowance, Newcomer, add_user
    from sparks.cli.accounts import left_in_words, refuse_taken, tell_account
    from sparks.library.audit import COMMAND_LINE
    from sparks.wiring import open_stores

    newcomer = Newcomer.called(email, None, username)
    with open_stores(settings) as stores:
        refuse_taken(email, table=stores.table)
        password = None if no_password else ask_password(email, from_stdin=password_stdin)
        made = add_user(
            replace(newcomer, password=password),
            role=Role.ADMIN if admin else Role.MEMBER,
            allowance=Allowance(
                photos=settings.upload_limit if limit is None else limit,
                bytes=settings.upload_limit_bytes if most_bytes is None else most_bytes,
            ),
            by=COMMAND_LINE,
            at=times.now(),
            table=stores.table,
        )
        told = tell_account(made, table=stores.table)
    if as_json:
        print_json(told)
        return
    say(f"made {email}, {made.role}; may upload {left_in_words(told)}")
    if no_password:
        say(f"it has no password: sign in with the provider, or set one with `sparks user password {email}`")


@user.command("list")
@json_option
@with_data
def list_users(settings: Settings, *, as_json: bool) -> None:
    """Show all accounts: role, name, and what they may still upload.

    \b
    Examples:
      sparks user list
      sparks user list --json
    """
    from sparks.cli.accounts import left_in_words, tell_accounts
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        accounts = list(tell_accounts(table=stores.table))
    if as_json:
        print_json(accounts)
        return
    for told in accounts:
        say(f"{told['email']}  {told['role']}  {told['username']}  {left_in_words(told)} left")
    if not accounts:
        say("there are no accounts yet: `sparks user add` makes one")


@user.command()
@email_argument
@json_option
@with_data
def show(settings: Settings, *, email: str, as_json: bool) -> None:
    """Show one account: its role, what it has uploaded and may still upload, and its ways in.

    \b
    Example:
      sparks user show ann@example.com
    """
    from sparks.cli.accounts import find_account, left_in_words, tell_more, used_in_words
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        told = tell_more(find_account(email, table=stores.table), table=stores.table)
    if as_json:
        print_json(told)
        return
    rows = {
        "name": told["username"],
        "role": told["role"],
        "created": shown_time(told["createdAt"], otherwise="not known"),
        "uploaded": used_in_words(told),
        "left": left_in_words(told),
        "password": "yes" if told["password"] else "none",
        "identities": ", ".join(told["identities"]) or "none",
        "sessions": told["sessions"],
        "API keys": told["keys"],
    }
    say("\n".join([click.style(email, bold=True), *(f"    {name:<10}  {value}" for name, value in rows.items())]))

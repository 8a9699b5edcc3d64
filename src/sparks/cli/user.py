"""`sparks user`: adds, lists, shows and changes accounts."""

from dataclasses import replace
from typing import Any

import click

from sparks.cli.options import email_argument, json_option, print_json, print_line, with_data, with_settings
from sparks.cli.password_prompt import ask_password, password_option
from sparks.cli.quantities import Quantity, format_time, parse_number, parse_photos, parse_quantity, parse_size
from sparks.cli.user_remove import remove
from sparks.model import times
from sparks.model.account import Role
from sparks.settings import Settings
from sparks.table.port import Change, Table


@click.command(context_settings={"ignore_unknown_options": True})  # -5 is a number here, not an option
@email_argument
@click.argument("number", metavar="[N|+N|-N]", required=False, callback=parse_quantity(parse_photos))
@click.option(
    "--bytes",
    "most_bytes",
    metavar="SIZE",
    callback=parse_quantity(parse_size),
    help="Bytes: as 50GB, +10GB or -500MB.",
)
@json_option
@with_data
def limit(
    settings: Settings, *, email: str, number: Quantity | None, most_bytes: Quantity | None, as_json: bool
) -> None:
    """Change how much a user may upload.

    N is the number of photos that the user may still upload; +N adds to it, -N subtracts from it.

    \b
    Examples:
      sparks user limit ann@example.com 500
      sparks user limit ann@example.com +100 --bytes +10GB
      sparks user limit ann@example.com -5
    """
    if number is None and most_bytes is None:
        raise click.UsageError("the new limit is missing: give a number of photos, or --bytes")
    from sparks.cli.account_output import account_json, find_account, limit_left_text
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        account = find_account(email, table=stores.table)
        _change_limit(email, photos=number, size=most_bytes, table=stores.table)
        fields = account_json(account, table=stores.table)
    if as_json:
        print_json(fields)
    else:
        print_line(f"{email} may still upload {limit_left_text(fields)}")


@click.command()
@email_argument
@click.argument("role", type=click.Choice([role.value for role in Role]))
@json_option
@with_data
def role(settings: Settings, *, email: str, role: str, as_json: bool) -> None:
    """Make a user an administrator, or a member again. The last administrator cannot become a member.

    \b
    Examples:
      sparks user role ann@example.com admin
      sparks user role ann@example.com member
    """
    from sparks.cli.account_output import account_json, find_account
    from sparks.library.accounts.users import change_role
    from sparks.library.audit import COMMAND_LINE, AuditAction, audit_row
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        before = find_account(email, table=stores.table).role
        note = audit_row(AuditAction.ROLE_CHANGED, who=COMMAND_LINE, target=email, role=role, before=before.value)
        fields = account_json(change_role(email, Role(role), also=(note,), table=stores.table), table=stores.table)
    if as_json:
        print_json(fields)
    else:
        print_line(f"{email} is {role} already" if before == role else f"{email} is {role} now")


@click.command()
@email_argument
@password_option
@json_option
@with_data
def password(settings: Settings, *, email: str, password_stdin: bool, as_json: bool) -> None:
    """Set a new password. All sessions of the user end; API keys stay valid.

    \b
    Examples:
      sparks user password ann@example.com
      sparks user password ann@example.com --password-stdin < password.txt
    """
    from sparks.auth.passwords import hash_password
    from sparks.auth.sessions import sessions_of
    from sparks.cli.account_output import find_account
    from sparks.library.accounts.users import set_password
    from sparks.library.audit import COMMAND_LINE, AuditAction, audit_row
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        account = find_account(email, table=stores.table)
        hashed = hash_password(ask_password(email, from_stdin=password_stdin))
        ended = sum(1 for _ in sessions_of(account, at=times.now(), table=stores.table))
        note = audit_row(AuditAction.PASSWORD_RESET, who=COMMAND_LINE, target=email)
        set_password(email, hashed, also=(note,), table=stores.table)
    if as_json:
        print_json({"email": email, "sessionsEnded": ended})
    else:
        print_line(f"{email} has a new password; sessions ended: {ended}")


def _change_limit(email: str, *, photos: Quantity | None, size: Quantity | None, table: Table) -> None:
    """Changes come before new values: a change fails where it takes away more than is left."""
    from sparks.library.audit import COMMAND_LINE, AuditAction, audit_row
    from sparks.library.upload_limits.account_limit import change_limit, set_left

    def note(**details: Any) -> Change:
        return audit_row(AuditAction.LIMIT_CHANGED, who=COMMAND_LINE, target=email, **details)

    more, more_bytes = _change(photos), _change(size)
    if more is not None or more_bytes is not None:
        also = (note(limitChange=more, bytesChange=more_bytes),)
        change_limit(email, photos=more or 0, bytes=more_bytes or 0, also=also, table=table)
    left, bytes_left = _level(photos), _level(size)
    if left is not None or bytes_left is not None:
        also = (note(limit=left, bytesLeft=bytes_left),)
        set_left(email, photos=left, bytes=bytes_left, also=also, table=table)


def _change(amount: Quantity | None) -> int | None:
    return amount.number if amount is not None and amount.is_change else None


def _level(amount: Quantity | None) -> int | None:
    return amount.number if amount is not None and not amount.is_change else None


@click.group()
def user() -> None:
    """Manage accounts and how much they may upload.

    These commands also work while `sparks serve` runs, and before there is an administrator.

    \b
    Examples:
      sparks user add ann@example.com --admin
      sparks user limit ann@example.com +100
    """


for command in (limit, role, password, remove):
    user.add_command(command)


@user.command()
@email_argument
@click.option("--username", metavar="NAME", help="Name that other users see; by default the part before the @.")
@click.option("--admin", is_flag=True, help="Make the user an administrator.")
@click.option(
    "--limit",
    metavar="N",
    callback=parse_number(parse_photos),
    help="Photos the user may upload; by default upload_limit.",
)
@click.option(
    "--bytes",
    "most_bytes",
    metavar="SIZE",
    callback=parse_number(parse_size),
    help="Bytes the user may upload, as 50GB; by default upload_limit_bytes.",
)
@password_option
@click.option("--no-password", is_flag=True, help="For a user who signs in with the OpenID Connect provider.")
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
    """Create an account. Prompts for the password, unless you use --password-stdin.

    \b
    Examples:
      sparks user add ann@example.com --username Ann --admin
      sparks user add bob@example.com --limit 1000 --bytes 100GB --password-stdin < password.txt
    """
    if no_password and password_stdin:
        raise click.UsageError("--no-password and --password-stdin exclude each other: use one of them")
    from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
    from sparks.cli.account_output import account_json, limit_left_text, refuse_taken
    from sparks.library.audit import COMMAND_LINE
    from sparks.wiring import open_stores

    new_account = NewAccount.called(email, None, username)
    with open_stores(settings) as stores:
        refuse_taken(email, table=stores.table)
        password = None if no_password else ask_password(email, from_stdin=password_stdin)
        made = add_user(
            replace(new_account, password=password),
            role=Role.ADMIN if admin else Role.MEMBER,
            allowance=UploadAllowance(
                photos=settings.upload_limit if limit is None else limit,
                bytes=settings.upload_limit_bytes if most_bytes is None else most_bytes,
            ),
            by=COMMAND_LINE,
            at=times.now(),
            table=stores.table,
        )
        fields = account_json(made, table=stores.table)
    if as_json:
        print_json(fields)
        return
    print_line(f"made {email}, {made.role}; may upload {limit_left_text(fields)}")
    if no_password:
        print_line(f"it has no password: sign in with the provider, or set one with `sparks user password {email}`")


@user.command("list")
@json_option
@with_data
def list_users(settings: Settings, *, as_json: bool) -> None:
    """List all accounts: role, name, and how much they may still upload.

    \b
    Examples:
      sparks user list
      sparks user list --json
    """
    from sparks.cli.account_output import accounts_json, limit_left_text
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        accounts = list(accounts_json(table=stores.table))
    if as_json:
        print_json(accounts)
        return
    for fields in accounts:
        print_line(f"{fields['email']}  {fields['role']}  {fields['username']}  {limit_left_text(fields)} left")
    if not accounts:
        print_line("there are no accounts yet: `sparks user add` makes one")


@user.command()
@email_argument
@json_option
@with_data
def show(settings: Settings, *, email: str, as_json: bool) -> None:
    """Show one account: its role, its uploads and upload limit, its password, identities, sessions and API keys.

    \b
    Example:
      sparks user show ann@example.com
    """
    from sparks.cli.account_output import account_details_json, find_account, limit_left_text, limit_used_text
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        fields = account_details_json(find_account(email, table=stores.table), table=stores.table)
    if as_json:
        print_json(fields)
        return
    rows = {
        "name": fields["username"],
        "role": fields["role"],
        "created": format_time(fields["createdAt"], otherwise="not known"),
        "uploaded": limit_used_text(fields),
        "left": limit_left_text(fields),
        "password": "yes" if fields["password"] else "none",
        "identities": ", ".join(fields["identities"]) or "none",
        "sessions": fields["sessions"],
        "API keys": fields["keys"],
    }
    print_line(
        "\n".join([click.style(email, bold=True), *(f"    {name:<10}  {value}" for name, value in rows.items())])
    )

"""`sparks secrets`: lists and rotates signing keys."""

import math
from datetime import UTC, datetime, timedelta

import click

from sparks.cli.options import json_option, print_json, print_line, with_data
from sparks.secret_file import SecretFile, SigningKeys
from sparks.settings import Settings


@click.group()
def secrets() -> None:
    """Manage the keys with which Sparks signs addresses. No command shows a secret.

    \b
    Examples:
      sparks secrets list
      sparks secrets rotate
    """


@secrets.command("list")
@json_option
@with_data
def list_keys(settings: Settings, *, as_json: bool) -> None:
    """List the ids of the keys, their age, and which one signs.

    \b
    Example:
      sparks secrets list
    """
    _show(SecretFile(settings.secret_file).read(), as_json=as_json)


@secrets.command()
@click.option(
    "--drop-older-than",
    "days",
    type=click.FloatRange(min=0, max=36500),
    metavar="DAYS",
    help="Delete keys older than this, except the one that has signed until now.",
)
@json_option
@with_data
def rotate(settings: Settings, *, days: float | None, as_json: bool) -> None:
    """Create a new key that signs from now on.

    Addresses that older keys have signed stay valid until those keys are deleted. Restart Sparks afterwards: a running
    process knows only the keys that existed when it started.

    \b
    Example:
      sparks secrets rotate --drop-older-than 30
    """
    if days is not None and math.isnan(days):
        raise click.BadParameter("nan is not a number of days", param_hint="--drop-older-than")
    keep = None if days is None else timedelta(days=days)
    _show(SecretFile(settings.secret_file).rotate(keep=keep), as_json=as_json)
    click.echo("sparks: restart `sparks serve` and all workers, so that they know the new key", err=True)


def _show(known: SigningKeys, *, as_json: bool) -> None:
    now = datetime.now(UTC)
    rows = [
        {"id": name, "made": key.made, "days": (now - key.made).days, "current": name == known.current}
        for name, key in sorted(known.keys.items(), key=lambda pair: pair[1].made)
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        signs = "  signs" if row["current"] else ""
        print_line(f"{row['id']}  made {row['made']:%Y-%m-%d %H:%M} UTC, {row['days']} days ago{signs}")

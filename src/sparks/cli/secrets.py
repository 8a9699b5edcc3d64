"""`sparks secrets`: the keys that addresses are signed with."""

import math
from datetime import UTC, datetime, timedelta

import click

from sparks.cli.options import json_option, print_json, say, with_data
from sparks.secretfile import SecretFile, SigningKeys
from sparks.settings import Settings


@click.group()
def secrets() -> None:
    """The keys that addresses are signed with. No command ever shows a secret.

    \b
    Examples:
      sparks secrets list
      sparks secrets rotate
    """


@secrets.command("list")
@json_option
@with_data
def list_keys(settings: Settings, *, as_json: bool) -> None:
    """Show the ids of the keys, when they were made, and which one signs.

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
    help="Drop keys made longer ago than that, except the one that has signed until now.",
)
@json_option
@with_data
def rotate(settings: Settings, *, days: float | None, as_json: bool) -> None:
    """Make a new key that signs from now on.

    What older keys have signed stays good until they are dropped. Restart Sparks afterwards: a process that runs knows
    only the keys that were there when it started.

    \b
    Example:
      sparks secrets rotate --drop-older-than 30
    """
    if days is not None and math.isnan(days):
        raise click.BadParameter("nan is not a number of days", param_hint="--drop-older-than")
    keep = None if days is None else timedelta(days=days)
    _show(SecretFile(settings.secret_file).rotate(keep=keep), as_json=as_json)
    click.echo("sparks: restart `sparks serve` and workers that run, so that they know the new key", err=True)


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
        say(f"{row['id']}  made {row['made']:%Y-%m-%d %H:%M} UTC, {row['days']} days ago{signs}")

"""`sparks jobs`: what waits, and the dead letters."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Final

import click

from sparks.cli.options import json_option, print_json, with_settings
from sparks.jobs.port import Jobs
from sparks.settings import Settings

MOST: Final = 1000


@click.group()
def jobs() -> None:
    """The job queue and its dead letters: jobs that failed five times."""


@jobs.command("list")
@click.option("--most", default=100, type=click.IntRange(1, MOST), show_default=True, help="Dead letters to show.")
@json_option
@with_settings
def list_jobs(settings: Settings, *, most: int, as_json: bool) -> None:
    """Show how many jobs there are in each state, and the dead letters with the reason of their last failure.

    \b
    Examples:
      sparks jobs list
      sparks jobs list --json
    """
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        counts, dead = stores.jobs.counts(), stores.jobs.dead(most=most)
    if as_json:
        print_json({"counts": asdict(counts), "dead": [asdict(job) for job in dead]})
        return
    click.echo("  ".join(f"{state} {count}" for state, count in asdict(counts).items()))
    for job in dead:
        click.echo(
            f"{job.job_id}  {job.job.kind}  sent {job.sent:%Y-%m-%d %H:%M} UTC  {job.reason or 'its lease ended'}"
        )


def _handling(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of a command that handles dead letters."""
    chosen = click.argument("ids", nargs=-1, metavar="[ID]...")(with_settings(command))
    return json_option(click.option("--all", "everything", is_flag=True, help="All dead letters.")(chosen))


@jobs.command()
@_handling
def retry(settings: Settings, *, ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Send dead letters again.

    \b
    Examples:
      sparks jobs retry --all
      sparks jobs retry ID ID
    """
    with _dead_letters(settings, ids, everything=everything) as (queue, chosen):
        _tell("retried", queue.retry_dead(chosen), len(chosen), as_json=as_json)


@jobs.command()
@_handling
def drop(settings: Settings, *, ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Remove dead letters for good.

    \b
    Example:
      sparks jobs drop ID
    """
    with _dead_letters(settings, ids, everything=everything) as (queue, chosen):
        _tell("dropped", queue.drop_dead(chosen), len(chosen), as_json=as_json)


@contextmanager
def _dead_letters(settings: Settings, ids: tuple[str, ...], *, everything: bool) -> Iterator[tuple[Jobs, list[str]]]:
    if bool(ids) == everything:
        raise click.UsageError("name the dead letters, or say --all")
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        yield stores.jobs, list(ids) or [job.job_id for job in stores.jobs.dead(most=MOST)]


def _tell(what: str, found: int, wanted: int, *, as_json: bool) -> None:
    """Fails when some were not found: a script that named them wants to know."""
    if as_json:
        print_json({what: found, "missing": wanted - found})
    else:
        click.echo(f"{what} {found} of {wanted} dead letters")
    if found < wanted:
        raise click.exceptions.Exit(1)

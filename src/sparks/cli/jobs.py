"""`sparks jobs`: lists waiting jobs, retries and drops dead letters."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from sparks.cli.options import json_option, print_json, print_line, with_data
from sparks.model import times
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.upkeep.handle_dead_letters import DeadLettersResult

MAX_SHOWN: Final = 1000


@click.group()
def jobs() -> None:
    """Show the job queue and its dead letters: jobs that failed five times.

    \b
    Examples:
      sparks jobs list
      sparks jobs retry --all
    """


@jobs.command("list")
@click.option(
    "--most",
    default=100,
    type=click.IntRange(1, MAX_SHOWN),
    show_default=True,
    help="Largest number of dead letters to show.",
)
@json_option
@with_data
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
    print_line("  ".join(f"{state} {count}" for state, count in asdict(counts).items()))
    for job in dead:
        print_line(
            f"{job.job_id}  {job.job.kind}  sent {job.sent:%Y-%m-%d %H:%M} UTC  {job.reason or 'its lease ended'}"
        )


def _checked_ids(_context: click.Context, _parameter: click.Parameter, ids: tuple[str, ...]) -> tuple[str, ...]:
    for job_id in ids:
        if not job_id.isprintable():
            raise click.BadParameter(f"{job_id!r} is not the id of a dead letter")
    return tuple(dict.fromkeys(ids))


def _handling(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the arguments of a command that handles dead letters."""
    chosen = click.argument("ids", nargs=-1, metavar="[ID]...", callback=_checked_ids)(with_data(command))
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
    from sparks.upkeep.handle_dead_letters import retry_dead_letters

    _handle(settings, "retried", retry_dead_letters, ids, everything=everything, as_json=as_json)


@jobs.command()
@_handling
def drop(settings: Settings, *, ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Delete dead letters for good.

    \b
    Example:
      sparks jobs drop ID
    """
    from sparks.upkeep.handle_dead_letters import drop_named_letters

    _handle(settings, "dropped", drop_named_letters, ids, everything=everything, as_json=as_json)


def _handle(
    settings: Settings,
    what: str,
    handle: Callable[..., "DeadLettersResult"],
    ids: tuple[str, ...],
    *,
    everything: bool,
    as_json: bool,
) -> None:
    """Exits with code 1 where an id has no dead letter."""
    if bool(ids) == everything:
        raise click.UsageError("name the dead letters, or use --all")
    from sparks.library.audit import COMMAND_LINE
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        done = handle(ids or None, who=COMMAND_LINE, at=times.now(), table=stores.table, jobs=stores.jobs)
    if as_json:
        print_json({what: done.found, "missing": done.missing})
    else:
        print_line(f"{what} {done.found} of {len(ids)} dead letters" if ids else f"{what} {done.found} dead letters")
    if done.missing:
        if not as_json:
            click.echo(f"sparks: no dead letter has the id {', '.join(done.missing)}", err=True)
        raise click.exceptions.Exit(1)

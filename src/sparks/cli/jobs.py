"""`sparks jobs`: what waits, and the dead letters."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Final

import click

from sparks.cli.options import json_option, print_json, say, with_data
from sparks.jobs.port import Jobs
from sparks.settings import Settings

MOST: Final = 1000

Act = Callable[[Sequence[str]], int]


@click.group()
def jobs() -> None:
    """The job queue and its dead letters: jobs that failed five times.

    \b
    Examples:
      sparks jobs list
      sparks jobs retry --all
    """


@jobs.command("list")
@click.option("--most", default=100, type=click.IntRange(1, MOST), show_default=True, help="Dead letters to show.")
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
    say("  ".join(f"{state} {count}" for state, count in asdict(counts).items()))
    for job in dead:
        say(f"{job.job_id}  {job.job.kind}  sent {job.sent:%Y-%m-%d %H:%M} UTC  {job.reason or 'its lease ended'}")


def _checked_ids(_context: click.Context, _parameter: click.Parameter, ids: tuple[str, ...]) -> tuple[str, ...]:
    for job_id in ids:
        if not job_id.isprintable():
            raise click.BadParameter(f"{job_id!r} is not the id of a dead letter")
    return tuple(dict.fromkeys(ids))


def _handling(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of a command that handles dead letters."""
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
    _handle(settings, "retried", lambda queue: queue.retry_dead, ids, everything=everything, as_json=as_json)


@jobs.command()
@_handling
def drop(settings: Settings, *, ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Remove dead letters for good.

    \b
    Example:
      sparks jobs drop ID
    """
    _handle(settings, "dropped", lambda queue: queue.drop_dead, ids, everything=everything, as_json=as_json)


def _handle(
    settings: Settings,
    what: str,
    act_on: Callable[[Jobs], Act],
    ids: tuple[str, ...],
    *,
    everything: bool,
    as_json: bool,
) -> None:
    """Fails when some were not found: a script that named them wants to know which."""
    if bool(ids) == everything:
        raise click.UsageError("name the dead letters, or say --all")
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        act = act_on(stores.jobs)
        missing = [job_id for job_id in ids if not act([job_id])]
        found = len(ids) - len(missing) if ids else _act_on_all(stores.jobs, act)
    if as_json:
        print_json({what: found, "missing": missing})
    else:
        say(f"{what} {found} of {len(ids)} dead letters" if ids else f"{what} {found} dead letters")
    if missing:
        if not as_json:
            click.echo(f"sparks: no dead letter has the id {', '.join(missing)}", err=True)
        raise click.exceptions.Exit(1)


def _act_on_all(queue: Jobs, act: Act) -> int:
    """Each is handled once, also if it dies again meanwhile: so this comes to an end."""
    seen: set[str] = set()
    found = 0
    while fresh := [job.job_id for job in queue.dead(most=MOST) if job.job_id not in seen]:
        found += act(fresh)
        seen.update(fresh)
    return found

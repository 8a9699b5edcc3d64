"""`sparks evolve`: shows the version of the stored data, and brings their rows up to date."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from sparks.cli.migrate_run import progress
from sparks.cli.options import configure_command_logs, json_option, print_json, print_line, with_data
from sparks.model import times
from sparks.model.errors import Busy
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.evolve.overview import AttributeOverview, Overview, Progress
    from sparks.evolve.rekey import RekeyResult
    from sparks.evolve.rekeyed_table import RekeyedTable
    from sparks.evolve.remove_attributes import RemovalResult
    from sparks.library.throttle import Throttle

T = TypeVar("T")
LEASE_WAIT: Final = 65.0  # seconds: the lease of a run that was killed ends after 60


@click.command()
@click.argument("action", type=click.Choice(["show", "run"]), default="show")
@click.option("--all", "everything", is_flag=True, help="Show every attribute, not only those with a history.")
@click.option("--dry-run", is_flag=True, help="With run: only tell what would be done.")
@click.option("--rate", metavar="ROWS", type=click.FloatRange(min=0.1), help="With run: at most so many rows a second.")
@json_option
@with_data
def evolve(
    settings: Settings, *, action: str, everything: bool, dry_run: bool, rate: float | None, as_json: bool
) -> None:
    """Show the version of the stored data and the history of their attributes; `run` does what is due.

    An attribute that Sparks no longer writes is removed from the rows 30 days after the upgrade. Rows whose keys have
    another form are moved to another table while people use them. A run that was stopped goes on where it ended.

    \b
    Examples:
      sparks evolve
      sparks evolve run --dry-run
      sparks evolve run --rate 500
    """
    from sparks.evolve.overview import read_overview
    from sparks.library.throttle import Throttle
    from sparks.wiring import open_table

    configure_command_logs(settings)
    with open_table(settings) as table:
        overview = read_overview(table, at=times.now())
        if action == "show":
            _show(overview, everything=everything, as_json=as_json)
        else:
            _run(overview, table, Throttle(rate), dry_run=dry_run, as_json=as_json)


def _show(overview: "Overview", *, everything: bool, as_json: bool) -> None:
    if as_json:
        return print_json(_as_json(overview))
    state = overview.state
    print_line(
        f"the data are of version {state.version}, this Sparks writes {overview.program_version}; "
        f"a Sparks of version {state.oldest_reader} or newer can open them"
    )
    for version in overview.versions:
        since = state.taken_on.get(str(version.number))
        here = "" if since is None else f", here since {since:%Y-%m-%d}"
        print_line(f"  version {version.number} of {version.on}{here}: {version.what}")
    for each in overview.attributes:
        if everything or each.history.retired is not None or each.history.added > 1:
            print_line(f"  {each.history.name:<36} {_history(each, overview)}")
    for name in overview.rekeyings:
        print_line(f"  re-keying {name}: {overview.phase or 'due'}{_done(overview.rekeying)}")
    if overview.removal is not None:
        print_line(f"  the removal of attributes is not complete{_done(overview.removal)}")
    due = len(overview.due) + len(overview.rekeyings)
    print_line(f"{due:,} due: `sparks evolve run`" if due else "nothing is due")
    return None


def _history(each: "AttributeOverview", overview: "Overview") -> str:
    parts = [f"added in {each.history.added}"]
    if each.history.retired is not None:
        parts.append(f"retired in {each.history.retired}")
    if each.removed_at is not None:
        parts.append(f"removed on {each.removed_at:%Y-%m-%d}")
    elif each.history in overview.due:
        parts.append("removal is due")
    elif each.due_at is not None:
        parts.append(f"removal is due from {each.due_at:%Y-%m-%d}")
    return ", ".join(parts)


def _done(progress: "Progress | None") -> str:
    if progress is None:
        return ""
    return f", {progress.rows:,} rows done, {'running' if progress.is_running else 'stopped'}"


def _as_json(overview: "Overview") -> dict[str, Any]:
    return {
        "version": overview.state.version,
        "programVersion": overview.program_version,
        "oldestReader": overview.state.oldest_reader,
        "versions": [
            {
                "version": version.number,
                "on": version.on,
                "what": version.what,
                "oldestReader": version.oldest_reader,
                "takenOn": overview.state.taken_on.get(str(version.number)),
            }
            for version in overview.versions
        ],
        "attributes": [
            {
                "record": each.history.record,
                "attribute": each.history.attribute,
                "added": each.history.added,
                "retired": each.history.retired,
                "dueAt": each.due_at,
                "removedAt": each.removed_at,
            }
            for each in overview.attributes
        ],
        "due": [each.name for each in overview.due],
        "rekeyings": overview.rekeyings,
        "phase": overview.phase,
        "removal": overview.removal,
        "rekeying": overview.rekeying,
    }


def _run(overview: "Overview", table: "RekeyedTable", throttle: "Throttle", *, dry_run: bool, as_json: bool) -> None:
    moved, removal = (_preview if dry_run else _run_due)(overview, table, throttle)
    if as_json:
        return print_json({"dryRun": dry_run, "rekeyings": overview.rekeyings, "moved": moved, "removal": removal})
    for name in overview.rekeyings:
        print_line(f"re-keying {name}: all rows {'would be moved' if dry_run else 'are moved'}")
    for name, count in {} if removal is None else removal.removed.items():
        print_line(f"{name} {'would be' if dry_run else 'is'} removed from {count:,} rows")
    if removal is None and not overview.rekeyings:
        print_line("nothing is due")
    return None


def _preview(
    overview: "Overview", table: "RekeyedTable", throttle: "Throttle"
) -> "tuple[RekeyResult | None, RemovalResult | None]":
    from sparks.evolve.remove_attributes import preview_removal

    if not overview.due:
        return None, None
    with progress() as show:
        return None, preview_removal(overview.due, throttle=throttle, on_progress=_told(show), table=table)


def _run_due(
    overview: "Overview", table: "RekeyedTable", throttle: "Throttle"
) -> "tuple[RekeyResult | None, RemovalResult | None]":
    from sparks.evolve.rekey import run_rekeyings
    from sparks.evolve.remove_attributes import remove_attributes

    moved, removal = None, None
    with progress() as show:
        told = _told(show)
        if overview.rekeyings:
            moved = _after_lease(lambda: run_rekeyings(table, at=times.now(), throttle=throttle, on_progress=told))
        if due := overview.due:
            removal = _after_lease(
                lambda: remove_attributes(due, at=times.now(), throttle=throttle, on_progress=told, table=table)
            )
    return moved, removal


def _after_lease(run: Callable[[], T]) -> T:
    """Waits for the end of another run, or of the lease of one that was killed."""
    deadline = time.monotonic() + LEASE_WAIT
    told = False
    while True:
        try:
            return run()
        except Busy:
            if time.monotonic() > deadline:
                raise
        if not told:
            click.echo("sparks: another run is at work, or was killed within the last minute: waiting ..", err=True)
            told = True
        time.sleep(1)


def _told(show: Callable[[str, int, int], None]) -> Callable[[str, int], None]:
    """The number of all rows is not known: a table does not count them."""
    return lambda what, done: show(what, done, done)

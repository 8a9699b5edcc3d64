"""Parts that the commands of `sparks migrate` share: stores, progress, signals and output."""

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from sparks.cli.options import configure_command_logs, print_json, print_line
from sparks.cli.progress_bar import ProgressBar
from sparks.model.errors import BadInput, Unavailable
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.journey import Stores
    from sparks.migrate.context import NewAccounts
    from sparks.migrate.cutover import SwitchResult
    from sparks.migrate.engines.cutover import SwitchResult as EngineSwitchResult
    from sparks.migrate.follow import Stepper
    from sparks.migrate.lease import Lease
    from sparks.migrate.records import Issue
    from sparks.migrate.source_port import MigrationSource
    from sparks.migrate.verification import ComparedSides


def source_settings(settings: Settings, source: str, layout: str | None, owner: str | None) -> dict[str, str]:
    """What a source of DynamoDB's tables needs, beside its address. BadInput where another source gets such options."""
    from sparks.migrate.dynamodb.address import is_dynamodb
    from sparks.model.account import account_email

    if not is_dynamodb(source):
        if layout or owner:
            raise BadInput("--layout and --owner are for tables of DynamoDB: --from dynamodb://TABLE")
        return {}
    staging = settings.data.absolute() / "migration" / "staging.db"
    given = {"layout": layout, "owner": owner and account_email(owner), "staging": str(staging)}
    return {name: value for name, value in given.items() if value}


def connect_to(url: str, options: Mapping[str, str]) -> "MigrationSource":
    """The source at an address that was typed; BadInput where it cannot be reached there. What is read of
    tables is in a temporary file.
    """
    from sparks.migrate.sources import connect_source

    try:
        return connect_source(url, {name: value for name, value in options.items() if name != "staging"})
    except Unavailable as error:
        raise BadInput(f"{error}: look at the address in --from, and at PGPASSWORD") from error


@contextmanager
def migrator(settings: Settings) -> "Iterator[tuple[Stores, NewAccounts]]":
    """The stores as the migrator uses them, and the amounts of new accounts."""
    from sparks.migrate.context import NewAccounts
    from sparks.wiring import open_renderer, open_stores

    configure_command_logs(settings)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was begun is given up in order
    with open_stores(settings, guarded=False) as opened, open_renderer(settings) as renderer:
        stores = replace(opened, renderer=renderer)
        yield stores, NewAccounts(settings.upload_limit, settings.upload_limit_bytes)


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Shows progress on stderr: what, how many of how many."""
    bars: dict[str, ProgressBar] = {}

    def show(name: str, done: int, total: int) -> None:
        if name not in bars:
            for bar in bars.values():
                bar.clear()
            bars[name] = ProgressBar(total, noun=name)
        bars[name].show(done, of=max(done, total))

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.clear()


@contextmanager
def reading_shown(source: "MigrationSource") -> Iterator[None]:
    """Shows, at a terminal, how many items of tables of DynamoDB were read."""
    from sparks.migrate.dynamodb.source import StagedSource

    if not isinstance(source, StagedSource) or not sys.stderr.isatty():
        yield
        return
    source.on_read = lambda items: click.echo(f"\r\x1b[K{items:,} items read", err=True, nl=False)
    try:
        yield
    finally:
        click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def reading_ends(source: "MigrationSource | None", stops: Callable[[], bool]) -> Iterator[None]:
    """Reading of tables of DynamoDB ends when it is told to stop, too."""
    from sparks.migrate.dynamodb.source import StagedSource

    if isinstance(source, StagedSource):
        wanted = source.stops
        source.stops = lambda: stops() or wanted()
    yield


@contextmanager
def stop_signals() -> Iterator[Callable[[], bool]]:
    """Whether SIGINT or SIGTERM has come: the command then ends after its current step."""
    told = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal told
        told = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def report(content: dict[str, Any], text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(content)
    else:
        print_line(text)


def report_switch(result: "SwitchResult | EngineSwitchResult", text: str, *, as_json: bool) -> None:
    content = {"done": True, "seconds": round(result.seconds, 3), "applied": result.applied}
    report(content, f"{text} ({result.seconds:.1f} s, {result.applied:,} changes applied)", as_json=as_json)


def report_verification(result: "ComparedSides", noun: str, *, there: str, as_json: bool) -> None:
    """`noun` is what was compared, and `there` the words for the other side. Ends with 1 where something differs."""
    differences = [
        {"table": each.table, "id": each.id, "field": each.field, "source": each.source, "target": each.target}
        for each in result.differences
    ]
    counts = {"missing": result.missing, "extra": result.extra, "different": result.different}
    if as_json:
        print_json({"checked": result.checked, **counts, "differences": differences})
    else:
        for each in result.differences[:100]:
            print_line(f"{each.table} {each.id}: {each.field} is {each.source!r} {there.format(each.target)}")
        found = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        print_line(f"compared {result.checked:,} {noun}: {'equal' if result.is_equal else found}")
    if not result.is_equal:
        raise click.exceptions.Exit(1)


def print_issues(stores: "Stores", *, as_json: bool) -> None:
    from dataclasses import asdict

    import msgspec

    from sparks.migrate.issues import all_issues

    for issue in all_issues(stores.table):
        print_line(msgspec.json.encode(asdict(issue)).decode() if as_json else issue_line(issue))


def issue_line(issue: "Issue") -> str:
    taken = "taken" if issue.taken else "not taken"
    value = "has no value" if issue.value is None else repr(issue.value)
    return f"{issue.table} {issue.id} ({taken}): {issue.field} {value}: {issue.reason}"


def run_stepper(
    stepper: "Stepper", lease: "Lease | None", *, once: bool, source: "MigrationSource | None" = None
) -> tuple[int, int]:
    """The changes that were applied, and those that wait."""
    from sparks.migrate.follow import run_steps

    assert lease is not None  # noqa: S101  these commands hold it
    if once:
        stepper.catch_up()
    else:
        with stop_signals() as stops, reading_ends(source, stops):
            run_steps(stepper, lease, stops=stops, on_progress=_print_applied)
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", err=True, nl=False)
    return stepper.applied, stepper.report()


def _print_applied(applied: int, lag: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{applied:,} changes applied, {lag:,} wait", err=True, nl=False)


def warn_of_writers() -> None:
    """Says that a source which cannot refuse writes must not be written to; asks, at a terminal."""
    click.echo("DynamoDB cannot refuse writes: every writer of the old service must be stopped by now.", err=True)
    if sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm("Are they stopped?", abort=True, err=True)

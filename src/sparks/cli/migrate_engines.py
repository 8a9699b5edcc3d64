"""Steps of `sparks migrate` for a library that moves to other engines (`--to`), and the choice between them and those
of a migration from another service.
"""

import functools
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from sparks.cli.migrate_run import progress, report, report_switch, report_verification, run_stepper
from sparks.cli.options import configure_command_logs, print_json, print_line
from sparks.model.errors import Conflict
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.migrate.engines.migrator import EngineMigrator
    from sparks.wiring import Adapters

FOLLOWERS: Final = frozenset({"follow", "mirror"})

to_option: Final = click.option(
    "--to",
    "engines",
    metavar="ENGINES",
    help="Move the library to these engines instead, as dynamodb,s3,sqs or sqlite,filesystem,embedded.",
)


def or_engines(command: Callable[..., None]) -> Callable[..., None]:
    """The command, or its counterpart in this module: where `--to` is given, or the library moves to other engines."""

    @functools.wraps(command)
    def run(settings: Settings, **options: Any) -> None:
        engines = options.pop("engines", None)
        if engines is not None:
            for name in ("source", "objects", "accounts", "layout", "owner"):
                if options.pop(name, None) is not None:
                    raise click.UsageError("--to moves this library, and --from another one: name one of them")
            return STEPS[command.__name__](settings, engines=engines, as_json=options["as_json"])
        if "source" in options:  # plan and capture
            missing = [name for name in ("source", "objects") if options[name] is None]
            if missing:
                named = {"source": "--from", "objects": "--objects"}
                raise click.UsageError(f"Missing option '{named[missing[0]]}', or '--to'.")
            return command(settings, **options)
        counterpart = STEPS[command.__name__]
        return counterpart(settings, **options) if _moves_engines(settings) else command(settings, **options)

    return run


def _moves_engines(settings: Settings) -> bool:
    """Whether the table knows of a migration to other engines, and none from another service is under way."""
    from sparks.library.migration_state import read_engine_migration, read_migration_state
    from sparks.wiring import open_adapters

    with open_adapters(settings) as adapters:
        table = adapters.open_home().table
        other = read_migration_state(table)
        return read_engine_migration(table) is not None and (other is None or not other.is_under_way)


@contextmanager
def _adapters(settings: Settings) -> "Iterator[Adapters]":
    from sparks.wiring import open_adapters

    configure_command_logs(settings)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was begun is given up in order
    with open_adapters(settings) as adapters:
        yield adapters


@contextmanager
def _opened(command: str, settings: Settings, *, over: frozenset[str] = frozenset()) -> "Iterator[EngineMigrator]":
    from sparks.migrate.engines.migrator import open_engine_migration

    with _adapters(settings) as adapters, open_engine_migration(command, adapters, over=over) as migrator:
        yield migrator


def plan(settings: Settings, *, engines: str, as_json: bool) -> None:
    from sparks.migrate.engines.plan import plan_engine_migration
    from sparks.migrate.engines.sides import engines_of, shown, target_settings

    to = target_settings(engines, settings)
    with _adapters(settings) as adapters:
        counts = plan_engine_migration(adapters.open_home())
    names = {"source": shown(engines_of(settings)), "target": shown(engines_of(to))}
    if as_json:
        return print_json({"counts": counts, "issues": {"total": 0, "byField": {}}, "engines": names})
    for name, count in counts.items():
        print_line(f"{count:>16,}  {name}")
    print_line(f"from {names['source']}\nto   {names['target']}")
    print_line("nothing was changed; next: `sparks migrate capture` with the same options")
    return None


def capture(settings: Settings, *, engines: str, as_json: bool) -> None:
    from sparks.migrate.engines.migrator import CAPTURE_WAIT, begin_engine_migration
    from sparks.migrate.engines.sides import target_settings
    from sparks.model.migration import MigrationPhase

    to = target_settings(engines, settings)
    with _adapters(settings) as adapters, begin_engine_migration(adapters, settings, to) as migrator:
        phase = migrator.position.state.phase
        if phase is MigrationPhase.CAPTURED:
            time.sleep(CAPTURE_WAIT)
    following = "; next: `sparks migrate backfill`" if phase is MigrationPhase.CAPTURED else ""
    report({"phase": phase}, f"changes are captured (phase {phase}){following}", as_json=as_json)


def backfill(settings: Settings, *, rate: float | None, as_json: bool) -> None:
    from sparks.migrate.engines.backfill import EngineBackfill
    from sparks.model.migration import MigrationPhase, WriteSide

    if rate is not None:
        raise click.UsageError("--rate is for a migration from another service")
    with _opened("backfill", settings) as migrator:
        if migrator.position.state.phase is MigrationPhase.CAPTURED:
            with progress() as show:
                EngineBackfill(migrator, on_progress=show).run()
        counts = dict(migrator.row(WriteSide.SOURCE).counts)
    copied = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    issues = {"total": 0, "byField": {}, "notTaken": 0}
    text = f"copied {copied}; next: `sparks migrate follow`"
    report({"counts": counts, "issues": issues}, text, as_json=as_json)


def follow(settings: Settings, *, once: bool, as_json: bool) -> None:
    from sparks.model.migration import WriteSide

    _follow("follow", settings, WriteSide.SOURCE, once=once, as_json=as_json)


def mirror(settings: Settings, *, once: bool, as_json: bool) -> None:
    from sparks.model.migration import WriteSide

    _follow("mirror", settings, WriteSide.TARGET, once=once, as_json=as_json)


def _follow(command: str, settings: Settings, active: Any, *, once: bool, as_json: bool) -> None:
    from sparks.migrate.engines.cutover import check_phase
    from sparks.migrate.engines.follow import EngineFollower
    from sparks.model.migration import MigrationPhase

    with _opened(command, settings) as migrator:
        advice = "follow comes after backfill and before cutover, mirror after it"
        is_before = command == "follow"
        wanted = MigrationPhase.BACKFILLED if is_before else MigrationPhase.CUTOVER
        check_phase(migrator.position.state.phase, wanted, advice=advice)
        if migrator.position.active is not active:
            raise Conflict(f"the other side takes writes now: {advice}")
        with closing(EngineFollower(migrator)) as follower:
            applied, lag = run_stepper(follower, migrator.lease, once=once)
    report({"applied": applied, "lag": lag}, f"copied {applied:,} changes; {lag:,} wait", as_json=as_json)


def verify(settings: Settings, *, repair: bool, as_json: bool) -> None:
    from sparks.migrate.engines.cutover import check_phase
    from sparks.migrate.engines.verify import EngineVerifier, opened_to_verify
    from sparks.model.migration import MigrationPhase

    with _adapters(settings) as adapters, opened_to_verify(adapters) as migrator, progress() as show:
        phases = (MigrationPhase.BACKFILLED, MigrationPhase.CUTOVER)
        check_phase(migrator.position.state.phase, *phases, advice="run `sparks migrate backfill` first")
        result = EngineVerifier(migrator, on_progress=show).run(repair=repair)
    report_verification(result, "rows and blobs", there="at the source, {!r} there", as_json=as_json)


def cutover(settings: Settings, *, accept_issues: bool, as_json: bool) -> None:  # noqa: ARG001  there are no issues
    from sparks.migrate.engines.cutover import cut_over
    from sparks.migrate.engines.sides import engines_of, variables
    from sparks.model.migration import WriteSide

    with _opened("cutover", settings, over=FOLLOWERS) as migrator:
        result = cut_over(migrator)
        changed = variables(migrator.row(WriteSide.SOURCE).target, engines_of(settings))
    text = f"the target takes the changes now; set {changed} before the next start"
    report_switch(result, text, as_json=as_json)


def rollback(settings: Settings, *, yes: bool, as_json: bool) -> None:  # noqa: ARG001  nothing stays behind
    from sparks.migrate.engines.cutover import roll_back

    with _opened("rollback", settings, over=FOLLOWERS) as migrator:
        result = roll_back(migrator)
    report_switch(result, "the source takes the changes again; next: `sparks migrate follow`", as_json=as_json)


def finish(settings: Settings, *, yes: bool, as_json: bool) -> None:
    from sparks.migrate.engines.cutover import finish as finish_migration
    from sparks.migrate.engines.migrator import known_migration, open_engine_migration

    with _adapters(settings) as adapters:
        if known_migration(adapters).is_under_way and not yes and not sys.stdin.isatty():
            raise Conflict("this ends the migration for good, there is no way back: add --yes")
        if known_migration(adapters).is_under_way and not yes:
            click.confirm("May the way back be removed?", abort=True, err=True)
        with open_engine_migration("finish", adapters, over=FOLLOWERS, finished=True) as migrator:
            finish_migration(migrator)
    report({"done": True}, "the migration is finished", as_json=as_json)


def status(settings: Settings, *, as_json: bool) -> None:
    from sparks.migrate.engines import outbox
    from sparks.migrate.engines.migrator import watch_engine_migration
    from sparks.migrate.engines.sides import shown
    from sparks.migrate.lease import current_holder
    from sparks.model.migration import WriteSide

    with _adapters(settings) as adapters:
        migrator = watch_engine_migration(adapters)
        position = migrator.position
        state = migrator.row(WriteSide.SOURCE)
        changes, seconds = outbox.lag(table=migrator.stores(position.active).table)
        holder = current_holder(table=migrator.stores(WriteSide.SOURCE).table)
    running = None if holder is None else {"command": holder.command, "pid": holder.pid}
    names = {"source": shown(state.source), "target": shown(state.target)}
    if as_json:
        content = {
            "phase": position.state.phase,
            "writes": position.writes,
            "lag": {"changes": changes, "seconds": round(seconds, 3)},
            "issues": {"total": 0, "notTaken": 0},
            "running": running,
            "counts": state.counts,
            "totals": {},
            "onlyInTarget": {},
            "engines": names,
        }
        return print_json(content)
    print_line(f"phase     {position.state.phase}")
    print_line(f"writes    {position.writes}")
    print_line(f"source    {names['source']}\ntarget    {names['target']}")
    print_line(f"lag       {changes:,} changes, {seconds:.1f} s")
    print_line(f"running   {'nothing' if running is None else '{command} (process {pid})'.format(**running)}")
    for name, count in state.counts.items():
        print_line(f"{name:<9} {count:,} copied")
    return None


STEPS: Final[dict[str, Callable[..., None]]] = {
    step.__name__: step for step in (plan, capture, backfill, follow, mirror, verify, cutover, rollback, finish, status)
}

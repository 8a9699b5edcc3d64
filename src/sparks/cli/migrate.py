"""`sparks migrate`: moves a gallery of PostgreSQL or DynamoDB into Sparks, or a library to other engines, in use."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from sparks.cli.migrate_engines import or_engines, to_option
from sparks.cli.migrate_run import (
    connect_to,
    issue_line,
    migrator,
    print_issues,
    progress,
    reading_shown,
    report,
    report_switch,
    report_verification,
    run_stepper,
    source_settings,
    warn_of_writers,
)
from sparks.cli.options import configure_command_logs, json_option, print_json, print_line, with_settings
from sparks.model.errors import Conflict
from sparks.model.photo import Visibility
from sparks.settings import Settings

FOLLOWERS: Final = frozenset({"follow", "mirror"})
EXAMPLES: Final = 3  # issues of a field that `plan` prints


@click.group()
def migrate() -> None:
    """Move an image service from PostgreSQL, or from tables of DynamoDB, into Sparks, or this library to other engines
    (--to), without downtime.

    The steps, in this order: plan, capture, backfill, follow, verify, cutover, mirror, finish. Until cutover the old
    service takes all changes; rollback leads back to it. Every step can be stopped and repeated. docs/migrating.md
    tells what you see at each step.

    Exit codes: 0 the step is complete, 1 it failed, was backed out, came out of order, or verify found differences,
    2 an option or the address is wrong.

    \b
    Examples:
      sparks migrate plan --from postgresql://gallery@db.example.com/gallery --objects /srv/objects
      sparks migrate plan --to dynamodb,s3,sqs
    """


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option(
            "--visibility",
            type=click.Choice([each.value for each in Visibility]),
            default=Visibility.PRIVATE.value,
            show_default=True,
            help="Who sees the photos in Sparks.",
        ),
        click.option(
            "--accounts",
            metavar="CSV",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Addresses for users whose own cannot be taken: lines of user_id,email.",
        ),
        click.option("--owner", metavar="EMAIL", help="Account that gets the photos of a layout without users (002)."),
        click.option(
            "--layout",
            type=click.Choice(["000", "001", "002", "003", "004"]),
            help="Layout of the tables, where it is not recognized.",
        ),
        click.option(
            "--objects",
            metavar="DIR",
            help="Folder that holds the objects: DIR/{s3_key}; or s3://bucket/prefix. Nothing in it is changed.",
        ),
        click.option(
            "--from",
            "source",
            metavar="URL",
            help="postgresql://user@host:port/database, as the owner of the tables; password by PGPASSWORD. Or "
            "dynamodb://TABLE?region=.., or dynamodb:///PATH of an export.",
        ),
    ):
        command = option(command)
    return command


@migrate.command()
@source_options
@to_option
@json_option
@with_settings
@or_engines
def plan(
    settings: Settings,
    *,
    source: str,
    objects: str,
    accounts: Path | None,
    visibility: str,
    layout: str | None,
    owner: str | None,
    as_json: bool,
) -> None:
    """Count what would be migrated, and list what cannot be taken as it is. Changes nothing.

    \b
    Examples:
      sparks migrate plan --from postgresql://gallery@db.example.com/gallery --objects /srv/objects
      sparks migrate plan --from 'dynamodb://Sparks?region=eu-central-1' --objects s3://sparks-photos
      sparks migrate plan --from dynamodb:///srv/export --objects /srv/objects
      sparks migrate plan --to dynamodb,s3,sqs
    """
    from contextlib import closing

    from sparks.migrate.addresses import read_addresses
    from sparks.migrate.object_stores import checked_objects
    from sparks.migrate.plan import plan_migration
    from sparks.model.migration import USERS

    configure_command_logs(settings)
    store = checked_objects(objects)
    options = source_settings(settings, source, layout, owner)
    given = {} if accounts is None else read_addresses(accounts, any_id=bool(options))
    with closing(connect_to(source, options)) as opened, progress() as show:
        opened.check_tables()
        with reading_shown(opened):
            opened.count(USERS)  # reads tables of DynamoDB
        result = plan_migration(opened, store, given, on_progress=lambda name, done: show(name, done, done))
    if as_json:
        return print_json({"counts": result.counts, "issues": {"total": result.issues, "byField": result.by_field}})
    for name, count in result.counts.items():
        print_line(f"{count:>10,}  {name}")
    print_line(f"photos become {visibility}")
    for field, count in result.by_field.items():
        print_line(f"{count:>10,}  with an issue of {field}, such as:")
        for issue in [each for each in result.examples if each.field == field][:EXAMPLES]:
            print_line(f"            {issue_line(issue)}")
    print_line("nothing was changed; next: `sparks migrate capture` with the same options")
    return None


@migrate.command()
@source_options
@to_option
@json_option
@with_settings
@or_engines
def capture(
    settings: Settings,
    *,
    source: str,
    objects: str,
    accounts: Path | None,
    visibility: str,
    layout: str | None,
    owner: str | None,
    as_json: bool,
) -> None:
    """Begin the migration: keep these options, and capture every change that is made in the source from now on.

    It adds a schema, sparks_migration, and triggers to PostgreSQL, and reads the tables of DynamoDB into a file of the
    data folder. The application goes on as before.

    \b
    Examples:
      sparks migrate capture --from postgresql://gallery@db.example.com/gallery --objects /srv/objects
      sparks migrate capture --to dynamodb,s3,sqs
    """
    from contextlib import closing

    from sparks.migrate.addresses import read_addresses
    from sparks.migrate.context import begin_migration
    from sparks.migrate.object_stores import checked_objects
    from sparks.migrate.write_guard import SECONDS_HELD
    from sparks.model.migration import MigrationPhase, MigrationState

    more = source_settings(settings, source, layout, owner)
    given = {} if accounts is None else read_addresses(accounts, any_id=bool(more))
    store = checked_objects(objects)
    with closing(connect_to(source, more)) as opened:
        opened.check_tables()
    options = MigrationState(source=source, objects=store.address, visibility=visibility, options=more)
    with migrator(settings) as (stores, new_accounts), begin_migration(stores, options, new_accounts) as migration:
        migration.source.check_tables()
        migration.addresses.store(given)
        with reading_shown(migration.source):
            migration.capture.install()
        if migration.state.phase is MigrationPhase.NONE:
            migration.note(phase=MigrationPhase.CAPTURED)
            time.sleep(SECONDS_HELD)  # until every process of Sparks knows, and guards what is copied next
        phase = migration.state.phase
    following = "; next: `sparks migrate backfill`" if phase is MigrationPhase.CAPTURED else ""
    report({"phase": phase}, f"changes of the source are captured (phase {phase}){following}", as_json=as_json)


@migrate.command()
@click.option("--rate", metavar="ROWS", type=click.FloatRange(min=0.1), help="At most so many rows a second.")
@json_option
@with_settings
@or_engines
def backfill(settings: Settings, *, rate: float | None, as_json: bool) -> None:
    """Copy all rows and objects that Sparks does not have yet. Workers make the renditions.

    A run that was stopped goes on where it ended.

    \b
    Examples:
      sparks migrate backfill
      sparks migrate backfill --rate 200
    """
    from sparks.library.throttle import Throttle
    from sparks.migrate.backfill import Backfill
    from sparks.migrate.context import check_phase, open_migration
    from sparks.migrate.issues import count_issues
    from sparks.model.migration import MigrationPhase

    with migrator(settings) as (stores, accounts), open_migration("backfill", stores, accounts) as migration:
        if migration.state.phase not in (MigrationPhase.BACKFILLED, MigrationPhase.CUTOVER):
            check_phase(migration.state, MigrationPhase.CAPTURED, advice="run `sparks migrate capture` first")
            if not migration.capture.is_installed():
                raise Conflict("changes of the source are not captured any more: run `sparks migrate capture` again")
            with progress() as show:
                Backfill(migration, throttle=Throttle(rate), on_progress=show).run()
        counts = migration.state.counts
        found = count_issues(migration.table)
    total, not_taken = found.total, found.not_taken
    content = {"counts": counts, "issues": {"total": total, "byField": found.by_field, "notTaken": not_taken}}
    copied = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    text = f"copied {copied}; {total:,} issues (`sparks migrate issues`), {not_taken:,} rows not taken"
    report(content, text, as_json=as_json)


once_option: Final = click.option(
    "--once", is_flag=True, help="End when all changes are applied that were waiting at the start."
)


@migrate.command()
@once_option
@json_option
@with_settings
@or_engines
def follow(settings: Settings, *, once: bool, as_json: bool) -> None:
    """Apply to Sparks what changes in the source, until it is stopped (Ctrl+C, SIGTERM) or cutover takes over.

    \b
    Examples:
      sparks migrate follow
      sparks migrate follow --once --json
    """
    from sparks.migrate.context import check_phase, open_migration
    from sparks.migrate.follow import Follower
    from sparks.model.migration import MigrationPhase

    with migrator(settings) as (stores, accounts), open_migration("follow", stores, accounts) as migration:
        check_phase(migration.state, MigrationPhase.BACKFILLED, advice="follow comes after backfill and before cutover")
        follower = Follower(migration)
        applied, lag = run_stepper(follower, migration.lease, once=once, source=migration.source)
    report({"applied": applied, "lag": lag}, f"applied {applied:,} changes; {lag:,} wait", as_json=as_json)


@migrate.command()
@once_option
@json_option
@with_settings
@or_engines
def mirror(settings: Settings, *, once: bool, as_json: bool) -> None:
    """Write back to the source what people do in Sparks after cutover, so that a rollback is possible.

    \b
    Example:
      sparks migrate mirror
    """
    from sparks.migrate.context import check_phase, open_migration
    from sparks.migrate.mirror import Mirror
    from sparks.model.migration import MigrationPhase

    with migrator(settings) as (stores, accounts), open_migration("mirror", stores, accounts) as migration:
        check_phase(migration.state, MigrationPhase.CUTOVER, advice="mirror comes after cutover")
        applied, lag = run_stepper(Mirror(migration), migration.lease, once=once)
    report({"applied": applied, "lag": lag}, f"mirrored {applied:,} changes; {lag:,} wait", as_json=as_json)


@migrate.command()
@click.option("--repair", is_flag=True, help="Copy anew what differs, and compare again.")
@json_option
@with_settings
@or_engines
def verify(settings: Settings, *, repair: bool, as_json: bool) -> None:
    """Compare source and Sparks: every row, every field, and the bytes of every object.

    What changes meanwhile is compared again once its captured changes are applied. The exit code is 1 if differences
    are left.

    \b
    Examples:
      sparks migrate verify
      sparks migrate verify --repair
    """
    from sparks.migrate.verify import run_verify

    with migrator(settings) as (stores, accounts), progress() as show:
        result = run_verify(stores, accounts, repair=repair, on_progress=show)
    report_verification(result, "rows", there="in the source, {!r} here", as_json=as_json)


@migrate.command()
@click.option("--accept-issues", is_flag=True, help="Leave rows behind that were not taken.")
@json_option
@with_settings
@or_engines
def cutover(settings: Settings, *, accept_issues: bool, as_json: bool) -> None:
    """Let Sparks take the changes of people, and the source refuse them.

    The source refuses writes for some seconds while the last changes are applied. If that fails, it takes writes again.
    Tables of DynamoDB cannot refuse writes: stop every writer of the old service first.

    \b
    Example:
      sparks migrate cutover
    """
    from sparks.migrate.context import open_migration
    from sparks.migrate.cutover import cut_over

    with (
        migrator(settings) as (stores, accounts),
        open_migration("cutover", stores, accounts, over=FOLLOWERS) as migration,
    ):
        has_way_back = migration.source.has_way_back
        if not has_way_back:
            warn_of_writers()
        result = cut_over(migration, accept_issues=accept_issues)
    following = "mirror" if has_way_back else "finish"
    report_switch(result, f"Sparks takes the changes now; next: `sparks migrate {following}`", as_json=as_json)


@migrate.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@with_settings
@or_engines
def rollback(settings: Settings, *, yes: bool, as_json: bool) -> None:
    """Let the source take the changes again, with all that people did in Sparks since cutover.

    \b
    Example:
      sparks migrate rollback
    """
    from sparks.migrate.context import open_migration
    from sparks.migrate.cutover import only_in_target, roll_back

    with migrator(settings) as (stores, accounts):
        lost = only_in_target(stores.table)
        if lost:
            shown = ", ".join(f"{count:,} {name}" for name, count in lost.items())
            click.echo(f"The source cannot hold: {shown}. They stay in Sparks.", err=True)
            if not yes and sys.stdin.isatty():
                click.confirm("Roll back all the same?", abort=True, err=True)
        with open_migration("rollback", stores, accounts, over=FOLLOWERS) as migration:
            result = roll_back(migration)
    report_switch(result, "the source takes the changes again; next: `sparks migrate follow`", as_json=as_json)


@migrate.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@with_settings
@or_engines
def finish(settings: Settings, *, yes: bool, as_json: bool) -> None:
    """End the migration: remove triggers, outbox and lease. There is no way back afterwards.

    Nothing keeps the old application from writing to the source then: stop it first.

    \b
    Example:
      sparks migrate finish
    """
    from sparks.library.migration_state import read_migration_state
    from sparks.migrate.context import open_migration
    from sparks.migrate.cutover import finish as finish_migration
    from sparks.model.migration import MigrationPhase

    with migrator(settings) as (stores, accounts):
        state = read_migration_state(stores.table)
        if state is None or state.phase is not MigrationPhase.FINISHED:
            if not yes and not sys.stdin.isatty():
                raise Conflict("this ends the migration for good, and the source takes writes again: add --yes")
            if not yes:
                click.confirm("Is the old application stopped, and may the way back be removed?", abort=True, err=True)
            with open_migration("finish", stores, accounts, over=FOLLOWERS) as migration:
                finish_migration(migration)
    report({"done": True}, "the migration is finished", as_json=as_json)


@migrate.command()
@json_option
@with_settings
@or_engines
def status(settings: Settings, *, as_json: bool) -> None:
    """Show the phase, the side that takes changes, the lag, the issues and the running command.

    \b
    Example:
      sparks migrate status --json
    """
    from sparks.migrate.status import migration_status
    from sparks.model.migration import MigrationPhase

    with migrator(settings) as (stores, _):
        found = migration_status(stores.table)
    running = None if found.running is None else {"command": found.running.command, "pid": found.running.pid}
    content = {
        "phase": found.state.phase,
        "writes": found.writes,
        "lag": {"changes": found.changes, "seconds": round(found.seconds, 3)},
        "issues": {"total": found.issues, "notTaken": found.not_taken},
        "running": running,
        "counts": found.state.counts,
        "totals": found.state.totals,
        "onlyInTarget": found.only_in_target,
    }
    if as_json:
        return print_json(content)
    print_line(f"phase     {found.state.phase}")
    print_line(f"writes    {found.writes}")
    print_line(f"lag       {found.changes:,} changes, {found.seconds:.1f} s")
    print_line(f"issues    {found.issues:,}, {found.not_taken:,} rows not taken")
    print_line(f"running   {'nothing' if running is None else '{command} (process {pid})'.format(**running)}")
    for name, total in found.state.totals.items() if found.state.phase is MigrationPhase.CAPTURED else ():
        copied = found.state.counts.get(name, 0)
        print_line(f"{name:<9} {copied:,} of {max(copied, total):,} copied")
    for name, count in found.only_in_target.items():
        print_line(f"only here {count:,} {name}")
    if found.problem is not None:
        click.echo(f"sparks: warning: {found.problem}", err=True)
    return None


@migrate.command()
@json_option
@with_settings
def issues(settings: Settings, *, as_json: bool) -> None:
    """List the rows that were not taken, or not as they are: which row, which field, which value, what to do.

    \b
    Example:
      sparks migrate issues
    """
    with migrator(settings) as (stores, _):
        print_issues(stores, as_json=as_json)


@migrate.command()
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(dir_okay=False, path_type=Path))
@json_option
@with_settings
def retry(settings: Settings, *, file: Path | None, as_json: bool) -> None:
    """Try the rows with issues again. FILE gives addresses for users: lines of user_id,email.

    \b
    Example:
      sparks migrate retry accounts.csv
    """
    from sparks.migrate.addresses import read_addresses
    from sparks.migrate.context import check_phase, known_state, open_migration
    from sparks.migrate.issues import rows_with_issues
    from sparks.model.migration import MigrationPhase

    with migrator(settings) as (stores, accounts):
        given = {} if file is None else read_addresses(file, any_id=not known_state(stores.table).has_way_back)
        with open_migration("retry", stores, accounts) as migration:
            check_phase(migration.state, MigrationPhase.BACKFILLED, advice="retry comes after backfill, before cutover")
            migration.addresses.store(given)
            migration.applier.apply([(row.system, row.old_id) for row in rows_with_issues(migration.table)])
        print_issues(stores, as_json=as_json)

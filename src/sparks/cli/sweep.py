"""`sparks sweep`: deletes expired photos and orphaned blobs now."""

from typing import TYPE_CHECKING, Any

import click

from sparks.cli.options import json_option, print_json, print_line, with_data
from sparks.cli.quantities import format_size
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.upkeep.sweep import SweepResult


@click.command()
@click.option("--dry-run", is_flag=True, help="Only count what would be deleted.")
@click.option("--force", is_flag=True, help="Delete orphaned blobs even if they are more than 1 % of all.")
@json_option
@with_data
def sweep(settings: Settings, *, dry_run: bool, force: bool, as_json: bool) -> None:
    """Delete unfinished uploads, expired photos, photos that were in the trash for longer than the setting trash_days,
    blobs that belong to no photo, stale caches and expired rows.

    `sparks serve` does the same every hour. Orphaned blobs are kept if they are more than ten and more than 1 % of all:
    then the database is probably the wrong one. The exit code is 1 in that case.

    \b
    Examples:
      sparks sweep --dry-run
      sparks sweep --json
    """
    from sparks.model import times
    from sparks.upkeep.sweep import preview_sweep, sweep_all
    from sparks.wiring import clear_search, open_stores

    at = times.now()
    with open_stores(settings) as stores:
        table, blobs, keyring, pipeline = stores.table, stores.blobs, stores.keyring, stores.pipeline
        if dry_run:
            result = preview_sweep(at, table=table, blobs=blobs, keyring=keyring, pipeline=pipeline)
        else:
            jobs = stores.jobs
            result = sweep_all(at, force=force, table=table, blobs=blobs, jobs=jobs, keyring=keyring, pipeline=pipeline)
            clear_search(settings, stores)
    refusal = None if force else result.refusal
    if as_json:
        print_json(_as_json(result) | {"dryRun": dry_run, "refusal": refusal})
    else:
        for line in _lines(result, dry_run=dry_run, kept_orphans=refusal is not None):
            print_line(line)
    if refusal is not None:
        if not as_json:
            click.echo(f"sparks: the orphaned blobs were kept: {refusal}", err=True)
        raise click.exceptions.Exit(1)


def _as_json(result: "SweepResult") -> dict[str, Any]:
    return {
        "reservations": result.reservations,
        "expired": result.expired,
        "trash": result.trash,
        "deletions": result.deletions,
        "rows": result.rows,
        "letters": result.letters,
        "caches": result.caches,
        "orphans": result.orphans,
        "orphanBytes": result.orphan_bytes,
    }


def _lines(result: "SweepResult", *, dry_run: bool, kept_orphans: bool) -> list[str]:
    """A line for each kind that was found."""
    orphans = 0 if kept_orphans else result.orphans
    found = {
        "unfinished uploads": result.reservations,
        "photos that have expired": result.expired,
        "photos that were in the trash for long": result.trash,
        "photos whose deletion was interrupted": result.deletions,
        "rows that have expired": result.rows or 0,
        "dead letters about photos that are gone": result.letters or 0,
        "stale caches": result.caches,
        f"blobs of no photo ({format_size(result.orphan_bytes)})": orphans,
    }
    lines = [f"  {number:,}  {what}" for what, number in found.items() if number]
    verb = "would remove" if dry_run else "removed"
    return [f"{verb}:", *lines] if lines else [f"{verb} nothing"]

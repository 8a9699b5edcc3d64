"""`sparks sweep`: what has expired and what nobody owns goes now."""

from typing import TYPE_CHECKING, Any

import click

from sparks.cli.amounts import shown_size
from sparks.cli.options import json_option, print_json, say, with_data
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.upkeep.full_sweep import Swept


@click.command()
@click.option("--dry-run", is_flag=True, help="Only tell what would go.")
@click.option("--force", is_flag=True, help="Remove orphaned blobs even if they are more than 1 % of all.")
@json_option
@with_data
def sweep(settings: Settings, *, dry_run: bool, force: bool, as_json: bool) -> None:
    """Remove what is over: uploads that nobody finished, expired photos, what was in the trash for longer than the
    setting trash_days, blobs that belong to no photo, stale caches and expired rows.

    `sparks serve` does the same by itself, every hour. Orphaned blobs are left where they are if they are more than ten
    and more than 1 % of all: then it is rather the database that is not the right one. Exit code 1 says so.

    \b
    Examples:
      sparks sweep --dry-run
      sparks sweep --json
    """
    from sparks.model import times
    from sparks.upkeep.full_sweep import look_around, sweep_all
    from sparks.wiring import clear_search, open_stores

    at = times.now()
    with open_stores(settings) as stores:
        table, blobs, keyring, terms = stores.table, stores.blobs, stores.keyring, stores.terms
        if dry_run:
            swept = look_around(at, table=table, blobs=blobs, keyring=keyring, terms=terms)
        else:
            jobs = stores.jobs
            swept = sweep_all(at, force=force, table=table, blobs=blobs, jobs=jobs, keyring=keyring, terms=terms)
            clear_search(settings, stores)
    refusal = None if force else swept.refusal
    if as_json:
        print_json(_as_json(swept) | {"dryRun": dry_run, "refusal": refusal})
    else:
        for line in _in_words(swept, dry_run=dry_run, kept_orphans=refusal is not None):
            say(line)
    if refusal is not None:
        if not as_json:
            click.echo(f"sparks: the orphaned blobs are left where they are: {refusal}", err=True)
        raise click.exceptions.Exit(1)


def _as_json(swept: "Swept") -> dict[str, Any]:
    return {
        "reservations": swept.reservations,
        "expired": swept.expired,
        "trash": swept.trash,
        "deletions": swept.deletions,
        "rows": swept.rows,
        "letters": swept.letters,
        "caches": swept.caches,
        "orphans": swept.orphans,
        "orphanBytes": swept.orphan_bytes,
    }


def _in_words(swept: "Swept", *, dry_run: bool, kept_orphans: bool) -> list[str]:
    """A line for each kind of which there were any."""
    orphans = 0 if kept_orphans else swept.orphans
    found = {
        "uploads that nobody finished": swept.reservations,
        "photos that have expired": swept.expired,
        "photos that were in the trash for long": swept.trash,
        "photos whose deletion was interrupted": swept.deletions,
        "rows that have expired": swept.rows or 0,
        "dead letters about photos that are gone": swept.letters or 0,
        "stale caches": swept.caches,
        f"blobs of no photo ({shown_size(swept.orphan_bytes)})": orphans,
    }
    lines = [f"  {number:,}  {what}" for what, number in found.items() if number]
    verb = "would remove" if dry_run else "removed"
    return [f"{verb}:", *lines] if lines else [f"{verb} nothing"]

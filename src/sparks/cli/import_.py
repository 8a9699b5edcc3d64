"""`sparks import`: photos from folders of this machine."""

import signal
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sparks.cli.options import json_option, print_json, say, with_data
from sparks.model.account import account_email
from sparks.model.photo import Visibility
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.cli.import_run import ImportRun

INTERRUPTED: Final = 130


@click.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--owner",
    metavar="EMAIL",
    help="Whose photos these become; else those of the only account, or the only administrator.",
)
@click.option(
    "--visibility",
    type=click.Choice([each.value for each in Visibility]),
    help="Who sees them; by default what the setting default_visibility says.",
)
@click.option("--album", metavar="NAME", help="Put them into the owner's album of this title; it is made if need be.")
@click.option("--no-wait", is_flag=True, help="Store and queue them only; a server makes the renditions.")
@click.option("--watch", is_flag=True, help="Go on, and import what is added later, until told to stop.")
@click.option("--dry-run", is_flag=True, help="Tell what would be imported, and change nothing.")
@json_option
@with_data
def import_(
    settings: Settings,
    *,
    paths: tuple[str, ...],
    owner: str | None,
    visibility: str | None,
    album: str | None,
    no_wait: bool,
    watch: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import photos and videos from folders, with all that is in them.

    Files are copied, and nothing in the folders is touched. What the owner has already is skipped, so that an import
    that was interrupted goes on where it was. XMP sidecars and the JSON files of Google Takeout are read too, and its
    albums become albums. The command ends when every photo is finished, and who is in it; it runs workers of its own
    where no server runs. The exit code is 1 if some files failed.

    \b
    Examples:
      sparks import ~/Pictures
      sparks import --owner ann@example.com --visibility private Takeout/
      sparks import --album "Summer 2025" ~/Pictures/Italy
      sparks import --dry-run ~/Pictures
      sparks import --watch /mnt/camera
    """
    from sparks.cli.accounts import choose_account
    from sparks.cli.import_run import ImportRun
    from sparks.library.albums.making import checked_album_title
    from sparks.library.people import count_persons
    from sparks.logs import configure_logs
    from sparks.upload.importing.taking import Taker
    from sparks.wiring import open_stores

    if "" in paths:
        raise click.UsageError("a path is empty: name a file or a folder")
    if dry_run and (watch or no_wait):
        raise click.UsageError("--dry-run only looks: leave --watch and --no-wait out")
    quiet = settings.source("log_level") == "default"
    configure_logs(form=settings.log_format, level="warning" if quiet else settings.log_level)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # to end in the same orderly way
    began = time.monotonic()
    with open_stores(settings) as stores:
        taker = Taker(
            owner=choose_account(None if owner is None else account_email(owner), table=stores.table).email,
            visibility=Visibility(visibility or settings.default_visibility),
            most_bytes=settings.upload_max_bytes,
            table=stores.table,
            blobs=stores.blobs,
            album=None if album is None else checked_album_title(album),
        )
        run = ImportRun(
            settings, stores, taker, list(map(Path, paths)), tell=partial(click.echo, err=True) if as_json else say
        )
        verb, code = "would import" if dry_run else "stored" if no_wait else "imported", 0
        try:
            run.look() if dry_run else run.take_in(wait=not no_wait, watch=watch)
        except KeyboardInterrupt:
            verb, code = verb if watch else f"interrupted (run it again to go on): {verb}", 0 if watch else INTERRUPTED
        persons = None if dry_run or no_wait or stores.terms.faces is None else count_persons(table=stores.table)
        _tell(run, verb, persons, seconds=time.monotonic() - began, as_json=as_json)
    if code or run.tally.has_failures:
        raise click.exceptions.Exit(code or 1)


def _tell(run: "ImportRun", verb: str, persons: int | None, *, seconds: float, as_json: bool) -> None:
    """`persons`: how many are known by now, where faces were waited for."""
    from sparks.cli.progress import shown_duration

    if as_json:
        known = {} if persons is None else {"persons": persons}
        print_json({**run.tally.as_json(), **known, "seconds": round(seconds, 1)})
        return
    for line in run.tally.left_out():
        say(line)
    say(f"{run.tally.in_words(verb=verb)}, in {shown_duration(seconds)}")
    if persons is not None:
        say(f"{persons:,} person{'' if persons == 1 else 's'} in all photos: `sparks faces stats` tells more")
    if run.too_few:
        say(run.too_few)

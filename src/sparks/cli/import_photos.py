"""`sparks import`: imports photos from folders of this machine."""

import signal
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparks.cli.options import EXIT_INTERRUPTED, configure_command_logs, json_option, print_json, print_line, with_data
from sparks.model.account import account_email
from sparks.model.photo import Visibility
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.cli.import_run import ImportRun


@click.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--owner",
    metavar="EMAIL",
    help="Owner of the photos; by default the only account, or the only administrator.",
)
@click.option(
    "--visibility",
    type=click.Choice([each.value for each in Visibility]),
    help="Who sees the photos; by default as the setting default_visibility.",
)
@click.option("--album", metavar="NAME", help="Add the photos to the owner's album of this title; create it if needed.")
@click.option("--no-wait", is_flag=True, help="Store and queue the photos only; a server makes the renditions.")
@click.option("--watch", is_flag=True, help="Keep running, and import files that are added later, until stopped.")
@click.option("--dry-run", is_flag=True, help="List what would be imported, and change nothing.")
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
    """Import photos and videos from folders and all folders inside them.

    Sparks copies the files and changes nothing in the folders. It skips photos that the owner has already, so an
    interrupted import continues when you run it again. It also reads XMP sidecars and the JSON files of Google Takeout,
    whose albums become albums. The command ends when every photo is processed and its faces are found; where no server
    runs, it runs its own workers. The exit code is 1 if some files failed.

    \b
    Examples:
      sparks import ~/Pictures
      sparks import --owner ann@example.com --visibility private Takeout/
      sparks import --album "Summer 2025" ~/Pictures/Italy
      sparks import --dry-run ~/Pictures
      sparks import --watch /mnt/camera
    """
    from sparks.cli.account_output import choose_account
    from sparks.cli.import_run import ImportRun
    from sparks.library.albums.album_details import checked_album_title
    from sparks.library.people.people_statistics import count_persons
    from sparks.uploads.folder_import.import_file import FileImporter
    from sparks.wiring import open_stores

    if "" in paths:
        raise click.UsageError("a path is empty: name a file or a folder")
    if dry_run and (watch or no_wait):
        raise click.UsageError("--dry-run imports nothing: leave --watch and --no-wait out")
    configure_command_logs(settings)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # both end the command in the same way
    began = time.monotonic()
    with open_stores(settings) as stores:
        importer = FileImporter(
            owner=choose_account(None if owner is None else account_email(owner), table=stores.table).email,
            visibility=Visibility(visibility or settings.default_visibility),
            most_bytes=settings.upload_max_bytes,
            table=stores.table,
            blobs=stores.blobs,
            album=None if album is None else checked_album_title(album),
        )
        run = ImportRun(
            settings,
            stores,
            importer,
            list(map(Path, paths)),
            print_message=partial(click.echo, err=True) if as_json else print_line,
        )
        verb, code = "would import" if dry_run else "stored" if no_wait else "imported", 0
        try:
            run.preview() if dry_run else run.import_files(wait=not no_wait, watch=watch)
        except KeyboardInterrupt:
            verb, code = (
                verb if watch else f"interrupted (run it again to continue): {verb}",
                0 if watch else EXIT_INTERRUPTED,
            )
        persons = None if dry_run or no_wait or stores.pipeline.faces is None else count_persons(table=stores.table)
        _print_result(run, verb, persons, seconds=time.monotonic() - began, as_json=as_json)
    if code or run.report.has_failures:
        raise click.exceptions.Exit(code or 1)


def _print_result(run: "ImportRun", verb: str, persons: int | None, *, seconds: float, as_json: bool) -> None:
    """`persons` is the number of known persons, where the command waited for faces."""
    from sparks.cli.progress_bar import format_duration

    if as_json:
        known = {} if persons is None else {"persons": persons}
        print_json({**run.report.as_json(), **known, "seconds": round(seconds, 1)})
        return
    for line in run.report.not_imported():
        print_line(line)
    print_line(f"{run.report.summary(verb=verb)}, in {format_duration(seconds)}")
    if persons is not None:
        print_line(f"{persons:,} person{'' if persons == 1 else 's'} in all photos: see `sparks faces stats`")
    if run.limit_note:
        print_line(run.limit_note)

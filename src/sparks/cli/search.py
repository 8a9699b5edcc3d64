"""`sparks search`: the index that photos are searched in."""

import time

import click

from sparks.cli.amounts import shown_photos
from sparks.cli.options import json_option, print_json, say, with_data
from sparks.cli.progress import Progress
from sparks.model import times
from sparks.settings import Settings


@click.group()
def search() -> None:
    """The index that photos are searched in.

    \b
    Examples:
      sparks search rebuild
    """


@search.command()
@json_option
@with_data
def rebuild(settings: Settings, *, as_json: bool) -> None:
    """Write the search index anew, from the table.

    A server builds it by itself where it is missing, damaged or of another version, and keeps it up; so this is for
    whoever does not trust it. A server that runs meanwhile goes on answering.

    \b
    Examples:
      sparks search rebuild
      sparks search rebuild --json
    """
    from sparks.wiring import open_search_alone, open_stores

    began = time.monotonic()
    with (
        open_stores(settings) as stores,
        open_search_alone(settings, stores) as index,
        Progress(index.count(), noun="photos") as progress,
    ):
        known = index.count()
        photos = index.build(at=times.now(), anew=True, told=lambda done: progress.show(done, of=max(done, known)))
    if as_json:
        print_json({"photos": photos, "seconds": round(time.monotonic() - began, 1)})
    else:
        say(f"{shown_photos(photos)} can be searched")

"""`sparks search`: rebuilds the search index."""

import time

import click

from sparks.cli.options import json_option, print_json, print_line, with_data
from sparks.cli.progress_bar import ProgressBar
from sparks.cli.quantities import format_photos
from sparks.model import times
from sparks.settings import Settings


@click.group()
def search() -> None:
    """Rebuild the search index.

    \b
    Examples:
      sparks search rebuild
    """


@search.command()
@json_option
@with_data
def rebuild(settings: Settings, *, as_json: bool) -> None:
    """Build the search index again from the table.

    A server keeps the index up to date, and builds it where it is missing, damaged or of another version. You need this
    command only if you do not trust the index. A running server keeps answering meanwhile.

    \b
    Examples:
      sparks search rebuild
      sparks search rebuild --json
    """
    from sparks.wiring import open_search_index, open_stores

    began = time.monotonic()
    with (
        open_stores(settings) as stores,
        open_search_index(settings, stores) as index,
        ProgressBar(index.count(), noun="photos") as progress,
    ):
        known = index.count()
        photos = index.build(at=times.now(), anew=True, told=lambda done: progress.show(done, of=max(done, known)))
    if as_json:
        print_json({"photos": photos, "seconds": round(time.monotonic() - began, 1)})
    else:
        print_line(f"{format_photos(photos)} can be searched")

"""`sparks renditions`: the pictures that are made of every original."""

import time
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from sparks.cli.import_ import INTERRUPTED
from sparks.cli.options import json_option, print_json, say, with_data
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.journey import Stores


@click.group()
def renditions() -> None:
    """The pictures that are made of every original: large, medium, thumb and those that rendition_sizes names.

    \b
    Example:
      sparks renditions rebuild
    """


@renditions.command()
@json_option
@with_data
def rebuild(settings: Settings, *, as_json: bool) -> None:
    """Make the renditions that photos lack, as after a size was added to the setting rendition_sizes.

    A run that was interrupted goes on where it was. It runs workers of its own where no server runs; a server must have
    been started with the same settings. The exit code is 1 if some could not be made.

    \b
    Examples:
      sparks renditions rebuild
      SPARKS_RENDITION_SIZES=hd=3840 sparks renditions rebuild
    """
    from sparks.logs import configure_logs
    from sparks.media.sizes import SIZES
    from sparks.wiring import open_stores

    quiet = settings.source("log_level") == "default"
    configure_logs(form=settings.log_format, level="warning" if quiet else settings.log_level)
    began = time.monotonic()
    try:
        with open_stores(settings) as stores:
            made, failed = _rebuild(settings, stores, {*map(str, SIZES), *settings.extra_sizes})
    except KeyboardInterrupt:
        click.echo("sparks: interrupted: run it again to go on", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    if as_json:
        print_json({"made": made, "failed": failed, "seconds": round(time.monotonic() - began, 1)})
    else:
        say(f"made what {_photos(made)} lacked" if made or failed else "no photo lacks a rendition")
        if failed:
            say(f"{_photos(failed)} could not be made: restart a server that runs with other settings, and try again")
    if failed:
        raise click.exceptions.Exit(1)


def _rebuild(settings: Settings, stores: "Stores", sizes: Collection[str]) -> tuple[int, int]:
    """How many photos lack nothing now, and how many still do."""
    from sparks.cli.crew import LOOK_EVERY, Awaited, crew
    from sparks.cli.progress import Progress
    from sparks.journey import Journey
    from sparks.upload.rebuilding import batches, count_lacking, forget, lacks, note, resume_point

    journey, table = Journey(), stores.table
    state = resume_point(sizes, table=table)
    made = failed = 0
    with Progress(count_lacking(sizes, state, table=table), noun="photos") as progress, crew(settings, stores) as hands:
        awaited = Awaited(hands, is_finished=lambda photo: photo is None or not lacks(photo, sizes))
        for batch in batches(sizes, state, table=table):
            for event in batch.events:
                journey.send_after(event, jobs=stores.jobs)
                awaited.add(event)
            while awaited:
                for _, photo in awaited.look():
                    lacking = photo is not None and lacks(photo, sizes)
                    made, failed = made + (not lacking), failed + lacking
                progress.show(made + failed)
                time.sleep(LOOK_EVERY)
            note(batch.then, table=table)
    forget(table=table)
    return made, failed


def _photos(count: int) -> str:
    from sparks.cli.amounts import shown_photos

    return shown_photos(count)

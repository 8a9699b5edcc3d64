"""`sparks renditions`: rebuilds missing renditions."""

import time
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from sparks.cli.options import EXIT_INTERRUPTED, configure_command_logs, json_option, print_json, print_line, with_data
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.journey import Stores


@click.group()
def renditions() -> None:
    """Make renditions, the smaller pictures of every original: large, medium, thumb and those of rendition_sizes.

    \b
    Example:
      sparks renditions rebuild
    """


@renditions.command()
@json_option
@with_data
def rebuild(settings: Settings, *, as_json: bool) -> None:
    """Make the missing renditions of all photos. Use it after you added a size to the setting rendition_sizes.

    An interrupted run continues when you run it again. Without a running server, the command runs its own workers; a
    running server must have the same settings. The exit code is 1 if some renditions could not be made.

    \b
    Examples:
      sparks renditions rebuild
      SPARKS_RENDITION_SIZES=hd=3840 sparks renditions rebuild
    """
    from sparks.media.rendition_sizes import SIZES
    from sparks.wiring import open_stores

    configure_command_logs(settings)
    began = time.monotonic()
    try:
        with open_stores(settings) as stores:
            made, failed = _rebuild(settings, stores, {*map(str, SIZES), *settings.extra_sizes})
    except KeyboardInterrupt:
        click.echo("sparks: interrupted: run it again to continue", err=True)
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
    if as_json:
        print_json({"made": made, "failed": failed, "seconds": round(time.monotonic() - began, 1)})
    else:
        print_line(f"made renditions of {_photos(made)}" if made or failed else "no photo lacks a rendition")
        if failed:
            print_line(
                f"{_photos(failed)} still lack renditions: restart a server that has other settings, and try again"
            )
    if failed:
        raise click.exceptions.Exit(1)


def _rebuild(settings: Settings, stores: "Stores", sizes: Collection[str]) -> tuple[int, int]:
    """The numbers of photos that lack no rendition now, and of those that still do."""
    from sparks.cli.local_workers import POLL_SECONDS, AwaitedPhotos, local_workers
    from sparks.cli.progress_bar import ProgressBar
    from sparks.journey import Journey
    from sparks.renditions.missing_renditions import (
        batches,
        clear_resume_point,
        count_lacking,
        lacks_renditions,
        resume_point,
        save_resume_point,
    )

    journey, table = Journey(), stores.table
    state = resume_point(sizes, table=table)
    made = failed = 0
    with (
        ProgressBar(count_lacking(sizes, state, table=table), noun="photos") as progress,
        local_workers(settings, stores) as workers,
    ):
        awaited = AwaitedPhotos(workers, is_finished=lambda photo: photo is None or not lacks_renditions(photo, sizes))
        for batch in batches(sizes, state, table=table):
            for event in batch.events:
                journey.send_after(event, jobs=stores.jobs)
                awaited.add(event)
            while awaited:
                for _, photo in awaited.poll():
                    lacking = photo is not None and lacks_renditions(photo, sizes)
                    made, failed = made + (not lacking), failed + lacking
                progress.show(made + failed)
                time.sleep(POLL_SECONDS)
            save_resume_point(batch.then, table=table)
    clear_resume_point(table=table)
    return made, failed


def _photos(count: int) -> str:
    from sparks.cli.quantities import format_photos

    return format_photos(count)

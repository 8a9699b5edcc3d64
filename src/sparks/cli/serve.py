"""`sparks serve`: the API and its workers."""

import asyncio
import logging
import os
import sys
from dataclasses import replace

import click

from sparks.cli.options import say, with_settings
from sparks.settings import Settings, environment_for_child
from sparks.settings.fields import ANYWHERE

log = logging.getLogger(__name__)


@click.command()
@click.option("--host", help="Address to listen on.")
@click.option("--port", help="Port to listen on; 0 takes any free one.")
@click.option("--public-url", help="How browsers reach Sparks.")
@click.option("--workers", help="Worker processes; 0 for the API alone.")
@with_settings
def serve(settings: Settings) -> None:
    """Run Sparks: the API and its workers, until it is told to stop (Ctrl-C or SIGTERM).

    Requests and jobs at hand are finished first, within the setting drain_seconds. While there is no administrator, it
    shows a link to become the first one, new at each start; or it makes the one whom the settings admin_email and
    admin_password_file name.

    \b
    Examples:
      sparks serve
      sparks serve --host 0.0.0.0 --port 8080 --public-url https://photos.example.org
    """
    from sparks import supervisor
    from sparks.api.app import create_app
    from sparks.api.health import Readiness
    from sparks.api.web import is_built
    from sparks.auth.setup import SetupToken
    from sparks.cli.first_run import doubt_about_signing_in, make_first_administrator
    from sparks.cli.setup import FILE_NAME, SetupLink
    from sparks.journey import Journey
    from sparks.library.accounts import has_administrator
    from sparks.logs import configure_logs
    from sparks.metrics import Metrics
    from sparks.wiring import open_faces, open_search, open_stores, open_studio

    configure_logs(form=settings.log_format, level=settings.log_level)
    if settings.host in ANYWHERE and settings.source("public_url") == "default":
        log.warning("public_url is not set: the addresses that Sparks gives out work on this machine only")
    if not is_built():
        log.warning("the web app was not built: pages say how to make up for it, the API works")
    if warning := doubt_about_signing_in(settings):
        log.warning(warning)
    with supervisor.hold_data_folder(settings.data), supervisor.listen(settings.host, settings.port) as listener:
        settings = settings.listening_on(listener.getsockname()[1])
        metrics, journey = Metrics(), Journey()
        command = [sys.executable, "-m", "sparks", "worker", "--lifeline"]
        environment = environment_for_child(settings, os.environ)
        token, stopping = SetupToken(), asyncio.Event()
        with (
            open_stores(settings) as opened,
            open_studio(settings) as studio,
            open_search(settings, opened) as search,
            open_faces(settings, replace(opened, studio=studio, search=search)) as stores,
            SetupLink(
                f"{settings.public_url}/setup#{token.text}",
                path=settings.data / FILE_NAME,
                is_done=lambda: has_administrator(table=stores.table),
            ) as link,
        ):

            def begin() -> None:
                make_first_administrator(settings, table=stores.table)
                say(f"Sparks is ready: {settings.public_url}")
                link.show()

            supervisor.serve(
                create_app(stores=stores, settings=settings, metrics=metrics, setup=token, stopping=stopping),
                listener=listener,
                slots=[supervisor.WorkerSlot(command, environment, metrics=metrics) for _ in range(settings.workers)],
                check=Readiness(stores).is_ready,
                chores=supervisor.chores(journey, stores.jobs),
                ready=begin,
                drain_seconds=settings.drain_seconds,
                stopping=stopping,
            )

"""`sparks serve`: runs the API and its workers."""

import asyncio
import logging
import os
import sys
from dataclasses import replace

import click

from sparks.cli.options import print_line, with_settings
from sparks.settings import Settings, environment_for_child
from sparks.settings.definitions import ALL_INTERFACES

log = logging.getLogger(__name__)


@click.command()
@click.option("--host", help="Address to listen on.")
@click.option("--port", help="Port to listen on; 0 takes any free one.")
@click.option("--public-url", help="Address at which browsers reach Sparks.")
@click.option("--workers", help="Worker processes; 0 for the API alone.")
@with_settings
def serve(settings: Settings) -> None:
    """Run Sparks: the API and its workers, until you stop it (Ctrl-C or SIGTERM).

    Running requests and jobs have drain_seconds (a setting) to finish. While there is no administrator, Sparks prints
    a link with which you create the first one. Each start makes a new link. For unattended set-ups, the settings
    admin_email and admin_password_file create the first administrator instead.

    \b
    Examples:
      sparks serve
      sparks serve --host 0.0.0.0 --port 8080 --public-url https://photos.example.org
    """
    from sparks import supervisor
    from sparks.api.admin.server_routes import Readiness
    from sparks.api.app import create_app
    from sparks.api.web import is_built
    from sparks.auth.setup_token import SetupToken
    from sparks.cli.first_admin import SETUP_LINK_FILE, SetupLink, create_first_admin_from_settings, sign_in_warning
    from sparks.journey import Journey
    from sparks.library.accounts.users import has_administrator
    from sparks.logs import configure_logs
    from sparks.metrics import Metrics
    from sparks.wiring import open_faces, open_renderer, open_search, open_stores

    configure_logs(form=settings.log_format, level=settings.log_level)
    if settings.host in ALL_INTERFACES and settings.source("public_url") == "default":
        log.warning("public_url is not set: addresses that Sparks makes work on this machine only")
    if not is_built():
        log.warning("the web app was not built: its pages explain how to build it; the API works")
    if warning := sign_in_warning(settings):
        log.warning(warning)
    with supervisor.hold_data_folder(settings.data), supervisor.listen(settings.host, settings.port) as listener:
        settings = settings.listening_on(listener.getsockname()[1])
        metrics, journey = Metrics(), Journey()
        command = [sys.executable, "-m", "sparks", "worker", "--lifeline"]
        environment = environment_for_child(settings, os.environ)
        token, stopping = SetupToken(), asyncio.Event()
        with (
            open_stores(settings) as opened,
            open_renderer(settings) as renderer,
            open_search(settings, opened) as search,
            open_faces(settings, replace(opened, renderer=renderer, search=search)) as stores,
            SetupLink(
                f"{settings.public_url}/setup#{token.text}",
                path=settings.data / SETUP_LINK_FILE,
                is_done=lambda: has_administrator(table=stores.table),
            ) as link,
        ):

            def begin() -> None:
                create_first_admin_from_settings(settings, table=stores.table)
                print_line(f"Sparks is ready: {settings.public_url}")
                link.show()

            supervisor.serve(
                create_app(stores=stores, settings=settings, metrics=metrics, setup=token, stopping=stopping),
                listener=listener,
                workers=[
                    supervisor.WorkerProcess(command, environment, metrics=metrics) for _ in range(settings.workers)
                ],
                check=Readiness(table=stores.table, blobs=stores.blobs, jobs=stores.jobs).is_ready,
                periodic=supervisor.periodic_jobs(journey, stores.jobs),
                ready=begin,
                drain_seconds=settings.drain_seconds,
                stopping=stopping,
            )

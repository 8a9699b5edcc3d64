"""`sparks serve`: the API and its workers."""

import logging
import os
import sys

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

    Requests and jobs at hand are finished first, within the setting drain_seconds.

    \b
    Examples:
      sparks serve
      sparks serve --host 0.0.0.0 --port 8080 --public-url https://photos.example.org
    """
    from sparks import supervisor
    from sparks.api.app import create_app
    from sparks.api.health import Readiness
    from sparks.journey import Journey
    from sparks.logs import configure_logs
    from sparks.metrics import Metrics
    from sparks.wiring import open_stores

    configure_logs(form=settings.log_format, level=settings.log_level)
    if settings.host in ANYWHERE and settings.source("public_url") == "default":
        log.warning("public_url is not set: the addresses that Sparks gives out work on this machine only")
    with supervisor.hold_data_folder(settings.data), supervisor.listen(settings.host, settings.port) as listener:
        settings = settings.listening_on(listener.getsockname()[1])
        metrics, journey = Metrics(), Journey()
        command = [sys.executable, "-m", "sparks", "worker", "--lifeline"]
        environment = environment_for_child(settings, os.environ)
        with open_stores(settings) as stores:
            supervisor.serve(
                create_app(stores=stores, settings=settings, metrics=metrics),
                listener=listener,
                slots=[supervisor.WorkerSlot(command, environment, metrics=metrics) for _ in range(settings.workers)],
                check=Readiness(stores).is_ready,
                upkeep=lambda: supervisor.send_upkeep(journey, stores.jobs),
                ready=lambda: say(f"Sparks is ready: {settings.public_url}"),
                drain_seconds=settings.drain_seconds,
            )

"""Is Sparks alive, is it ready, and how is it doing?"""

import asyncio
import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec
from fastapi import APIRouter, Response
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from sparks.api.errors import error_answer
from sparks.api.probes import Probe
from sparks.jobs.port import Counts
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.model.errors import SparksError
from sparks.settings import Settings

READY: Final = "ok"

log = logging.getLogger(__name__)


def router(*, stores: Stores, metrics: Metrics, settings: Settings) -> APIRouter:
    routes = APIRouter(tags=["health"])
    threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="probe")
    checks = {
        "table": Probe(stores.table.check, threads),
        "blobs": Probe(stores.blobs.check, threads),
        "jobs": Probe(stores.jobs.check, threads),
    }
    counts = Probe(stores.jobs.counts, threads)

    @routes.get("/healthz")
    async def healthz() -> Response:
        """Answers as long as the process runs."""
        return _json({"status": "alive"})

    @routes.get("/readyz")
    async def readyz() -> Response:
        """200 when the table, the blobs and the jobs can all be reached, 503 with the reasons otherwise."""
        found = dict(zip(checks, await asyncio.gather(*map(_verdict, checks.values())), strict=True))
        failed = [name for name, verdict in found.items() if verdict != READY]
        if failed:
            log.warning("not ready", extra={"checks": found})
            return error_answer(503, "NOT_READY", f"not reachable: {', '.join(failed)}", checks=found)
        return _json({"status": "ready", "checks": found})

    @routes.get("/metrics")
    async def read_metrics() -> Response:
        """Counts and sizes, for Prometheus."""
        await _count_queue(counts, metrics)
        _measure_storage(settings, metrics)
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return routes


async def _verdict(check: Probe[None]) -> str:
    try:
        await check.answer()
    except SparksError as error:
        return str(error)
    return READY


async def _count_queue(probe: Probe[Counts], metrics: Metrics) -> None:
    """A queue that does not answer has no numbers, rather than old ones."""
    try:
        counts = await probe.answer()
    except SparksError as error:
        log.warning("the queue could not be counted: %s", error)
        metrics.queue.clear()
        return
    for state in Counts.__dataclass_fields__:
        metrics.queue.labels(state).set(getattr(counts, state))


def _measure_storage(settings: Settings, metrics: Metrics) -> None:
    usage = shutil.disk_usage(settings.data)
    metrics.storage.labels("free").set(usage.free)
    metrics.storage.labels("used").set(usage.used)
    if settings.table == "sqlite":
        metrics.storage.labels("database").set(sum(map(_size, (settings.database, _log_of(settings.database)))))


def _log_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _json(body: object) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")

"""Is Sparks alive, is it ready, and how is it doing?"""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec
from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from sparks.api.errors import error_answer
from sparks.api.gate import OpenApiRoute
from sparks.api.probes import Probe
from sparks.jobs.port import Counts
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.model.errors import BadSetting, Damaged, SparksError
from sparks.settings import Settings

READY: Final = "ok"

log = logging.getLogger(__name__)


class Readiness:
    """Whether the table, the blobs and the jobs can all be reached. A reason why not is logged once."""

    def __init__(self, stores: Stores) -> None:
        threads = ThreadPoolExecutor(max_workers=3, thread_name_prefix="probe")
        self.checks: Final = {
            "table": Probe(stores.table.check, threads),
            "blobs": Probe(stores.blobs.check, threads),
            "jobs": Probe(stores.jobs.check, threads),
        }
        self._said = ""

    async def failures(self) -> dict[str, SparksError]:
        """What cannot be reached, and why; empty when all is ready."""
        verdicts = await asyncio.gather(*map(_verdict, self.checks.values()))
        failed = {name: error for name, error in zip(self.checks, verdicts, strict=True) if error is not None}
        reasons = "; ".join(f"{name}: {error}" for name, error in failed.items())
        if reasons and reasons != self._said:
            log.warning("not ready: %s", reasons)
        self._said = reasons
        return failed

    async def is_ready(self) -> bool:
        """Raises what no waiting mends."""
        failed = await self.failures()
        for error in failed.values():
            if isinstance(error, Damaged | BadSetting):
                raise error
        return not failed


def router(*, stores: Stores, metrics: Metrics, settings: Settings) -> APIRouter:
    routes = APIRouter(tags=["health"], route_class=OpenApiRoute)
    readiness = Readiness(stores)
    counts = Probe(stores.jobs.counts, ThreadPoolExecutor(max_workers=1, thread_name_prefix="counts"))

    async def healthz() -> Response:
        """Answers as long as the process runs."""
        return _json({"status": "alive"})

    async def readyz() -> Response:
        """200 when the table, the blobs and the jobs can all be reached, 503 with the reasons otherwise."""
        failed = await readiness.failures()
        found = {name: str(failed.get(name, READY)) for name in readiness.checks}
        if failed:
            return error_answer(503, "NOT_READY", f"not reachable: {', '.join(failed)}", checks=found)
        return _json({"status": "ready", "checks": found})

    async def read_metrics() -> Response:
        """Counts and sizes, for Prometheus."""
        await _count_queue(counts, metrics)
        _measure_storage(settings, metrics)
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    add_page(routes, "/healthz", healthz)
    add_page(routes, "/readyz", readyz, responses={503: {"description": "Not ready, and why"}})
    add_page(routes, "/metrics", read_metrics, response_class=PlainTextResponse)
    return routes


def add_page(routes: APIRouter, path: str, answer: Callable[..., Awaitable[Response]], **documented: Any) -> None:
    """A page that is asked for with GET or HEAD; FastAPI could describe only one of them, so there are two routes."""
    routes.add_api_route(path, answer, methods=["GET", "HEAD"], include_in_schema=False)
    routes.add_api_route(path, answer, methods=["GET"], **documented)


async def _verdict(check: Probe[None]) -> SparksError | None:
    try:
        await check.answer()
    except SparksError as error:
        return error
    return None


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
    """A disk that is gone has no numbers, rather than old ones."""
    try:
        usage = shutil.disk_usage(settings.data)
        database = sum(map(_size, (settings.database, _log_of(settings.database))))
    except OSError as error:
        log.warning("the data folder could not be measured: %s", error)
        metrics.storage.clear()
        return
    metrics.storage.labels("free").set(usage.free)
    metrics.storage.labels("used").set(usage.used)
    if settings.table == "sqlite":
        metrics.storage.labels("database").set(database)


def _log_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _json(body: object) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")

"""Routes about the server: version, health, readiness and metrics."""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec
from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from sparks import __version__
from sparks.api.http.authentication import ActionRouter, PublicApiRoute, RequestAuthenticator
from sparks.api.http.base_models import ResponseModel
from sparks.api.http.errors import error_response
from sparks.auth.setup_token import SetupToken
from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs, QueueCounts
from sparks.library.accounts.users import has_administrator
from sparks.metrics import Metrics
from sparks.model.access import Action
from sparks.model.errors import BadSetting, Damaged, SparksError, Unavailable
from sparks.model.photo import Visibility
from sparks.settings import Settings
from sparks.table.port import Table

TIMEOUT: Final = 2.0  # seconds
READY: Final = "ok"

T = TypeVar("T")
log = logging.getLogger(__name__)


class StoreProbe(Generic[T]):
    """Checks a store, with one call at a time, however many requests wait for it and however slow the store is."""

    def __init__(self, call: Callable[[], T], threads: ThreadPoolExecutor, *, timeout: float = TIMEOUT) -> None:
        self._call = call
        self._threads = threads
        self._timeout = timeout
        self._running: asyncio.Future[T] | None = None

    async def check(self) -> T:
        """The result of the call; Unavailable where there is none within the timeout."""
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().run_in_executor(self._threads, self._call)
            self._running.add_done_callback(_retrieve)
        try:
            return await asyncio.wait_for(asyncio.shield(self._running), self._timeout)
        except TimeoutError as error:
            raise Unavailable(f"no answer within {self._timeout:g} s") from error


def _retrieve(call: asyncio.Future[T]) -> None:
    """Retrieves a late error, which was reported as a timeout: asyncio would warn about it otherwise."""
    if not call.cancelled():
        call.exception()


class Readiness:
    """Whether the table, the blobs and the jobs can all be reached. The reasons why not are logged when they change."""

    def __init__(self, *, table: Table, blobs: Blobs, jobs: Jobs) -> None:
        threads = ThreadPoolExecutor(max_workers=3, thread_name_prefix="probe")
        self.checks: Final = {
            "table": StoreProbe(table.check, threads),
            "blobs": StoreProbe(blobs.check, threads),
            "jobs": StoreProbe(jobs.check, threads),
        }
        self._logged = ""

    async def failures(self) -> dict[str, SparksError]:
        """The errors of the stores that cannot be reached, by the name of the store."""
        errors = await asyncio.gather(*map(_error_of, self.checks.values()))
        failed = {name: error for name, error in zip(self.checks, errors, strict=True) if error is not None}
        reasons = "; ".join(f"{name}: {error}" for name, error in failed.items())
        if reasons and reasons != self._logged:
            log.warning("not ready: %s", reasons)
        self._logged = reasons
        return failed

    async def is_ready(self) -> bool:
        """Raises an error that does not pass by waiting, such as damage or a wrong setting."""
        failed = await self.failures()
        for error in failed.values():
            if isinstance(error, Damaged | BadSetting):
                raise error
        return not failed


def health_router(*, table: Table, blobs: Blobs, jobs: Jobs, metrics: Metrics, settings: Settings) -> APIRouter:
    routes = APIRouter(tags=["health"], route_class=PublicApiRoute)
    readiness = Readiness(table=table, blobs=blobs, jobs=jobs)
    counts = StoreProbe(jobs.counts, ThreadPoolExecutor(max_workers=1, thread_name_prefix="counts"))

    async def healthz() -> Response:
        """Liveness: responds as long as the process runs."""
        return _json({"status": "alive"})

    async def readyz() -> Response:
        """Readiness: 200 where the table, the blobs and the jobs can all be reached, otherwise 503 with the reasons."""
        failed = await readiness.failures()
        checks = {name: str(failed.get(name, READY)) for name in readiness.checks}
        if failed:
            return error_response(503, "NOT_READY", f"not reachable: {', '.join(failed)}", checks=checks)
        return _json({"status": "ready", "checks": checks})

    async def read_metrics() -> Response:
        """Metrics for Prometheus."""
        await _count_queue(counts, metrics)
        _measure_storage(settings, metrics)
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    _add(routes, "/healthz", healthz)
    _add(routes, "/readyz", readyz, responses={503: {"description": "Not ready, with the reasons."}})
    _add(routes, "/metrics", read_metrics, response_class=PlainTextResponse)
    return routes


def _add(routes: APIRouter, path: str, endpoint: Callable[..., Awaitable[Response]], **documentation: Any) -> None:
    """Adds two routes, since FastAPI can document only one of GET and HEAD."""
    routes.add_api_route(path, endpoint, methods=["GET", "HEAD"], include_in_schema=False)
    routes.add_api_route(path, endpoint, methods=["GET"], **documentation)


async def _error_of(check: StoreProbe[None]) -> SparksError | None:
    try:
        await check.check()
    except SparksError as error:
        return error
    return None


async def _count_queue(probe: StoreProbe[QueueCounts], metrics: Metrics) -> None:
    """A queue that does not respond has no numbers, rather than old ones."""
    try:
        counts = await probe.check()
    except SparksError as error:
        log.warning("the queue could not be counted: %s", error)
        metrics.queue.clear()
        return
    for state in QueueCounts.__dataclass_fields__:
        metrics.queue.labels(state).set(getattr(counts, state))


def _measure_storage(settings: Settings, metrics: Metrics) -> None:
    """A disk that cannot be read has no numbers, rather than old ones."""
    try:
        usage = shutil.disk_usage(settings.data)
        database = sum(map(_size, (settings.database, _write_ahead_log(settings.database))))
    except OSError as error:
        log.warning("the data folder could not be measured: %s", error)
        metrics.storage.clear()
        return
    metrics.storage.labels("free").set(usage.free)
    metrics.storage.labels("used").set(usage.used)
    if settings.table == "sqlite":
        metrics.storage.labels("database").set(database)


def _write_ahead_log(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _json(body: object) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")


class AboutResponse(ResponseModel):
    """`setup`: the first administrator has yet to be created. `provider`: the name of the OpenID Connect provider,
    where one is set. `defaultVisibility`: the visibility of an upload that names none.
    """

    name: str = "Sparks"
    version: str = __version__
    setup: bool
    registration: str
    provider: str | None = None
    default_visibility: Visibility


class AboutRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, table: Table, settings: Settings, token: SetupToken | None
    ) -> None:
        self._authenticator = authenticator
        self._table = table
        self._settings = settings
        self._token = token

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="about")
        routes.add("GET", "/api/about", Action.VISIT, self.read_about)
        return routes.router

    def read_about(self) -> AboutResponse:
        """Read the version, and the ways to sign in and register."""
        return AboutResponse(
            setup=self._token is not None and not has_administrator(table=self._table),
            registration=self._settings.registration,
            default_visibility=Visibility(self._settings.default_visibility),
            provider=None if self._settings.oidc_issuer is None else self._settings.oidc_name,
        )

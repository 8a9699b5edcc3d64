"""An HTTP client that speaks to an application in this process."""

import asyncio
from types import TracebackType
from typing import Any, Self

import httpx
from starlette.types import ASGIApp


class Client:
    """All requests run on one event loop, as they would in a server."""

    def __init__(self, app: ASGIApp, *, raises: bool = False) -> None:
        """With `raises`, what the application raises in the middle of an answer is raised here."""
        self._runner = asyncio.Runner()
        transport = httpx.ASGITransport(app, raise_app_exceptions=raises)
        self._http = httpx.AsyncClient(transport=transport, base_url="http://sparks.test")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._http.aclose())
        self._runner.close()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._runner.run(self._http.request(method, path, **options))

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

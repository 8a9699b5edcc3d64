"""An HTTP client for an application in this process."""

import asyncio
from types import TracebackType
from typing import Any, Final, Self

import httpx
from starlette.types import ASGIApp

SITE: Final = "http://sparks.test"


class Client:
    """All requests run on one event loop, as they would in a server. It keeps its cookies, as one browser does."""

    def __init__(self, app: ASGIApp, *, raises: bool = False, site: str = SITE, address: str = "127.0.0.1") -> None:
        """With `raises`, an error within a response of the application is raised here."""
        self._runner = asyncio.Runner()
        self._transport = httpx.ASGITransport(app, raise_app_exceptions=raises, client=(address, 50_000))
        self._http = httpx.AsyncClient(transport=self._transport, base_url=site)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._http.aclose())
        self._runner.close()

    def move_to(self, address: str) -> None:
        """Requests come from this IP address from now on, without earlier cookies."""
        self._transport.client = (address, 50_000)
        self.forget()

    def forget(self) -> None:
        """All cookies."""
        self._http.cookies.clear()

    def cookie(self, name: str) -> str | None:
        return self._http.cookies.get(name)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._runner.run(self._http.request(method, path, **options))

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Any) -> httpx.Response:
        return self.request("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> httpx.Response:
        return self.request("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> httpx.Response:
        return self.request("DELETE", path, **options)


def refusal(answer: httpx.Response) -> tuple[int, str, str]:
    """The status, code and message of an error, which has no other field but the request id."""
    result: dict[str, str] = answer.json()
    assert result.keys() == {"error", "message", "requestId"}
    return answer.status_code, result["error"], result["message"]

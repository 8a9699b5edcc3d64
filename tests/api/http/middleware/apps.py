"""A small application inside all middleware."""

from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request

from sparks.api.http import errors
from sparks.api.http.middleware import add_middleware
from sparks.metrics import Metrics
from sparks.settings import Settings


def framed_app(data: Path, **settings: Any) -> FastAPI:
    """Serves sparks.test, the host of the tests' client, besides loopback names."""
    app = FastAPI()
    errors.install(app)
    settings = {"allowed_hosts": ("sparks.test",), **settings}
    metrics = Metrics()
    add_middleware(app, settings=Settings(data=data, **settings), metrics=metrics)

    @app.post("/api/items")
    def echo(item: dict[str, Any]) -> dict[str, Any]:
        return item

    @app.post("/api/secret")
    async def refuse() -> None:
        raise HTTPException(403, "this is not for you")

    @app.put("/blobs/{key}")
    async def put(request: Request) -> int:
        return sum([len(chunk) async for chunk in request.stream()])

    @app.get("/api/broken")
    def fail() -> None:
        raise RuntimeError("nobody foresaw this")

    @app.get("/api/client")
    def tell(request: Request) -> str | None:
        return request.client and request.client.host

    return app

"""HTTP server for local blobs: one for each test process and any number of stores."""

import threading
import uuid
from typing import Self

import uvicorn
from fastapi import FastAPI

from sparks.api.http import blob_routes as route
from sparks.api.http import errors
from sparks.blobs.port import Blobs
from tests.conformance.blobs.content import KEYRING
from tests.servers.process import wait_until


class Host:
    def __init__(self) -> None:
        self._app = FastAPI()
        errors.install(self._app)
        config = uvicorn.Config(self._app, host="127.0.0.1", port=0, lifespan="off", ws="none", log_config=None)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)

    def __enter__(self) -> Self:
        self._thread.start()
        wait_until(lambda: self._server.started, what="uvicorn")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    def new_place(self) -> str:
        """The base URL for a new store."""
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/{uuid.uuid4().hex}"

    def serve(self, blobs: Blobs, base_url: str) -> None:
        prefix = f"/{base_url.rpartition('/')[2]}"
        self._app.include_router(route.router(blobs=blobs, keyring=KEYRING), prefix=prefix)

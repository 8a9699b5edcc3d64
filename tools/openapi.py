"""Prints the API's document, which the web app's client is made from. Memory is enough to know what the routes are."""

import sys
import tempfile
from pathlib import Path

import msgspec

from sparks.api.app import create_app
from sparks.api.http.cookies import PLAIN_GUEST, PLAIN_NAME
from sparks.api.http.openapi import openapi_document
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.model.keyring import Keyring
from sparks.settings import Settings
from sparks.table.memory import MemoryTable


def document(data: Path) -> bytes:
    keyring = Keyring("none", {"none": b"n" * 32})
    stores = Stores(table=MemoryTable(), blobs=MemoryBlobs(keyring=keyring), jobs=MemoryJobs(), keyring=keyring)
    app = create_app(stores=stores, settings=Settings(data=data), metrics=Metrics())
    return msgspec.json.format(msgspec.json.encode(openapi_document(app, cookie=PLAIN_NAME, guest_cookie=PLAIN_GUEST)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.buffer.write(document(Path(folder)))

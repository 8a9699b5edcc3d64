"""`sparks migrate backfill` of a library on SQLite and a folder to DynamoDB Local and SeaweedFS, against a bare copy:
the same rows by BatchWriteItem and the same files by PutObject, with as many threads.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, Final

import boto3
from boto3.dynamodb.types import TypeSerializer
from botocore.config import Config

from benchmarks.frame import Figure, seconds
from sparks.library.records import to_item
from sparks.migrate.engines.copier import WORKERS
from sparks.settings import load_settings
from sparks.table.port import Item, Put
from sparks.wiring import open_stores
from tests.cli.deployments import engines as new_engines
from tests.factories import a_photo
from tests.servers.process import end_all, make_folder

PHOTO_BYTES: Final = 200_000
AT_ONCE: Final = 25


def engine_vs_bare(folder: Path, photos: int) -> list[Figure]:
    """Starts the servers. With 20,000 photos, they and the library need 16 GB."""
    make_folder()
    try:
        return measure_copies(folder, photos)
    finally:
        end_all()


def measure_copies(folder: Path, photos: int) -> list[Figure]:
    """The bare copy runs before and after the backfill, each time to a new table and bucket."""
    ours, peer = new_engines(), [new_engines() for _ in range(2)]
    data = folder / "engines"
    items = fill(data, ours, photos)
    paths = [path for path in (data / "blobs" / "originals").rglob("*") if path.is_file()]
    assert len(paths) == photos
    before = bare_seconds(items, paths, peer[0])
    migrate(data, ours, "capture", "--to", "dynamodb,s3")
    filled = seconds(lambda: migrate(data, ours, "backfill"))
    bare = mean((before, bare_seconds(items, paths, peer[1])))
    return [
        Figure(
            "engine_vs_bare",
            bare / filled,
            f"{photos:,} photos of 200 kB from SQLite and a folder to DynamoDB Local and SeaweedFS: copied a second / "
            "by a bare copy with as many threads",
            ">= 0.6",
        ),
        Figure("engine_per_s", photos / filled, "such photos a second"),
        Figure("engine_bare_per_s", photos / bare, "photos a second of the bare copy"),
    ]


def fill(data: Path, engines: dict[str, str], photos: int) -> list[Item]:
    """The rows that the library holds then."""
    content = os.urandom(PHOTO_BYTES - 16)
    with open_stores(load_settings({"data": data}, names(engines))) as stores:
        for number in range(photos):
            photo = a_photo()
            key = f"originals/{photo.image_id}.jpg"
            stores.blobs.put(key, [number.to_bytes(16), content], content_type="image/jpeg")
            stores.table.write(Put(to_item(replace(photo, original_key=key))))
        after, items = None, list[Item]()
        while True:
            page = stores.table.scan(after=after)
            items += page.items
            if page.after is None:
                return items
            after = page.after


def names(engines: dict[str, str]) -> dict[str, str]:
    """The settings without the choice of the engines."""
    return {
        name: value for name, value in engines.items() if name not in ("SPARKS_TABLE", "SPARKS_BLOBS", "SPARKS_JOBS")
    }


def migrate(data: Path, engines: dict[str, str], *arguments: str) -> Any:
    environment = {**os.environ, **names(engines), "SPARKS_DATA": str(data)}
    command = [sys.executable, "-m", "sparks", "migrate", *arguments, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(ran.stdout)


def bare_seconds(items: list[Item], paths: list[Path], engines: dict[str, str]) -> float:
    environment = {**os.environ, **engines}
    subprocess.run([sys.executable, "-m", "sparks", "create"], capture_output=True, check=True, env=environment)
    table, bucket = client("dynamodb", engines), client("s3", engines)
    pack = TypeSerializer().serialize
    requests = [{"PutRequest": {"Item": {name: pack(value) for name, value in item.items()}}} for item in items]

    def put_rows(some: list[Any]) -> None:
        left = {engines["SPARKS_TABLE_NAME"]: some}
        while left:
            left = table.batch_write_item(RequestItems=left)["UnprocessedItems"]

    def put_file(path: Path) -> None:
        bucket.put_object(Bucket=engines["SPARKS_BUCKET"], Key=f"originals/{path.name}", Body=path.read_bytes())

    began = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as pool:
        for _ in pool.map(put_file, paths):
            continue
        for _ in pool.map(put_rows, batches(requests)):
            continue
    return time.perf_counter() - began


def batches(requests: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(requests)
    while some := list(islice(iterator, AT_ONCE)):
        yield some


def client(service: Any, engines: dict[str, str]) -> Any:
    return boto3.client(
        service,
        endpoint_url=engines[f"SPARKS_{service.upper()}_ENDPOINT"],
        region_name=engines["SPARKS_REGION"],
        aws_access_key_id=engines["SPARKS_AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=engines["SPARKS_AWS_SECRET_ACCESS_KEY"],
        config=Config(s3={"addressing_style": "path"}, max_pool_connections=WORKERS),
    )

"""Checker of a migration between engines: reads files and servers by itself, and shares no code with Sparks."""

import hashlib
import os
import sqlite3
import time
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import boto3
import msgspec
from boto3.dynamodb.types import Binary, TypeDeserializer
from botocore.config import Config

OWN_ROWS: Final = {("MIGRATION", "ENGINES"), ("MIGRATION", "LEASE")}
OWN_PARTITIONS: Final = ("ENGINE_OUTBOX#", "MIGRATION#EPOCH#", "MIGRATION#GATE#", "MIGRATION#OBSTACLES", "SCHEMA")

Rows = dict[tuple[str, str], dict[str, Any]]
Objects = dict[str, str]


def sqlite_rows(data: Path) -> Rows:
    with sqlite3.connect(f"file:{data / 'sparks.db'}?mode=ro", uri=True) as connection:
        bodies = [body for (body,) in connection.execute("SELECT body FROM items")]
    connection.close()
    return _of_library(msgspec.msgpack.decode(body, ext_hook=_number) for body in bodies)


def dynamodb_rows(engines: dict[str, str]) -> Rows:
    client = _client("dynamodb", engines["SPARKS_DYNAMODB_ENDPOINT"], engines)
    read = TypeDeserializer().deserialize
    items: list[dict[str, Any]] = []
    for page in client.get_paginator("scan").paginate(TableName=engines["SPARKS_TABLE_NAME"], ConsistentRead=True):
        items += [{name: read(value) for name, value in item.items()} for item in page["Items"]]
    return _of_library(items)


def folder_objects(data: Path) -> Objects:
    """A blob's file is below two folders that begin with `~`; other files belong to the store."""
    root, found = data / "blobs", {}
    for folder, _, names in os.walk(root):
        parts = Path(folder).relative_to(root).parts
        if len(parts) < 2 or not all(part.startswith("~") for part in parts[-2:]):
            continue
        for name in names:
            if name.startswith("."):
                continue
            found["/".join((*parts[:-2], name))] = hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest()
    return found


def s3_objects(engines: dict[str, str]) -> Objects:
    client = _client("s3", engines["SPARKS_S3_ENDPOINT"], engines)
    bucket, found = engines["SPARKS_BUCKET"], {}
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for listed in page.get("Contents", []):
            body = client.get_object(Bucket=bucket, Key=listed["Key"])["Body"].read()
            found[listed["Key"]] = hashlib.sha256(body).hexdigest()
    return found


def row_differences(one: Rows, other: Rows) -> list[str]:
    """A row that has expired may be gone on one side."""
    found = []
    for key in one.keys() | other.keys():
        here, there = one.get(key), other.get(key)
        present = here or there or {}
        if (here is None or there is None) and present.get("ttl", time.time() + 1) < time.time():
            continue
        if here != there:
            found.append(f"{key}: {here} != {there}")
    return found


def object_differences(one: Objects, other: Objects) -> list[str]:
    keys = {key for key in one.keys() | other.keys() if not key.startswith("uploads/")}
    return [f"{key}: {one.get(key)} != {other.get(key)}" for key in keys if one.get(key) != other.get(key)]


def _of_library(items: Any) -> Rows:
    rows = {(item["PK"], item["SK"]): _plain(item) for item in items}
    return {key: item for key, item in rows.items() if key not in OWN_ROWS and not key[0].startswith(OWN_PARTITIONS)}


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {name: _plain(inner) for name, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case bool() | str():
            return value
        case int() | Decimal():
            return Decimal(value).normalize()
        case Binary():
            return bytes(value.value)  # type: ignore[attr-defined]  # the stub lacks it
        case _:
            return value


def _number(_code: int, data: memoryview) -> Decimal:
    return Decimal(bytes(data).decode())


def _client(service: Any, endpoint: str, engines: dict[str, str]) -> Any:
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name=engines["SPARKS_REGION"],
        aws_access_key_id=engines["SPARKS_AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=engines["SPARKS_AWS_SECRET_ACCESS_KEY"],
        config=Config(s3={"addressing_style": "path"}),
    )

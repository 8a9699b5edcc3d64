"""A PostgreSQL gallery of any size, made with SQL, and `sparks migrate` as a process that takes it over."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

from benchmarks.ingest import Watch
from tests.servers.postgresql import LegacyDatabase

USERS_OF: Final = 200  # rows of a gallery for each of its users
ALBUMS_OF: Final = 50  # .. and for each of its albums
ID: Final = "overlay(md5('{}' || {}) placing '4' from 13)::uuid"  # random, and never a UUIDv7
ROWS: Final = f"""
INSERT INTO users
SELECT {ID.format("user", "n")}, 'user' || n || '@example.org', 'User ' || n, timestamptz '2024-01-01'
FROM generate_series(1, {{users}}) n;
INSERT INTO gallery_albums
SELECT {ID.format("album", "n")}, {ID.format("user", "(n % {users} + 1)")}, 'Album ' || n, repeat('about it ', 4),
  timestamptz '2024-02-01' + n * interval '1 minute', timestamptz '2024-02-02'
FROM generate_series(1, {{albums}}) n;
INSERT INTO gallery_images
SELECT {ID.format("image", "n")}, {ID.format("user", "(n % {users} + 1)")},
  CASE WHEN n % 2 = 0 THEN {ID.format("album", "(n % {albums} + 1)")} END,
  'IMG_' || n || '.jpg', 'image/jpeg', 3000000 + n, 4000, 3000, 'images/' || n || '.jpg', 'thumbs/' || n || '.jpg',
  'Photo ' || n, repeat('a long day at the sea ', 5), 'boats', '["sea", "sun"]',
  timestamptz '2024-03-01' + n * interval '10 seconds', timestamptz '2025-01-01'
FROM generate_series(1, {{images}}) n;
ANALYZE users, gallery_albums, gallery_images;
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A command that has ended: its JSON, how long it took, and the most memory that it had."""

    told: dict[str, Any]
    seconds: float
    megabytes: float


def start_migrate(data: Path, command: str, *options: str) -> subprocess.Popen[str]:
    arguments = ["--data", str(data), "migrate", command, *options, "--json"]
    environment = {**os.environ, "SPARKS_LOG_LEVEL": "error"}
    return subprocess.Popen(
        [sys.executable, "-m", "sparks", *arguments], stdout=subprocess.PIPE, text=True, env=environment
    )


def run_migrate(data: Path, command: str, *options: str) -> Run:
    began = time.perf_counter()
    process = start_migrate(data, command, *options)
    with Watch(process.pid) as watch:
        told, _ = process.communicate()
    seconds = time.perf_counter() - began
    assert process.returncode == 0, told
    return Run(json.loads(told), seconds, watch.most / 10**6)


@dataclass(frozen=True, slots=True)
class Gallery:
    """A source, its objects, and the data folder of a Sparks that takes it over."""

    database: LegacyDatabase
    objects: Path
    data: Path

    def start(self, command: str, *options: str) -> subprocess.Popen[str]:
        return start_migrate(self.data, command, *options)

    def run(self, command: str, *options: str) -> Run:
        return run_migrate(self.data, command, *options)

    def capture(self) -> None:
        self.run("capture", "--from", self.database.owner_url, "--objects", str(self.objects))

    def fill(self, rows: int) -> None:
        """Users, albums and images, together so many rows. The images have no objects."""
        users, albums = max(1, rows // USERS_OF), max(1, rows // ALBUMS_OF)
        with psycopg.connect(self.database.owner_url, autocommit=True) as connection:
            connection.execute(ROWS.format(users=users, albums=albums, images=rows - users - albums))

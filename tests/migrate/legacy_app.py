"""A small image service on PostgreSQL: `python -m tests.migrate.legacy_app URL OBJECTS_DIR --journal FILE`.

Several connections insert, edit, delete and move rows until SIGTERM. Each appends a line of JSON to the journal for
every transaction: its operations and its outcome, which is `committed`, `rolled back`, `refused` (SQLSTATE 25006),
`failed` (another error, with its SQLSTATE) or `unknown` (the connection was lost). It goes on after every error.

It makes no deadlock by itself, so that one in its journal was made by another program: a transaction of several
statements changes rows of its own thread only, one of a single statement may change any image, and while a table is
truncated no other transaction runs.
"""

import argparse
import contextlib
import io
import json
import random
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
from PIL import Image

REFUSED: Final = "25006"
WORDS: Final = (
    "sea",
    "Straße",
    "家族",
    "café",
    "🎂",
    "O'Brien",
    "back\\slash",
    'a "quote"',
    "ünïcode",
    "line\nbreak",
    "",
)
TAGS: Final[tuple[Any, ...]] = (None, [], ["sea"], ["sea", "sun", "Straße"], ["a", "a"], [1, "two"], {"not": "a list"})
IMAGES_OF: Final = "SELECT i.id FROM gallery_images i JOIN users u ON u.id = i.user_id WHERE u.email LIKE %s"
ALBUMS_OF: Final = "SELECT a.id FROM gallery_albums a JOIN users u ON u.id = a.user_id WHERE u.email LIKE %s"
USERS_OF: Final = "SELECT u.id FROM users u WHERE u.email LIKE %s"
Operation = dict[str, Any]


@dataclass(frozen=True)
class Options:
    url: str
    objects: Path
    journal: Path
    seed: int
    rate: float
    threads: int
    truncate: bool
    objects_share: float


@dataclass
class Shared:
    """Belongs to all threads. A thread holds its turn during a transaction; a TRUNCATE holds those of all."""

    options: Options
    pictures: list[bytes]
    stop: threading.Event = field(default_factory=threading.Event)
    turns: list[threading.Lock] = field(default_factory=list)
    writing: threading.Lock = field(default_factory=threading.Lock)

    def note(self, line: dict[str, Any]) -> None:
        with self.writing, self.options.journal.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(line, ensure_ascii=False) + "\n")


class RolledBack(Exception):
    """The application changed its mind."""


class Writer(threading.Thread):
    def __init__(self, shared: Shared, number: int) -> None:
        super().__init__(name=f"writer {number}")
        self._shared = shared
        self._number = number
        self._choice = random.Random(f"{shared.options.seed}/{number}")
        self._mine = f"s{shared.options.seed}t{number}-%@example.org"
        self._connection: psycopg.Connection | None = None
        self._operations: list[Operation] = []

    def run(self) -> None:
        options = self._shared.options
        pause = options.threads / options.rate if options.rate else 0.0
        while not self._shared.stop.is_set():
            began = time.monotonic()
            with contextlib.suppress(psycopg.OperationalError):
                self._connect()
                self._run_transaction()
            self._shared.stop.wait(max(0.0, began + pause * self._choice.uniform(0.5, 1.5) - time.monotonic()))
        if self._connection is not None:
            self._connection.close()

    def _connect(self) -> None:
        if self._connection is None or self._connection.closed:
            self._shared.stop.wait(0.05)
            self._connection = psycopg.connect(self._shared.options.url, autocommit=True, connect_timeout=5)

    def _run_transaction(self) -> None:
        kind = self._choice.random()
        truncates = self._shared.options.truncate and kind < 0.01
        work = self._truncate if truncates else self._change_any_image if kind < 0.3 else self._change_own_rows
        with self._turns(of_all=truncates):
            self._operations = []
            outcome, code = self._outcome(work)
        if self._operations:
            line = {"thread": self._number, "outcome": outcome, "sqlstate": code, "operations": self._operations}
            self._shared.note(line)

    @contextlib.contextmanager
    def _turns(self, *, of_all: bool) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            for turn in self._shared.turns if of_all else [self._shared.turns[self._number]]:
                held.enter_context(turn)
            yield

    def _outcome(self, work: Callable[[], None]) -> tuple[str, str | None]:
        connection = self._open_connection
        alone = work == self._change_any_image
        try:
            with contextlib.nullcontext() if alone else connection.transaction():
                work()
        except RolledBack:
            return "rolled back", None
        except psycopg.Error as error:
            if connection.closed:
                return "unknown", error.sqlstate
            return "refused" if error.sqlstate == REFUSED else "failed", error.sqlstate
        return "committed", None

    @property
    def _open_connection(self) -> psycopg.Connection:
        assert self._connection is not None
        return self._connection

    # Transactions

    def _change_own_rows(self) -> None:
        weights: dict[Callable[[], Any], float] = {
            self._add_user: 2,
            self._add_album: 4,
            self._add_image: 16,
            self._edit_image: 10,
            self._move_image: 6,
            self._delete_image: 5,
            self._rename_user: 3,
            self._edit_album: 3,
            self._delete_album: 1,
            self._delete_user: 0.3,
        }
        for _ in range(self._choice.randint(1, 5)):
            self._choice.choices(list(weights), list(weights.values()))[0]()
            if self._choice.random() < 0.02:
                self._shared.stop.wait(self._choice.uniform(0.05, 0.6))  # a long transaction
        if self._choice.random() < 0.08:
            raise RolledBack

    def _change_any_image(self) -> None:
        """A read and a write, each a transaction of its own."""
        image = self._pick("SELECT id FROM gallery_images WHERE %s <> ''")
        if image is not None and self._choice.random() < 0.8:
            self._write("UPDATE", "gallery_images", image, {"title": self._text(), "tags": self._tags()})
        elif image is not None:
            self._write("DELETE", "gallery_images", image, {})

    def _truncate(self) -> None:
        table = self._choice.choice(["gallery_images", "gallery_images", "gallery_albums CASCADE", "users CASCADE"])
        self._operations.append({"operation": "TRUNCATE", "table": table})
        self._open_connection.execute(f"TRUNCATE {table}")

    # Operations

    def _add_user(self) -> str:
        user = self._new_id()
        email = self._mine.replace("%", user[-12:])
        self._write("INSERT", "users", user, {"email": email, "username": self._text()})
        return user

    def _add_album(self) -> None:
        columns = {"user_id": self._own_user(), "title": self._text(), "description": self._text()}
        self._write("INSERT", "gallery_albums", self._new_id(), columns)

    def _add_image(self) -> None:
        user, image = self._own_user(), self._new_id()
        key = f"images/{user}/{image}.jpg"
        size = self._put_object(key, image)
        columns = {
            "user_id": user,
            "album_id": self._pick(ALBUMS_OF) if self._choice.random() < 0.6 else None,
            "original_filename": f"{self._text()[:20]}.jpg",
            "mime_type": "image/jpeg",
            "file_size": size,
            "s3_key": key,
            "title": self._text(),
            "description": self._text() * self._choice.choice([0, 1, 1, 200]),
            "tags": self._tags(),
        }
        self._write("INSERT", "gallery_images", image, columns)

    def _edit_image(self) -> None:
        if image := self._pick(IMAGES_OF):
            self._write("UPDATE", "gallery_images", image, {"description": self._text(), "alt_text": self._text()})

    def _move_image(self) -> None:
        if image := self._pick(IMAGES_OF):
            album = self._pick(ALBUMS_OF) if self._choice.random() < 0.8 else None
            self._write("UPDATE", "gallery_images", image, {"album_id": album})

    def _delete_image(self) -> None:
        if image := self._pick(IMAGES_OF):
            self._write("DELETE", "gallery_images", image, {})

    def _rename_user(self) -> None:
        if user := self._pick(USERS_OF):
            self._write("UPDATE", "users", user, {"username": self._text()})

    def _edit_album(self) -> None:
        if album := self._pick(ALBUMS_OF):
            self._write("UPDATE", "gallery_albums", album, {"title": self._text()})

    def _delete_album(self) -> None:
        if album := self._pick(ALBUMS_OF):
            self._empty("UPDATE gallery_images SET album_id = NULL WHERE album_id = %s", album)
            self._write("DELETE", "gallery_albums", album, {})

    def _delete_user(self) -> None:
        if user := self._pick(USERS_OF):
            albums = "(SELECT id FROM gallery_albums WHERE user_id = %s)"
            self._empty("DELETE FROM gallery_images WHERE user_id = %s", user)
            self._empty(f"UPDATE gallery_images SET album_id = NULL WHERE album_id IN {albums}", user)
            self._empty("DELETE FROM gallery_albums WHERE user_id = %s", user)
            self._write("DELETE", "users", user, {})

    # Statements and values

    def _write(self, operation: str, table: str, row: str, columns: dict[str, Any]) -> None:
        self._operations.append({"operation": operation, "table": table, "id": row, "columns": columns})
        values = [json.dumps(value) if isinstance(value, list | dict) else value for value in columns.values()]
        if operation == "INSERT":
            places = ", ".join(["%s"] * (len(values) + 1))
            statement = f"INSERT INTO {table} (id, {', '.join(columns)}) VALUES ({places})"
            values = [row, *values]
        elif operation == "UPDATE":
            pairs = ", ".join(f"{name} = %s" for name in columns)
            touched = ", updated_at = now()" if table != "users" and self._choice.random() < 0.7 else ""
            statement, values = f"UPDATE {table} SET {pairs}{touched} WHERE id = %s", [*values, row]
        else:
            statement, values = f"DELETE FROM {table} WHERE id = %s", [row]
        self._open_connection.execute(statement, values)

    def _empty(self, statement: str, row: str) -> None:
        self._operations.append({"operation": statement, "id": row})
        self._open_connection.execute(statement, (row,))

    def _own_user(self) -> str:
        found = self._pick(USERS_OF)
        return found if found is not None and self._choice.random() < 0.95 else self._add_user()

    def _pick(self, query: str) -> str | None:
        found = self._open_connection.execute(f"{query} ORDER BY random() LIMIT 1", (self._mine,)).fetchone()
        return None if found is None else str(found[0])

    def _new_id(self) -> str:
        """Most are random; some are UUIDv7, which begin with a time."""
        made = uuid.uuid4().int
        if self._choice.random() < 0.2:
            made = (time.time_ns() // 1_000_000 << 80) | 7 << 76 | made & ((1 << 76) - 1)
        return str(uuid.UUID(int=made))

    def _text(self) -> str:
        return " ".join(self._choice.choices(WORDS, k=self._choice.randint(1, 4)))

    def _tags(self) -> Any:
        return self._choice.choice(TAGS)

    def _put_object(self, key: str, unique: str) -> int:
        """The bytes of an image, which come before its row. Some images never get any."""
        content = with_comment(self._choice.choice(self._shared.pictures), unique)
        if self._choice.random() < self._shared.options.objects_share:
            path = self._shared.options.objects / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".part").write_bytes(content)
            path.with_suffix(".part").rename(path)
        return len(content)


def make_pictures(count: int = 6) -> list[bytes]:
    """Small JPEGs of different colours."""
    return [_jpeg((40 * number, 255 - 40 * number, 128)) for number in range(count)]


def with_comment(jpeg: bytes, text: str) -> bytes:
    """The same picture in bytes of its own: a comment stands behind the marker that begins a JPEG."""
    comment = text.encode()
    return jpeg[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + jpeg[2:]


def _jpeg(color: tuple[int, int, int]) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (24, 16), color).save(target, "JPEG")
    return target.getvalue()


def _options() -> Options:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("objects", type=Path)
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.0, help="transactions a second of all threads; 0: no limit")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--truncate", action="store_true", help="truncate tables now and then")
    parser.add_argument("--objects-share", type=float, default=1.0, help="how many of the images get an object")
    return Options(**vars(parser.parse_args()))


def main() -> None:
    shared = Shared(_options(), make_pictures())
    shared.turns.extend(threading.Lock() for _ in range(shared.options.threads))
    signal.signal(signal.SIGTERM, lambda *_: shared.stop.set())
    writers = [Writer(shared, number) for number in range(shared.options.threads)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


if __name__ == "__main__":
    main()

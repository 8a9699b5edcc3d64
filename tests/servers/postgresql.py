"""PostgreSQL, as its own user: one server for all tests, each of which gets a database, and servers that a test may
restart or kill.

A database holds the tables of document 004. It has two roles besides the superuser: the owner of the tables, which the
migrator is, and the application's, which may only read and write rows.
"""

import contextlib
import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

import filelock
import psycopg
import pytest

from tests.servers.process import FOLDER, LONGEST_RUN, free_port, shared, wait_until

SUPERUSER: Final = "postgres"
OWNER: Final = "legacy_owner"
APPLICATION: Final = "legacy_app"
TEMPLATE: Final = "legacy_template"
ROLES: Final = f"CREATE ROLE {OWNER} LOGIN; CREATE ROLE {APPLICATION} LOGIN"
TABLES: Final = f"""
SET ROLE {OWNER};
CREATE TABLE users (
  id UUID PRIMARY KEY,
  email VARCHAR(255),
  username VARCHAR(255),
  created_at TIMESTAMP WITH TIME ZONE DEFAULT NOW()
);
CREATE TABLE gallery_albums (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users(id),
  title VARCHAR(255) NOT NULL,
  description TEXT,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT NOW()
);
CREATE TABLE gallery_images (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users(id),
  album_id UUID REFERENCES gallery_albums(id),
  original_filename VARCHAR(255) NOT NULL,
  mime_type VARCHAR(50) NOT NULL,
  file_size INTEGER NOT NULL,
  width INTEGER,
  height INTEGER,
  s3_key VARCHAR(500) NOT NULL,
  thumbnail_key VARCHAR(500),
  title VARCHAR(255),
  description TEXT,
  alt_text VARCHAR(255),
  tags JSONB,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT NOW()
);
CREATE INDEX idx_gallery_images_user_id ON gallery_images(user_id);
CREATE INDEX idx_gallery_images_album_id ON gallery_images(album_id);
CREATE INDEX idx_gallery_images_tags ON gallery_images USING GIN(tags);
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON users, gallery_albums, gallery_images TO {APPLICATION};
"""
END_SESSIONS: Final = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
RESET_SCHEMA: Final = """
DROP SCHEMA IF EXISTS sparks_migration CASCADE;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


@dataclass(frozen=True)
class LegacyDatabase:
    """A database with the tables of document 004."""

    port: int
    name: str

    @property
    def owner_url(self) -> str:
        return self.url(OWNER)

    @property
    def application_url(self) -> str:
        return self.url(APPLICATION)

    @property
    def superuser_url(self) -> str:
        return self.url(SUPERUSER)

    def url(self, role: str) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{self.name}"


_free: Final[list[LegacyDatabase]] = []


@contextlib.contextmanager
def legacy_database() -> Iterator[LegacyDatabase]:
    """A database with empty tables on the server of all tests. One that an earlier test of this process has left is
    used again, because emptying it takes a tenth of the time.
    """
    port = shared_port()
    database = _free.pop() if _free else _new_database(port)
    yield database
    with _superuser(port, database.name) as superuser:
        superuser.execute(END_SESSIONS)
        superuser.execute(f"ALTER DATABASE {database.name} RESET ALL; {RESET_SCHEMA} {TABLES}")
    _free.append(database)


@functools.cache
def shared_port() -> int:
    """The port of the server of all tests, which is started now unless another test process has done so."""
    programs()

    def command(port: int, home: Path) -> list[str]:
        _initialize(home)
        return _server_command(port, home, ("fsync=off", "max_connections=200"))

    port = urlsplit(shared("postgresql", command, is_ready=_takes_connections)).port
    assert port is not None
    folder = Path(os.environ[FOLDER])
    with filelock.FileLock(folder / "postgresql-template.lock"):
        if not _has_template(port):
            _make_template(port)
    return port


class PostgresqlServer:
    """A server of one test. Its folder is deleted when it is closed; until then stops and kills leave the data."""

    def __init__(self, *settings: str) -> None:
        programs()
        self._settings = settings
        self._home = Path(tempfile.mkdtemp(prefix="sparks-postgresql-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        _initialize(self._home)

    def __enter__(self) -> Self:
        self.start()
        _make_template(self.port)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def new_database(self) -> LegacyDatabase:
        return _new_database(self.port)

    def start(self) -> None:
        """Returns when the server takes connections."""
        command = ["timeout", LONGEST_RUN, *_server_command(self.port, self._home, self._settings)]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        wait_until(lambda: _takes_connections(f"http://127.0.0.1:{self.port}"), what="PostgreSQL")

    def stop(self) -> None:
        """Ends all connections and the server; nothing happens where it does not run."""
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends the server with all its processes, as a power cut would."""
        parent = (self._home / "data/postmaster.pid").read_text().split()[0]
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        self._signal(signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def _signal(self, number: int) -> None:
        if self._process is not None:
            os.kill(int((self._home / "data/postmaster.pid").read_text().split()[0]), number)
            self._process.wait(timeout=60)
            self._process = None


def programs() -> Path:
    """The folder of the newest PostgreSQL's programs. Without one the test is skipped, and fails in CI."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda program: int(program.parts[-3]))
    on_path = shutil.which("postgres")
    if not found and on_path is None:
        reason = "PostgreSQL is not installed: run tools/system-packages"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return (found[-1] if found else Path(str(on_path))).parent


def _initialize(home: Path) -> None:
    """PostgreSQL refuses to run as root: then the folder belongs to another user, and so do its programs. The first
    server of a test run keeps a copy of its new data folder, because making one takes seconds.
    """
    if FOLDER not in os.environ:  # a benchmark
        _run_initdb(home)
        return
    pristine = Path(os.environ[FOLDER]) / "postgresql-pristine"
    with filelock.FileLock(f"{pristine}.lock"):
        if not pristine.exists():
            pristine.parent.chmod(0o711)  # the server's user enters it
            pristine.mkdir()
            _run_initdb(pristine)
    subprocess.run(["cp", "-a", f"{pristine}/.", str(home)], check=True)


def _run_initdb(home: Path) -> None:
    if os.geteuid() == 0:
        user = pwd.getpwnam(_server_user())
        os.chown(home, user.pw_uid, user.pw_gid)
    initdb = [programs() / "initdb", "-D", home / "data", "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"]
    command = [*_as_server_user(), *map(str, initdb), "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=home)


def _server_command(port: int, home: Path, settings: Sequence[str]) -> list[str]:
    here = (f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "timezone=Asia/Tokyo")
    options = [word for setting in (*here, *settings) for word in ("-c", setting)]
    return [*_as_server_user(), str(programs() / "postgres"), "-D", str(home / "data"), *options]


def _as_server_user() -> list[str]:
    if os.geteuid() != 0:
        return []
    user = _server_user()
    return ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups"]


def _server_user() -> str:
    """The one that Debian's package makes, or else one that is always there."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _takes_connections(url: str) -> bool:
    port = urlsplit(url).port
    assert port is not None
    try:
        _superuser(port).close()
    except psycopg.OperationalError:
        return False
    return True


def _superuser(port: int, database: str = "postgres") -> psycopg.Connection:
    address = f"postgresql://{SUPERUSER}@127.0.0.1:{port}/{database}"
    return psycopg.connect(address, autocommit=True, connect_timeout=5)


def _new_database(port: int) -> LegacyDatabase:
    name = f"legacy_{uuid.uuid4().hex}"
    with _superuser(port) as superuser:
        superuser.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} OWNER {OWNER}")
    return LegacyDatabase(port, name)


def _has_template(port: int) -> bool:
    with _superuser(port) as superuser:
        return (
            superuser.execute("SELECT FROM pg_database WHERE datistemplate AND datname = %s", (TEMPLATE,)).rowcount > 0
        )


def _make_template(port: int) -> None:
    with _superuser(port) as superuser:
        superuser.execute(ROLES)
        superuser.execute(f"CREATE DATABASE {TEMPLATE} OWNER {OWNER}")
        with _superuser(port, TEMPLATE) as inside:
            inside.execute(TABLES)
        superuser.execute(f"ALTER DATABASE {TEMPLATE} IS_TEMPLATE true")

"""Processes of a migration: the legacy application, `sparks migrate`, and `sparks serve` beside it."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import psycopg

from sparks.cli.main import main
from sparks.journey import Stores
from sparks.migrate.lease import current_holder
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.photo_lifecycle.client import LifecycleClient
from tests.cli.processes import environment, start_serve
from tests.migrate.checker import Checker, read_journal
from tests.servers.postgresql import LegacyDatabase
from tests.servers.process import wait_until

ROOT: Final = Path(__file__).parents[2]
REFUSED: Final = "25006"
PROBE: Final = "INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'probe@example.com')"


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


class Command:
    """A command that runs, and writes to files."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        environment: dict[str, str],
        folder: Path,
        *,
        program: tuple[str, ...] = ("sparks",),
    ) -> None:
        self.arguments = arguments
        self._folder = Path(tempfile.mkdtemp(prefix=f"{arguments[0]}-", dir=folder))
        with (self._folder / "out").open("wb") as out, (self._folder / "err").open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *program, "migrate", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
            )

    def wait(self, seconds: float = 120) -> Ended:
        code = self.process.wait(seconds)
        return Ended(code, (self._folder / "out").read_text(), (self._folder / "err").read_text())

    def end(self, number: signal.Signals = signal.SIGTERM) -> Ended:
        self.process.send_signal(number)
        return self.wait()

    def wait_until_stopped(self) -> None:
        def is_stopped() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"the command has ended: {self.wait()}")
            return Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"

        wait_until(is_stopped, what="the command to stop")

    def wake(self) -> Ended:
        """Lets a stopped command go on to its end."""
        self.process.send_signal(signal.SIGCONT)
        return self.wait()

    def kill(self) -> None:
        """Ends the process as a power cut would, also one that is stopped or has ended."""
        self.process.kill()
        self.process.wait()


def call_in_process(arguments: tuple[str, ...], environment: dict[str, str]) -> Ended:
    """Runs `sparks` in this process."""
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with (
        mock.patch.object(sys, "argv", ["sparks", *arguments]),
        mock.patch.object(os, "environ", environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            return Ended(int(ended.code or 0), out.getvalue(), err.getvalue())
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    raise AssertionError("a command ends with an exit code")


@dataclass
class Migration:
    """A source, a folder with objects, and a target in a data folder or on servers (`engines`)."""

    folder: Path
    database: LegacyDatabase
    engines: dict[str, str] = field(default_factory=dict)
    in_process: bool = False  # whether commands that are waited for run in this process, which is faster

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def objects(self) -> Path:
        return self.folder / "objects"

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    @property
    def options(self) -> tuple[str, ...]:
        return "--from", self.database.owner_url, "--objects", str(self.objects)

    # -- Commands

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
        return environment(PYTHONPATH=path, SPARKS_DATA=str(self.data), SPARKS_FACES="false", **self.engines)

    def start(self, *arguments: str, clock: int = 0) -> Command:
        """`clock` is by how many seconds the process takes the time to be later than it is."""
        program = ("tests.migrate.wrong_clock", str(clock)) if clock else ("sparks",)
        return Command(arguments, self.environment(), self.folder, program=program)

    @contextmanager
    def running(self, *arguments: str, clock: int = 0) -> Iterator[Command]:
        """A command that is killed at the end of the block if it still runs."""
        command = self.start(*arguments, clock=clock)
        try:
            yield command
        finally:
            command.kill()

    @contextmanager
    def stopped(self, place: str, moment: str, *arguments: str) -> Iterator[Command]:
        """A command that has stopped itself at a place: see `stop_at`."""
        program = "tests.migrate.stop_at", place, moment
        command = Command(arguments, self.environment(), self.folder, program=program)
        try:
            command.wait_until_stopped()
            yield command
        finally:
            command.kill()

    def call(self, *arguments: str) -> Ended:
        """Runs a command in this process, which takes less time."""
        return call_in_process(("migrate", *arguments), self.environment())

    def quick(self, *arguments: str) -> Any:
        """The output of a command in this process that succeeds."""
        ended = self.call(*arguments, "--json")
        assert ended.code == 0, (arguments, ended)
        return json.loads(ended.out)

    def run(self, *arguments: str, seconds: float = 120) -> Ended:
        with self.running(*arguments) as command:
            return command.wait(seconds)

    def json(self, *arguments: str) -> Any:
        """The output of a command that succeeds."""
        ended = (self.call if self.in_process else self.run)(*arguments, "--json")
        assert ended.code == 0, (arguments, ended)
        return ended.json()

    def capture(self) -> None:
        self.objects.mkdir(exist_ok=True)
        assert self.json("capture", *self.options) == {"phase": "captured"}

    def copy(self) -> None:
        """All rows and objects, and what changed meanwhile."""
        self.objects.mkdir(exist_ok=True)
        self.quick("capture", *self.options)
        self.quick("backfill")
        self.quick("follow", "--once")

    def status(self) -> Any:
        return self.quick("status")

    def wait_for_command(self, name: str) -> None:
        """Returns when this command holds the lease."""
        with self.stores() as stores:

            def holds() -> bool:
                holder = current_holder(table=stores.table)
                return holder is not None and holder.command == name

            wait_until(holds, what=f"`sparks migrate {name}` to hold the lease")

    def key_of(self, email: str) -> str:
        """A new API key of the account."""
        command = [sys.executable, "-m", "sparks", "key", "add", email, "--name", "script", "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=self.environment())
        key: str = json.loads(ran.stdout)["key"]
        return key

    # -- Both sides

    def stores(self, *, guarded: bool = True) -> AbstractContextManager[Stores]:
        return open_stores(load_settings({"data": self.data}, self.engines), guarded=guarded)

    def differences(self, *, changed_in_target: bool = False) -> list[str]:
        with self.stores() as stores:
            return Checker(
                self.database.superuser_url,
                self.objects,
                stores.table,
                stores.blobs,
                changed_in_target=changed_in_target,
            ).differences()

    def source_takes_writes(self) -> bool:
        """Whether a write of the application would be taken; it is undone."""
        with psycopg.connect(self.database.application_url) as connection:
            try:
                connection.execute(PROBE)
            except psycopg.errors.ReadOnlySqlTransaction:
                return False
            finally:
                connection.rollback()
        return True

    # -- Programs beside the migrator

    @contextmanager
    def legacy_app(self, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """The legacy application, which writes until the end of the block."""
        self.objects.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "tests.migrate.legacy_app", self.database.application_url, str(self.objects)]
        process = subprocess.Popen(
            [*command, "--journal", str(self.journal), *options], cwd=ROOT, env=self.environment()
        )
        try:
            yield process
            process.terminate()
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
            process.wait()

    @contextmanager
    def serve(self) -> Iterator[str]:
        """The address of `sparks serve` with a worker."""
        settings = {"PYTHONPATH": self.environment()["PYTHONPATH"], "SPARKS_FACES": "false", **self.engines}
        with start_serve(self.data, **settings) as running:
            yield running.url
            assert running.end() == 0

    @contextmanager
    def client(self, url: str, email: str) -> Iterator[LifecycleClient]:
        with LifecycleClient(url, self.key_of(email)) as client:
            yield client

    # -- The journal

    def outcomes(self, first: int = 0) -> list[str]:
        return [line["outcome"] for line in read_journal(self.journal)[first:]]

    def wait_for(self, outcome: str, count: int = 20) -> None:
        """Returns when the application has had so many more transactions with this outcome."""
        goal = self._number_of(outcome) + count
        wait_until(lambda: self._number_of(outcome) >= goal, what=f"{count} transactions that are {outcome}")

    def _number_of(self, outcome: str) -> int:
        """Found without reading the lines, which takes long."""
        return self.journal.read_bytes().count(f'"outcome": "{outcome}"'.encode()) if self.journal.exists() else 0

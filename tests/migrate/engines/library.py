"""A library that moves between engines: its data folder, its servers, its commands and its checker."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparks.journey import Stores
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.deployments import engines as new_engines
from tests.cli.processes import Running, environment, start_serve
from tests.migrate.engines import checker
from tests.migrate.engines.people import People
from tests.migrate.processes import ROOT, Command, Ended, call_in_process
from tests.servers import commands
from tests.servers.process import wait_until

CHOICES = ("SPARKS_TABLE", "SPARKS_BLOBS", "SPARKS_JOBS")
OWNER = "ann@example.com"


@dataclass
class MovingLibrary:
    """`engines` are all settings of DynamoDB, S3 and SQS; `chosen` are the engines in use."""

    folder: Path
    engines: dict[str, str] = field(default_factory=new_engines)
    chosen: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.folder / "serve" / "data"

    def settings(self) -> dict[str, str]:
        names = {name: value for name, value in self.engines.items() if name not in CHOICES}
        return {**names, **self.chosen, "SPARKS_FACES": "false"}

    def environment(self) -> dict[str, str]:
        path = f"{ROOT / 'src'}:{ROOT}"
        return environment(PYTHONPATH=path, SPARKS_DATA=str(self.data), **self.settings())

    # -- Commands

    def start(self, *arguments: str, program: tuple[str, ...] = ("sparks",)) -> Command:
        return Command(arguments, self.environment(), self.folder, program=program)

    def run(self, *arguments: str) -> Ended:
        command = self.start(*arguments)
        try:
            return command.wait()
        finally:
            command.kill()

    def json(self, *arguments: str) -> Any:
        ended = self.call(*arguments, "--json")
        assert ended.code == 0, (arguments, ended)
        return ended.json()

    def call(self, *arguments: str) -> Ended:
        """Runs a command in this process, which takes less time."""
        return call_in_process(("migrate", *arguments), self.environment())

    @contextmanager
    def stopped(self, place: str, moment: str, *arguments: str) -> Iterator[Command]:
        """A command that has stopped itself at a place: see `stop_at`."""
        command = self.start(*arguments, program=("tests.migrate.stop_at", place, moment))
        try:
            command.wait_until_stopped()
            yield command
        finally:
            command.kill()

    def sparks(self, *arguments: str) -> str:
        ended = call_in_process(arguments, self.environment())
        assert ended.code == 0, ended
        return ended.out

    def copy(self, to: str) -> None:
        assert self.json("capture", "--to", to) == {"phase": "captured"}
        self.json("backfill")
        self.json("follow", "--once")

    @contextmanager
    def following(self, command: str = "follow") -> Iterator[Command]:
        """A command that follows and holds the lease."""
        started = self.start(command)
        try:
            wait_until(
                lambda: (self.json("status")["running"] or {}).get("command") == command, what=f"{command} to begin"
            )
            yield started
        finally:
            started.kill()

    # -- Servers and people

    @contextmanager
    def serve(self) -> Iterator[Running]:
        with start_serve(self.data, PYTHONPATH=self.environment()["PYTHONPATH"], **self.settings()) as running:
            yield running

    def people(self, url: str) -> People:
        if OWNER not in self.sparks("user", "list"):
            self.sparks("user", "add", OWNER, "--limit", "100000", "--bytes", "100GB", "--no-password")
        key: str = json.loads(self.sparks("key", "add", OWNER, "--name", "script", "--json"))["key"]
        return People(url, key)

    def stores(self) -> AbstractContextManager[Stores]:
        """The stores as a process of Sparks uses them."""
        return open_stores(load_settings({"data": self.data}, self.settings()))

    def choose(self, *words: str) -> None:
        """The engines that the settings name from now on."""
        self.chosen = {name: word for name, word in zip(CHOICES, words, strict=True) if word}

    # -- The checker

    def differences(self, to: str) -> list[str]:
        """Between both sides, for the kinds of engines that move."""
        found = []
        if "dynamodb" in to or "sqlite" in to:
            found += checker.row_differences(checker.sqlite_rows(self.data), checker.dynamodb_rows(self.engines))
        if "s3" in to or "filesystem" in to:
            found += checker.object_differences(checker.folder_objects(self.data), checker.s3_objects(self.engines))
        return found


def on_dynoxide() -> dict[str, str]:
    """Servers that start faster."""
    return new_engines(commands.dynoxide())

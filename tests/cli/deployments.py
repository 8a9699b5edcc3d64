"""Deployments: one machine with a data folder, or many with a table, a bucket and queues."""

import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sparks.journey import Stores
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.processes import READY, Running, environment, is_alive, start
from tests.servers import commands
from tests.servers.process import free_port, wait_until

SECRETS: Final = "secrets.json"


class Deployment:
    """`sparks serve` at one address, which can be stopped and started again."""

    def __init__(self, folder: Path, *, program: str = "sparks", workers: int, engines: dict[str, str]) -> None:
        self.data = folder / "serve" / "data"
        self.engines = engines
        self.workers: list[Running] = []
        self._program = program
        self._serve = ("serve", "--port", str(free_port()), "--workers", str(workers))
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def open(self) -> None:
        running = self._stack.enter_context(start(self.data, *self._serve, program=self._program, **self.engines))
        wait_until(lambda: READY in running.out or running.process.poll() is not None, what="sparks serve to be ready")
        assert running.process.poll() is None, (self.data.parent / "err").read_text()
        self.serve = running

    def restart(self) -> None:
        """Kills the server, waits for the end of its workers, and starts it again."""
        assert self.errors() == []
        workers = self.serve.worker_pids()
        self.serve.process.kill()
        wait_until(lambda: not any(map(is_alive, workers)), what="the workers to end")
        self.close()
        self.open()

    def close(self) -> None:
        self._stack.close()

    def command(self, *arguments: str) -> str:
        """Runs a command and returns its output."""
        command = [sys.executable, "-m", "sparks", "--data", str(self.data), *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(**self.engines))
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def stores(self) -> AbstractContextManager[Stores]:
        return open_stores(load_settings({"data": self.data}, self.engines))

    def errors(self) -> list[str]:
        """Log lines with the level error or critical."""
        lines = [line for running in (self.serve, *self.workers) for line in running.lines("")]
        return [str(line) for line in lines if line["level"] in ("error", "critical")]


@contextmanager
def one_machine(folder: Path) -> Iterator[Deployment]:
    with Deployment(folder, workers=1, engines={}) as deployment:
        yield deployment


@contextmanager
def many_machines(folder: Path) -> Iterator[Deployment]:
    """One server and two workers, whose data folders share only the secrets."""
    deployment = Deployment(folder, program="tests.cli.short_recheck", workers=0, engines=engines())
    deployment.command("create")
    with deployment, ExitStack() as stack:
        for name in ("first", "second"):
            data = folder / name / "data"
            data.mkdir(parents=True)
            shutil.copy(deployment.data / SECRETS, data / SECRETS)
            deployment.workers.append(stack.enter_context(start(data, "worker", **deployment.engines)))
        yield deployment


def engines(dynamodb: str | None = None) -> dict[str, str]:
    """Settings that name a table, a bucket and queues of this test alone."""
    name = f"cli-{uuid.uuid4().hex[:12]}"
    return {
        "SPARKS_TABLE": "dynamodb",
        "SPARKS_TABLE_NAME": name,
        "SPARKS_DYNAMODB_ENDPOINT": dynamodb or commands.dynamodb_local(),
        "SPARKS_BLOBS": "s3",
        "SPARKS_BUCKET": name,
        "SPARKS_S3_ENDPOINT": commands.seaweedfs(),
        "SPARKS_JOBS": "sqs",
        "SPARKS_QUEUE": name,
        "SPARKS_SQS_ENDPOINT": commands.ministack(),
        "SPARKS_REGION": commands.REGION,
        "SPARKS_AWS_ACCESS_KEY_ID": commands.ACCESS_KEY,
        "SPARKS_AWS_SECRET_ACCESS_KEY": commands.SECRET_KEY,
    }


DEPLOYMENTS: Final[dict[str, Callable[[Path], AbstractContextManager[Deployment]]]] = {
    "one machine": one_machine,
    "many machines": many_machines,
}

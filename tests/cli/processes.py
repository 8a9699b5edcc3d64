"""`sparks serve` or `sparks worker` in another process."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.servers.process import wait_until

READY = "Sparks is ready: "


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SPARKS_")} | more


class Running:
    """The running process; its logs are read from the file of its stderr."""

    def __init__(self, process: subprocess.Popen[bytes], data: Path, folder: Path) -> None:
        self.process = process
        self.data = data
        self._folder = folder

    @property
    def out(self) -> str:
        return (self._folder / "out").read_text()

    @property
    def url(self) -> str:
        return next(line.removeprefix(READY) for line in self.out.splitlines() if line.startswith(READY))

    def lines(self, message: str) -> list[dict[str, Any]]:
        """The complete log lines whose message begins so."""
        text = (self._folder / "err").read_text()
        whole = text[: text.rfind("\n") + 1].splitlines()
        return [line for line in map(json.loads, whole) if line["message"].startswith(message)]

    def worker_pids(self) -> list[int]:
        """The process ids of all workers that were ever started."""
        return [line["workerPid"] for line in self.lines("a worker started")]

    def metric(self, name: str) -> float:
        """The sum of the metric's rows that begin so; 0 when there is none."""
        rows = httpx.get(f"{self.url}/metrics").text.splitlines()
        return sum(float(row.split()[-1]) for row in rows if row.startswith(name))

    def end(self, number: signal.Signals = signal.SIGTERM, *, seconds: float = 30) -> int:
        self.process.send_signal(number)
        return self.process.wait(seconds)


@contextmanager
def start(data: Path, *arguments: str, program: str = "sparks", **more: str) -> Iterator[Running]:
    """Starts a command, and ends it if the test has not."""
    folder = data.parent
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", program, "--data", str(data), *arguments]
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment(**more))
    try:
        yield Running(process, data, folder)
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def start_serve(data: Path, *arguments: str, **more: str) -> Iterator[Running]:
    """Starts `sparks serve` with one worker, and waits until it is ready and the worker is there."""
    with start(data, "serve", "--port", "0", "--workers", "1", *arguments, **more) as running:
        wait_until(lambda: READY in running.out or running.process.poll() is not None, what="sparks serve to be ready")
        assert running.process.poll() is None, (data.parent / "err").read_text()
        wait_until(lambda: bool(running.worker_pids()), what="a worker")
        yield running


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False

"""Starting a server once for all test processes, and ending it by its process id."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Final

import filelock

FOLDER: Final = "SPARKS_TEST_SERVERS"
_running: Final[list[subprocess.Popen[bytes]]] = []  # kept, so that none is collected while it runs
LONGEST_RUN: Final = "5400"  # seconds; a server whose test run was killed ends by itself


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(condition: Callable[[], bool], *, what: str, seconds: float = 60) -> None:
    """Returns as soon as the condition holds; fails loudly when it does not within the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.02)


def answers(url: str) -> bool:
    """Whether an HTTP server speaks there, whatever it says."""
    try:
        with urllib.request.urlopen(url, timeout=2):  # noqa: S310  a server of ours, on loopback
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def make_folder() -> None:
    """Called once, by the process that pytest was started as."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="sparks-servers-")


def shared(
    name: str,
    command: Callable[[int, Path], list[str]],
    *,
    path: str = "/",
    is_ready: Callable[[str], bool] = answers,
) -> str:
    """The address of the server `name`, started now unless another test process has done so."""
    folder = Path(os.environ[FOLDER])
    note = folder / f"{name}.json"
    with filelock.FileLock(folder / f"{name}.lock"):
        if not note.exists():
            note.write_text(json.dumps(_start(name, command, folder, lambda url: is_ready(url + path))))
        url: str = json.loads(note.read_text())["url"]
        return url


def _start(
    name: str, command: Callable[[int, Path], list[str]], folder: Path, is_ready: Callable[[str], bool]
) -> dict[str, str | int]:
    port, home = free_port(), folder / name
    home.mkdir()
    log = home / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["timeout", LONGEST_RUN, *command(port, home)],
            cwd=home,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _running.append(process)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: process.poll() is not None or is_ready(url), what=f"{name} at {url}")
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    if process.poll() is not None:
        raise RuntimeError(f"{name} ended at once: {log.read_text(errors='replace')[-2000:]}")
    return {"url": url, "pid": process.pid}


def end_all() -> None:
    """Called once, when all tests are over."""
    folder = Path(os.environ.pop(FOLDER))
    groups = [int(json.loads(note.read_text())["pid"]) for note in folder.glob("*.json")]
    for group in groups:
        _signal(group, signal.SIGTERM)
    deadline = time.monotonic() + 5
    while any(_signal(group, 0) for group in groups) and time.monotonic() < deadline:
        for process in _running:
            process.poll()  # one of ours that has ended stays until it is asked
        time.sleep(0.05)
    for group in groups:
        _signal(group, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def _signal(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True

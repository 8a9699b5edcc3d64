"""Command on a pseudo-terminal: its output, and typed input."""

import errno
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.processes import environment
from tests.servers.process import wait_until


class Terminal:
    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self._shown = b""

    def shown(self) -> str:
        """All that was shown until now."""
        while select.select([self._screen], [], [], 0)[0]:
            try:
                more = os.read(self._screen, 10_000)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                break  # the command has ended
            self._shown += more
        return self._shown.decode()

    def wait_for(self, text: str, *, times: int = 1) -> None:
        wait_until(lambda: self.shown().count(text) >= times, what=f"{text!r} on the terminal")

    def type(self, line: str) -> None:
        os.write(self._screen, f"{line}\n".encode())

    def ends(self) -> int:
        """The exit code, once everything is shown."""
        wait_until(lambda: self.shown() is not None and self.process.poll() is not None, what="the command to end")
        self.shown()
        return self.process.returncode


@contextmanager
def at_terminal(data: Path, *arguments: str, err: Path | None = None) -> Iterator[Terminal]:
    """Runs a command at a terminal; with `err`, what it says on stderr goes to that file instead."""
    screen, there = pty.openpty()
    command = [sys.executable, "-m", "sparks", "--data", str(data), *arguments]
    with (err or Path(os.devnull)).open("wb") as file:
        process = subprocess.Popen(
            command,
            stdin=there,
            stdout=there,
            stderr=there if err is None else file,
            env=environment(),
            start_new_session=True,  # otherwise a prompt would go to the terminal on which the tests run
        )
    os.close(there)
    try:
        yield Terminal(process, screen)
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(screen)

"""The link that makes the first administrator: on the terminal, or else in a file for its owner's eyes only.

It is in no log line, so that whoever may read the logs cannot become the administrator.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from sparks.cli.options import say
from sparks.model.errors import BadSetting, SparksError

FILE_NAME: Final = "setup-link"
LOOKS_EVERY: Final = 1.0


class SetupLink:
    """Shown to whoever started Sparks. The file goes as soon as there is an administrator, and when Sparks stops."""

    def __init__(self, url: str, *, path: Path, is_done: Callable[[], bool]) -> None:
        self._url = url
        self._path = path
        self._fresh = path.with_name(f"{path.name}.new")
        self._is_done = is_done
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._remove_when_done, name="setup-link", daemon=True)

    def __enter__(self) -> Self:
        """What a Sparks that was killed has left behind is void, and goes."""
        self._remove()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._watch.is_alive():
            self._watch.join()
        self._remove()

    def show(self) -> None:
        """Nothing, where there is an administrator already."""
        if self._is_done():
            return
        if sys.stdout.isatty():
            say(f"There is no administrator yet. Open this link to become the first one:\n  {self._url}")
            return
        self._write()
        self._watch.start()
        say(f"There is no administrator yet. The link to become the first one is in {self._path}")

    def _remove_when_done(self) -> None:
        while not self._stopping.wait(LOOKS_EVERY):
            try:
                done = self._is_done()
            except SparksError:  # the table cannot be reached, as /readyz says: asked again
                continue
            if done:
                self._remove()
                return

    def _write(self) -> None:
        with self._usable():
            descriptor = os.open(self._fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w") as file:  # noqa: PTH123  a descriptor, made with its mode
                file.write(f"{self._url}\n")
            self._fresh.replace(self._path)

    def _remove(self) -> None:
        with self._usable():
            self._path.unlink(missing_ok=True)
            self._fresh.unlink(missing_ok=True)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BadSetting(f"the set-up link cannot be kept in {self._path}: {error.strerror}") from error

"""The jail as a worker sees it: run a task on open files, get its answer or an error, whatever the files do to it."""

import fcntl
import logging
import os
import socket
import stat
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

import msgspec

from sparks.media.jail.answer import Answer
from sparks.media.jail.broken import Broken, judge
from sparks.media.jail.cell import Cell
from sparks.media.jail.frames import MOST_FILES
from sparks.media.jail.orders import Terms
from sparks.media.jail.progress import Report
from sparks.media.jail.warm_parent import WarmParent
from sparks.model.errors import Unavailable

V = TypeVar("V")
LIVES: Final = 200
MOST_BYTES: Final = 64 << 20

log = logging.getLogger(__name__)


class Jail(Generic[V]):
    """A warm parent and at most one child, so one request at a time; others wait. All of it ends with this process.

    [Note: one child, many files] A file that takes a child over could read those that come after it, and answer for
    them, until the child's lives are over. With `lives=1` none could; that costs a fork, some 10 ms, for each.
    """

    def __init__(
        self,
        *,
        task: str,
        warm: str,
        answer: type[V],
        memory: int,
        output: int = 0,
        most_bytes: int = MOST_BYTES,
        lives: int = LIVES,
    ) -> None:
        """`task` and `warm` are written `module:function`.

        `warm()` is called once by the warm parent: it imports all that a task needs, and decodes nothing.
        `task(request, files, report)` gives an `Answer` whose value has the type `answer`.
        `memory`: bytes that a child may use beyond what is warm. `output`: the size that a file may reach which it is
        handed for writing. `most_bytes`: of all blobs of an answer. `lives`: answers until a child is replaced.
        """
        self._terms = Terms(task=task, warm=warm, memory=memory, output=output)
        self._answer = answer
        self._most_bytes = most_bytes
        self._lives = lives
        self._lock = threading.Lock()
        self._parent: WarmParent | None = None
        self._cell: Cell | None = None
        self._missing: tuple[str, ...] | None = None
        self._closed = False

    def start(self) -> tuple[str, ...]:
        """Makes the first child now, and tells what of its jail this machine cannot build. Not needed before `run`."""
        with self._lock:
            self._cell_at_hand()
            return self._missing or ()

    def run(
        self, request: object, files: Sequence[int] = (), *, seconds: float, progress: Report = lambda _: None
    ) -> Answer[V]:
        """Runs the task in the child. `files` are regular ones; they stay open, and share their position with it.

        The task's own Damaged, TooLarge and UnsupportedType come through. If the child crashes, takes longer than
        `seconds`, needs too much memory or answers nonsense: Damaged. If no child can be had: Unavailable. `progress`
        hears fractions that grow, at most a hundred of them.
        """
        encoded = msgspec.msgpack.encode(request)
        _check_files(files, writable=self._terms.output > 0)
        with self._lock:
            cell = self._cell_at_hand()
            try:
                answer = cell.ask(encoded, files, answer=self._answer, seconds=seconds, progress=progress)
            except Broken as broken:
                raise judge(broken, ending=self._end_cell()) from broken
            except BaseException:
                self._end_cell()  # it may still be at work
                raise
            if cell.answered >= self._lives:
                self._end_cell()
            return answer

    def close(self) -> None:
        """Waits for the request at hand, then ends the child and its parent. Closing twice does nothing more."""
        with self._lock:
            self._closed = True
            self._drop_parent()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _cell_at_hand(self) -> Cell:
        if self._closed:
            raise RuntimeError("the jail is closed")
        if self._cell is not None and not self._cell.is_quiet():
            log.warning("a decoder has ended or spoken while it had nothing to do: it is replaced")
            self._end_cell()
        return self._cell or self._make_cell(self._parent_at_hand())

    def _parent_at_hand(self) -> WarmParent:
        if self._parent is not None and not self._parent.is_alive():
            log.warning("the decoders' parent process has ended: another is started")
            self._drop_parent()
        if self._parent is None:
            self._parent = WarmParent(self._terms)
        return self._parent

    def _make_cell(self, parent: WarmParent) -> Cell:
        line, theirs = socket.socketpair()
        self._cell = Cell(line, most_bytes=self._most_bytes)
        try:
            with theirs:
                parent.fork(theirs)
            self._say_missing(self._cell.wait_until_ready())
        except Broken as broken:
            self._drop_parent()
            raise Unavailable(f"no decoder can be started: {broken}") from broken
        except BaseException:
            self._drop_parent()
            raise
        return self._cell

    def _say_missing(self, missing: tuple[str, ...]) -> None:
        if self._missing is None:
            self._missing = missing
            for what in missing:
                log.warning("decoders run without %s", what)

    def _end_cell(self) -> int | None:
        """How the child ended; None: its parent is gone too."""
        if self._cell is None or self._parent is None:
            return None
        self._cell.close()
        self._cell = None
        try:
            return self._parent.end_child()
        except Unavailable as error:
            log.warning("the decoders' parent process is given up: %s", error)
            self._drop_parent()
            return None

    def _drop_parent(self) -> None:
        if self._cell is not None:
            self._cell.close()
            self._cell = None
        if self._parent is not None:
            self._parent.close()
            self._parent = None


def _check_files(files: Sequence[int], *, writable: bool) -> None:
    """[Note: files for reading] A limit of nothing does not hold for a file that is mapped: it must not be writable."""
    if len(files) > MOST_FILES:
        raise ValueError(f"at most {MOST_FILES} files go into a jail at once")
    for file in files:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ValueError("only regular files go into a jail")
        if not writable and fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
            raise ValueError("a jail without output takes files that are open for reading only")

"""Progress on stderr: a bar on a terminal, lines elsewhere."""

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TextIO

DRAW_SECONDS: Final = 0.2
LINE_SECONDS: Final = 30.0
RATE_WINDOW: Final = 60.0  # seconds over which the rate is measured
MIN_BAR_WIDTH: Final = 10


class ProgressBar:
    def __init__(
        self, total: int, *, noun: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`noun` names the counted things, as `photos`."""
        self._total = total
        self._noun = noun
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque([(clock(), 0)])
        self._shown_at = clock() if not self._terminal else -DRAW_SECONDS
        self._drawn = False

    def show(self, done: int, *, of: int | None = None, note: str = "") -> None:
        """May be called often: draws only every DRAW_SECONDS or LINE_SECONDS. `of` is the total, if it has changed."""
        self._total = self._total if of is None else of
        now = self._clock()
        if now - self._shown_at < (DRAW_SECONDS if self._terminal else LINE_SECONDS):
            return
        self._shown_at = now
        self._samples.append((now, done))
        while len(self._samples) > 2 and now - self._samples[0][0] > RATE_WINDOW:
            self._samples.popleft()
        line = ", ".join(filter(None, [*self._parts(done), note]))
        if self._terminal:
            self._draw(done, line)
        else:
            print(line, file=self._stream, flush=True)

    def clear(self) -> None:
        """Removes the bar, so that other lines can be printed; the next `show` draws it below them."""
        if self._drawn:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
            self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def _parts(self, done: int) -> list[str]:
        (began, before), (now, _) = self._samples[0], self._samples[-1]
        rate = (done - before) / (now - began) if now > began else 0.0
        parts = [f"{done:,} of {self._total:,} {self._noun}"]
        if rate > 0:
            left = format_duration((self._total - done) / rate)
            parts += [f"{rate:,.1f} a second", f"{left} left"]
        return parts

    def _draw(self, done: int, line: str) -> None:
        columns = shutil.get_terminal_size().columns - 1
        width = columns - len(line) - 3
        if width >= MIN_BAR_WIDTH:
            filled = width if self._total == 0 else width * min(done, self._total) // self._total
            line = f"[{'#' * filled}{'-' * (width - filled)}] {line}"
        print(f"\r{line[:columns]}\x1b[K", end="", file=self._stream, flush=True)
        self._drawn = True


def format_duration(seconds: float) -> str:
    """`42 s`, `3:07 min` or `12:05 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"

"""What an import has come to: how many files of which fate, and of each that was left out, why."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sparks.cli.amounts import shown_size
from sparks.upload.importing.outcome import Fate, Outcome

WORDS: Final = {Fate.SKIPPED: "skipped", Fate.THERE: "there already", Fate.FAILED: "failed", Fate.IMPORTED: "imported"}
CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Line:
    path: str
    fate: Fate
    reason: str | None
    image_id: str | None

    def __str__(self) -> str:
        return f"{WORDS[self.fate]}: {self.path}" + ("" if self.reason is None else f": {self.reason}")


class Tally:
    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.bytes = 0
        self.unfinished = 0  # photos that are stored, and were waited for no longer
        self._counts: Counter[Fate] = Counter()

    def add(self, outcome: Outcome) -> None:
        image_id = None if outcome.photo is None else outcome.photo.image_id
        self.lines.append(Line(printable(outcome.path), outcome.fate, outcome.reason, image_id))
        self._counts[outcome.fate] += 1
        if outcome.fate is Fate.IMPORTED:
            self.bytes += outcome.size

    def __len__(self) -> int:
        return len(self.lines)

    def count(self, fate: Fate) -> int:
        return self._counts[fate]

    @property
    def has_failures(self) -> bool:
        return self.count(Fate.FAILED) > 0

    def in_words(self, *, verb: str = "imported") -> str:
        """In one line."""
        imported, there, skipped, failed = (self.count(fate) for fate in Fate)
        files = f"{imported:,} file{'' if imported == 1 else 's'} ({shown_size(self.bytes)})"
        others = f"{there:,} there already, {skipped:,} skipped, {failed:,} failed"
        unfinished = f", {self.unfinished:,} stored and not finished yet" if self.unfinished else ""
        return f"{verb} {files}; {others}{unfinished}"

    def left_out(self) -> Iterator[str]:
        """Every file that was not taken in and why, those that failed last."""
        for fate in (Fate.SKIPPED, Fate.THERE, Fate.FAILED):
            yield from map(str, sorted((each for each in self.lines if each.fate is fate), key=lambda each: each.path))

    def as_json(self) -> dict[str, Any]:
        files: dict[str, list[dict[str, str]]] = {fate.value: [] for fate in Fate}
        for line in sorted(self.lines, key=lambda each: each.path):
            about = {"path": line.path, "imageId": line.image_id, "reason": line.reason}
            files[line.fate].append({name: value for name, value in about.items() if value is not None})
        return {"counts": {fate.value: self.count(fate) for fate in Fate}, "bytes": self.bytes, "files": files}


def printable(path: Path) -> str:
    """The path as it can be shown in a line, whatever bytes its name is made of."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(path).encode(errors="surrogateescape").decode(errors="replace"))

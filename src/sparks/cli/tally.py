"""What an import has come to: how many files of which fate, and of each that was left out, why."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparks.cli.amounts import shown_size
from sparks.upload.importing.outcome import Fate, Outcome


@dataclass(frozen=True, slots=True)
class Line:
    path: str
    fate: Fate
    reason: str | None
    image_id: str | None


class Tally:
    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.bytes = 0
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
        return f"{verb} {files}; {others}"

    def left_out(self) -> Iterator[str]:
        """Every file that was not taken in and why, those that failed last."""
        reasons = {Fate.SKIPPED: "skipped", Fate.THERE: "there already", Fate.FAILED: "failed"}
        for fate, words in reasons.items():
            for line in sorted((each for each in self.lines if each.fate is fate), key=lambda each: each.path):
                yield f"{words}: {line.path}" + ("" if line.reason is None else f": {line.reason}")

    def as_json(self) -> dict[str, Any]:
        files: dict[str, list[dict[str, str]]] = {fate.value: [] for fate in Fate}
        for line in sorted(self.lines, key=lambda each: each.path):
            about = {"path": line.path, "imageId": line.image_id, "reason": line.reason}
            files[line.fate].append({name: value for name, value in about.items() if value is not None})
        return {"counts": {fate.value: self.count(fate) for fate in Fate}, "bytes": self.bytes, "files": files}


def printable(path: Path) -> str:
    """The path as it can be shown, whatever bytes its name is made of."""
    return str(path).encode(errors="surrogateescape").decode(errors="replace")

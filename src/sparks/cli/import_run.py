"""One run of `sparks import`: what is found, looked at or taken in, and watched."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Final

from sparks.cli.amounts import shown_photos, shown_size
from sparks.cli.crew import Crew, crew
from sparks.cli.intake import TAKERS, Intake
from sparks.cli.options import say
from sparks.cli.progress import Progress
from sparks.cli.tally import Tally
from sparks.journey import Stores
from sparks.library.limits import read_limit
from sparks.model.errors import StorageFull, Unavailable, UploadLimitReached
from sparks.settings import Settings
from sparks.upload.importing.outcome import Fate, Outcome
from sparks.upload.importing.sidecars import Candidate, candidates_in
from sparks.upload.importing.taking import Taker
from sparks.upload.importing.walking import walk

LOOK_EVERY: Final = 1.0  # seconds between two looks at folders that are watched
REST: Final = 10  # times as long as a look took: large folders are looked at less often

Signature = tuple[int, int]


class ImportRun:
    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        taker: Taker,
        paths: Sequence[Path],
        *,
        tell: Callable[[str], None] = say,
    ) -> None:
        """`tell`: what is shown of each file that comes while folders are watched."""
        self.tally = Tally()
        self.too_few = ""
        self._settings = settings
        self._stores = stores
        self._taker = taker
        self._paths = paths
        self._tell = tell
        self._told: set[Path] = set()
        self._known: dict[Path, Signature | None] = {}

    def look(self) -> None:
        """Counts what `take_in` would do."""
        candidates = self._find()
        seen: set[str | None] = set()
        with Progress(len(candidates), noun="files") as progress, ThreadPoolExecutor(TAKERS) as threads:
            for outcome in threads.map(self._taker.look_at, candidates):
                twice = outcome.fate is Fate.IMPORTED and outcome.sha256 in seen
                seen.add(outcome.sha256)
                self.tally.add(replace(outcome, fate=Fate.THERE) if twice else outcome)
                progress.show(len(self.tally))
        self._compare_limit(self.tally.count(Fate.IMPORTED), self.tally.bytes)

    def _compare_limit(self, photos: int, size: int) -> None:
        limit = read_limit(self._taker.owner, table=self._stores.table)
        if photos > limit.photos_left or (limit.bytes_left is not None and size > limit.bytes_left):
            left = shown_photos(limit.photos_left)
            left += "" if limit.bytes_left is None else f", {shown_size(limit.bytes_left)}"
            self.too_few = (
                f"{self._taker.owner} may upload {left} more: "
                f"`sparks user limit {self._taker.owner}` sets another limit"
            )

    def take_in(self, *, wait: bool, watch: bool) -> None:
        """Returns when all is stored and, if they are to be waited for, when all photos are finished."""
        with crew(self._settings, self._stores) if wait else nullcontext() as hands:
            is_through = self._take(self._find(), hands)
            if watch:
                self._watch(hands)
            if hands is not None and is_through:
                hands.settle()

    def _find(self) -> list[Candidate]:
        """All candidates. What is none is told once, however often we look."""
        candidates: list[Candidate] = []
        for found in walk(self._paths, avoid=self._settings.data):
            for each in (found,) if isinstance(found, Outcome) else candidates_in(found):
                if isinstance(each, Candidate):
                    candidates.append(each)
                elif each.path not in self._told:
                    self._told.add(each.path)
                    self.tally.add(each)
        return candidates

    def _take(self, candidates: Sequence[Candidate], hands: Crew | None) -> bool:
        """Whether the photos that were taken in can be finished."""
        self._known |= {each.path: _signature(each.path) for each in candidates}
        before = len(self.tally)
        intake = Intake(self._taker, self.tally, jobs=self._stores.jobs, crew=hands)
        with Progress(len(candidates), noun="files") as progress:
            intake.run(candidates, show=lambda: progress.show(len(self.tally) - before, note=self._note()))
        if isinstance(intake.in_the_way, UploadLimitReached):
            self._compare_limit(1, 0)
        return not isinstance(intake.in_the_way, StorageFull | Unavailable)

    def _note(self) -> str:
        failed = self.tally.count(Fate.FAILED)
        return f"{failed:,} failed" if failed else ""

    def _watch(self, hands: Crew | None) -> None:
        """Until it is interrupted. A file is taken in when it has not changed between two looks."""
        self._tell("watching for more: Ctrl-C ends it")
        growing: dict[Path, Signature | None] = {}
        took = 0.0
        while True:
            time.sleep(max(LOOK_EVERY, REST * took))
            began = time.monotonic()
            signatures = {each: _signature(each.path) for each in self._find()}
            took = time.monotonic() - began
            fresh = {each: mark for each, mark in signatures.items() if mark != self._known.get(each.path)}
            steady = [each for each, mark in fresh.items() if growing.get(each.path) == mark]
            growing = {each.path: mark for each, mark in fresh.items()}
            if steady:
                before = len(self.tally)
                self._take(steady, hands)
                for line in self.tally.lines[before:]:
                    self._tell(str(line))


def _signature(path: Path) -> Signature | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns

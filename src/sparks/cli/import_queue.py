"""Parallel import of files, throttled by unfinished photos, with its report."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sparks.cli.local_workers import POLL_SECONDS, AwaitedPhotos, LocalWorkers
from sparks.cli.quantities import format_size
from sparks.jobs.port import Jobs
from sparks.journey import Journey
from sparks.model.errors import SparksError, StorageFull, Unavailable, UploadLimitReached
from sparks.model.events import Uploaded
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.uploads.folder_import.candidates import ImportCandidate
from sparks.uploads.folder_import.import_file import FileImporter
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus

STATUS_TEXT: Final = {
    ImportStatus.SKIPPED: "skipped",
    ImportStatus.THERE: "there already",
    ImportStatus.FAILED: "failed",
    ImportStatus.IMPORTED: "imported",
}
CONTROL_CHARACTER: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
THREADS: Final = 4  # they wait for disks more than they compute
MAX_UNFINISHED: Final = 300  # stored photos: with more, `resend_lost` would take waiting photos for lost ones
STALL_SECONDS: Final = 15.0  # without a finished photo: then a full disk keeps the workers from finishing any
NOT_FINISHED: Final = "it is stored, but was not finished: `sparks jobs list` may tell why"


@dataclass(frozen=True, slots=True)
class ReportLine:
    path: str
    status: ImportStatus
    reason: str | None
    image_id: str | None

    def __str__(self) -> str:
        return f"{STATUS_TEXT[self.status]}: {self.path}" + ("" if self.reason is None else f": {self.reason}")


class ImportReport:
    def __init__(self) -> None:
        self.lines: list[ReportLine] = []
        self.bytes = 0
        self.unfinished = 0  # photos that are stored, and that the import stopped waiting for
        self._counts: Counter[ImportStatus] = Counter()

    def add(self, result: ImportResult) -> None:
        image_id = None if result.photo is None else result.photo.image_id
        self.lines.append(ReportLine(printable(result.path), result.status, result.reason, image_id))
        self._counts[result.status] += 1
        if result.status is ImportStatus.IMPORTED:
            self.bytes += result.size

    def __len__(self) -> int:
        return len(self.lines)

    def count(self, status: ImportStatus) -> int:
        return self._counts[status]

    @property
    def has_failures(self) -> bool:
        return self.count(ImportStatus.FAILED) > 0

    def summary(self, *, verb: str = "imported") -> str:
        imported, there, skipped, failed = (self.count(status) for status in ImportStatus)
        files = f"{imported:,} file{'' if imported == 1 else 's'} ({format_size(self.bytes)})"
        others = f"{there:,} there already, {skipped:,} skipped, {failed:,} failed"
        unfinished = f", {self.unfinished:,} stored and not finished yet" if self.unfinished else ""
        return f"{verb} {files}; {others}{unfinished}"

    def not_imported(self) -> Iterator[str]:
        """A line with the reason for every file that was not imported, failed ones last."""
        for status in (ImportStatus.SKIPPED, ImportStatus.THERE, ImportStatus.FAILED):
            lines = (line for line in self.lines if line.status is status)
            yield from map(str, sorted(lines, key=lambda line: line.path))

    def as_json(self) -> dict[str, Any]:
        files: dict[str, list[dict[str, str]]] = {status.value: [] for status in ImportStatus}
        for line in sorted(self.lines, key=lambda line: line.path):
            fields = {"path": line.path, "imageId": line.image_id, "reason": line.reason}
            files[line.status].append({name: value for name, value in fields.items() if value is not None})
        counts = {status.value: self.count(status) for status in ImportStatus}
        return {"counts": counts, "bytes": self.bytes, "files": files}


def printable(path: Path) -> str:
    """The path as one line of text, whatever bytes its name has."""
    text = str(path).encode(errors="surrogateescape").decode(errors="replace")
    return CONTROL_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)


class ImportQueue:
    """Without workers, photos are queued and not waited for."""

    def __init__(
        self, importer: FileImporter, report: ImportReport, *, jobs: Jobs, workers: LocalWorkers | None
    ) -> None:
        self._importer = importer
        self._report = report
        self._jobs = jobs
        self._journey = Journey()
        self._awaited = None if workers is None else AwaitedPhotos(workers)
        self._stored: dict[str, ImportResult] = {}
        self._polled_at = 0.0
        self.blocking_error: SparksError | None = None  # after which no other file is tried

    def run(self, candidates: Iterable[ImportCandidate], *, show: Callable[[], None]) -> None:
        """Returns when all of them are in the report. Calls `show` often, for a progress bar."""
        waiting = iter(candidates)
        running: set[Future[ImportResult]] = set()
        with ThreadPoolExecutor(THREADS, thread_name_prefix="importer") as threads:
            try:
                while (running := running | self._submit_next(waiting, threads, running=len(running))) or self._waits:
                    done, running = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                    for future in done:
                        self._add_result(future.result())
                    self._poll(pause=not running)
                    show()
                self._give_up()
            finally:
                threads.shutdown(cancel_futures=True)
                self._report.unfinished += len(self._stored)

    @property
    def _waits(self) -> bool:
        """Whether stored photos can still be finished. A full disk stops the workers too."""
        if self._awaited is None or not self._stored:
            return False
        is_blocked = isinstance(self.blocking_error, StorageFull | Unavailable)
        return not is_blocked or self._awaited.seconds_since_progress < STALL_SECONDS

    def _give_up(self) -> None:
        for result in self._stored.values():
            self._report.add(replace(result, status=ImportStatus.FAILED, reason=NOT_FINISHED))
        self._stored.clear()

    def _submit_next(
        self, waiting: Iterator[ImportCandidate], threads: ThreadPoolExecutor, *, running: int
    ) -> set[Future[ImportResult]]:
        count = min(2 * THREADS - running, MAX_UNFINISHED - len(self._stored))
        return {threads.submit(self._import, candidate) for candidate in islice(waiting, max(count, 0))}

    def _import(self, candidate: ImportCandidate) -> ImportResult:
        if self.blocking_error is not None:
            return ImportResult(candidate.path, ImportStatus.FAILED, not_tried(self.blocking_error))
        try:
            result = self._importer.import_file(candidate)
            if result.follows is not None:
                self._journey.send_after(result.follows, jobs=self._jobs)
        except SparksError as error:
            if stops_import(error):
                self.blocking_error = error
            return ImportResult(candidate.path, ImportStatus.FAILED, str(error))
        return result

    def _add_result(self, result: ImportResult) -> None:
        """Two files may have the same bytes: their photo is waited for once."""
        photo = result.photo if self._awaited is not None else None
        if photo is None or photo.state is not PhotoState.PENDING or photo.image_id in self._stored:
            self._report.add(result)
        elif self._awaited is not None:
            self._stored[photo.image_id] = result
            self._awaited.add(Uploaded(photo.image_id, photo.owner))

    def _poll(self, *, pause: bool) -> None:
        """Checks the awaited photos, at most every POLL_SECONDS. `pause`: sleeps first, as no file is being read."""
        if self._awaited is None or not self._stored:
            return
        if pause:
            time.sleep(POLL_SECONDS)
        if time.monotonic() - self._polled_at >= POLL_SECONDS:
            self._polled_at = time.monotonic()
            for event, photo in self._awaited.poll():
                self._report.add(final_result(self._stored.pop(event.image_id), photo))


def final_result(result: ImportResult, photo: Photo | None) -> ImportResult:
    """The result of a file once the pipeline has finished its photo. None: the photo was deleted meanwhile."""
    if result.status is ImportStatus.IMPORTED and photo is not None:
        if photo.processing_status is ProcessingStatus.FAILED:
            return replace(
                result,
                status=ImportStatus.FAILED,
                reason=f"it is stored, but cannot be shown: {photo.processing_error}",
            )
        if photo.state is PhotoState.PENDING:
            return replace(result, status=ImportStatus.FAILED, reason=NOT_FINISHED)
    return result


def not_tried(error: SparksError) -> str:
    reason = "the limit is used up" if isinstance(error, UploadLimitReached) else str(error)
    return f"it was not tried: {reason}"


def stops_import(error: SparksError) -> bool:
    """Whether all other files would fail for the same reason."""
    return isinstance(error, StorageFull | Unavailable) or (
        isinstance(error, UploadLimitReached) and error.photos_left == 0
    )

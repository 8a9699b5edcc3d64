"""One run of `sparks import`: find files, import them, watch folders."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Final

from sparks.cli.import_queue import THREADS, ImportQueue, ImportReport
from sparks.cli.local_workers import LocalWorkers, local_workers
from sparks.cli.options import print_line
from sparks.cli.progress_bar import ProgressBar
from sparks.cli.quantities import format_photos, format_size
from sparks.journey import Stores
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import StorageFull, Unavailable, UploadLimitReached
from sparks.settings import Settings
from sparks.uploads.folder_import.candidates import ImportCandidate, candidates_in
from sparks.uploads.folder_import.folder_walk import walk
from sparks.uploads.folder_import.import_file import FileImporter
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus

WATCH_SECONDS: Final = 1.0  # between two scans of the watched folders
WATCH_REST: Final = 10  # times as long as the last scan took: large folders are scanned less often

Signature = tuple[int, int]


class ImportRun:
    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        importer: FileImporter,
        paths: Sequence[Path],
        *,
        print_message: Callable[[str], None] = print_line,
    ) -> None:
        """`print_message` gets a line for each file that is added while folders are watched."""
        self.report = ImportReport()
        self.limit_note = ""
        self._settings = settings
        self._stores = stores
        self._importer = importer
        self._paths = paths
        self._print_message = print_message
        self._reported: set[Path] = set()
        self._signatures: dict[Path, Signature | None] = {}

    def preview(self) -> None:
        """Counts what `import_files` would do."""
        candidates = self._find()
        seen: set[str | None] = set()
        with ProgressBar(len(candidates), noun="files") as progress, ThreadPoolExecutor(THREADS) as threads:
            for result in threads.map(self._importer.preview, candidates):
                is_repeated = result.status is ImportStatus.IMPORTED and result.sha256 in seen
                seen.add(result.sha256)
                self.report.add(replace(result, status=ImportStatus.THERE) if is_repeated else result)
                progress.show(len(self.report))
        self._check_limit(self.report.count(ImportStatus.IMPORTED), self.report.bytes)

    def _check_limit(self, photos: int, size: int) -> None:
        limit = read_limit(self._importer.owner, table=self._stores.table)
        if photos > limit.photos_left or (limit.bytes_left is not None and size > limit.bytes_left):
            left = format_photos(limit.photos_left)
            left += "" if limit.bytes_left is None else f", {format_size(limit.bytes_left)}"
            self.limit_note = (
                f"{self._importer.owner} may upload {left} more: "
                f"`sparks user limit {self._importer.owner}` sets another limit"
            )

    def import_files(self, *, wait: bool, watch: bool) -> None:
        """Returns when all files are stored and, with `wait`, when all photos are finished."""
        with local_workers(self._settings, self._stores) if wait else nullcontext() as workers:
            can_finish = self._import(self._find(), workers)
            if watch:
                self._watch(workers)
            if workers is not None and can_finish:
                workers.wait_until_idle()

    def _find(self) -> list[ImportCandidate]:
        """All candidates. Other files are reported once, however often the folders are scanned."""
        candidates: list[ImportCandidate] = []
        for found in walk(self._paths, avoid=self._settings.data):
            for each in (found,) if isinstance(found, ImportResult) else candidates_in(found):
                if isinstance(each, ImportCandidate):
                    candidates.append(each)
                elif each.path not in self._reported:
                    self._reported.add(each.path)
                    self.report.add(each)
        return candidates

    def _import(self, candidates: Sequence[ImportCandidate], workers: LocalWorkers | None) -> bool:
        """Whether the imported photos can be finished."""
        self._signatures |= {each.path: _signature(each.path) for each in candidates}
        before = len(self.report)
        queue = ImportQueue(self._importer, self.report, jobs=self._stores.jobs, workers=workers)
        with ProgressBar(len(candidates), noun="files") as progress:
            queue.run(candidates, show=lambda: progress.show(len(self.report) - before, note=self._failures()))
        if isinstance(queue.blocking_error, UploadLimitReached):
            self._check_limit(1, 0)
        return not isinstance(queue.blocking_error, StorageFull | Unavailable)

    def _failures(self) -> str:
        failed = self.report.count(ImportStatus.FAILED)
        return f"{failed:,} failed" if failed else ""

    def _watch(self, workers: LocalWorkers | None) -> None:
        """Runs until it is interrupted. A file is imported once it has not changed between two scans."""
        self._print_message("watching for more: Ctrl-C ends it")
        growing: dict[Path, Signature | None] = {}
        scan_seconds = 0.0
        while True:
            time.sleep(max(WATCH_SECONDS, WATCH_REST * scan_seconds))
            began = time.monotonic()
            found = {each: _signature(each.path) for each in self._find()}
            scan_seconds = time.monotonic() - began
            fresh = {each: mark for each, mark in found.items() if mark != self._signatures.get(each.path)}
            steady = [each for each, mark in fresh.items() if growing.get(each.path) == mark]
            growing = {each.path: mark for each, mark in fresh.items()}
            if steady:
                before = len(self.report)
                self._import(steady, workers)
                for line in self.report.lines[before:]:
                    self._print_message(str(line))


def _signature(path: Path) -> Signature | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns

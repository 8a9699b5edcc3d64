"""One run of `sparks export`, with its progress and result."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparks.cli.options import EXIT_INTERRUPTED, print_json, print_line
from sparks.cli.progress_bar import ProgressBar, format_duration
from sparks.cli.quantities import format_photos, format_size
from sparks.journey import Stores
from sparks.model.errors import BadInput
from sparks.model.photo import Photo
from sparks.takeout.export.export_files import make_folder, writable
from sparks.takeout.export.exporter import Exporter, ExportResult, ExportStatus
from sparks.takeout.export.manifest import Manifest
from sparks.takeout.export.verify_export import ExportDifference, ExportVerifier


class _ExportReport:
    def __init__(self) -> None:
        self.counts: Counter[ExportStatus] = Counter()
        self.bytes = 0
        self.failed: list[ExportResult] = []

    def add(self, result: ExportResult) -> None:
        self.counts[result.status] += 1
        if result.status is ExportStatus.WRITTEN:
            self.bytes += result.size
        if result.status is ExportStatus.FAILED:
            self.failed.append(result)

    def as_json(self) -> dict[str, Any]:
        failed = [{"imageId": each.image_id, "reason": each.reason} for each in self.failed]
        return {
            "counts": {status.value: self.counts[status] for status in ExportStatus},
            "bytes": self.bytes,
            "failed": failed,
        }

    def summary(self) -> str:
        written, updated, there, failed = (self.counts[status] for status in ExportStatus)
        others = f"{updated:,} with other sidecars, {there:,} there already, {failed:,} failed"
        return f"exported {format_photos(written)} ({format_size(self.bytes)}); {others}"


def write_export(folder: Path, photos: Iterable[Photo], stores: Stores, *, as_json: bool) -> int:
    """Returns the exit code: 1 where a photo could not be written."""
    began, report, code = time.monotonic(), _ExportReport(), 0
    with writable(folder):
        make_folder(folder)
    try:
        with Manifest(folder) as manifest, ProgressBar(0, noun="photos") as progress:
            exporter = Exporter(folder, manifest, table=stores.table, blobs=stores.blobs)
            for result in exporter.export(photos):
                report.add(result)
                progress.show(report.counts.total(), of=report.counts.total())
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    seconds = time.monotonic() - began
    if as_json:
        print_json({**report.as_json(), "seconds": round(seconds, 1)})
    else:
        for each in report.failed:
            print_line(f"failed: {each.image_id}: {each.reason}")
        interrupted = "interrupted (run it again to continue): " if code else ""
        print_line(f"{interrupted}{report.summary()}, in {format_duration(seconds)}")
    return code or int(bool(report.failed))


def verify_export(folder: Path, photos: Iterable[Photo], stores: Stores, *, all_of_them: bool, as_json: bool) -> int:
    """Returns the exit code: 1 where something differs from the library."""
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}")
    files, differing = 0, list[ExportDifference]()
    with Manifest(folder, write=False) as manifest, ProgressBar(0, noun="files") as progress:
        for finding in ExportVerifier(folder, manifest, table=stores.table).verify(photos, all_of_them=all_of_them):
            files += 1
            differing += [finding] if finding.difference is not None else []
            progress.show(files, of=files)
    faults = sum(each.difference is not None and each.difference.is_fault for each in differing)
    if as_json:
        print_json({"files": files, "faults": faults, "differences": list(map(_as_json, differing))})
    else:
        for each in differing:
            print_line(f"{each.difference}: {each.path or each.image_id}")
        print_line(f"compared {files:,} files: {faults:,} differ from the library")
    return int(bool(faults))


def _as_json(finding: ExportDifference) -> dict[str, Any]:
    where = {} if finding.path is None else {"path": finding.path}
    return {"difference": finding.difference, "imageId": finding.image_id, **where}

"""One run of `sparks export`: written or read back, with its progress and what it came to."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparks.cli.amounts import shown_photos, shown_size
from sparks.cli.import_ import INTERRUPTED
from sparks.cli.options import print_json, say
from sparks.cli.progress import Progress, shown_duration
from sparks.journey import Stores
from sparks.model.errors import BadInput
from sparks.model.photo import Photo
from sparks.sharing.export.exporting import Exporter, Fate, Outcome
from sparks.sharing.export.manifest import Manifest
from sparks.sharing.export.verifying import Finding, Verifier
from sparks.sharing.export.writing import make_folder, writable


class _Tally:
    def __init__(self) -> None:
        self.counts: Counter[Fate] = Counter()
        self.bytes = 0
        self.failed: list[Outcome] = []

    def add(self, outcome: Outcome) -> None:
        self.counts[outcome.fate] += 1
        if outcome.fate is Fate.WRITTEN:
            self.bytes += outcome.size
        if outcome.fate is Fate.FAILED:
            self.failed.append(outcome)

    def as_json(self) -> dict[str, Any]:
        failed = [{"imageId": each.image_id, "reason": each.reason} for each in self.failed]
        return {"counts": {fate.value: self.counts[fate] for fate in Fate}, "bytes": self.bytes, "failed": failed}

    def in_words(self) -> str:
        written, updated, there, failed = (self.counts[fate] for fate in Fate)
        others = f"{updated:,} with other sidecars, {there:,} there already, {failed:,} failed"
        return f"exported {shown_photos(written)} ({shown_size(self.bytes)}); {others}"


def write_export(folder: Path, photos: Iterable[Photo], stores: Stores, *, as_json: bool) -> int:
    """The exit code: 1 where photos could not be written."""
    began, tally, code = time.monotonic(), _Tally(), 0
    with writable(folder):
        make_folder(folder)
    try:
        with Manifest(folder) as manifest, Progress(0, noun="photos") as progress:
            exporter = Exporter(folder, manifest, table=stores.table, blobs=stores.blobs)
            for outcome in exporter.export(photos):
                tally.add(outcome)
                progress.show(tally.counts.total(), of=tally.counts.total())
    except KeyboardInterrupt:
        code = INTERRUPTED
    seconds = time.monotonic() - began
    if as_json:
        print_json({**tally.as_json(), "seconds": round(seconds, 1)})
    else:
        for each in tally.failed:
            say(f"failed: {each.image_id}: {each.reason}")
        interrupted = "interrupted (run it again to go on): " if code else ""
        say(f"{interrupted}{tally.in_words()}, in {shown_duration(seconds)}")
    return code or int(bool(tally.failed))


def verify_export(folder: Path, photos: Iterable[Photo], stores: Stores, *, all_of_them: bool, as_json: bool) -> int:
    """The exit code: 1 where something differs from the library."""
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}")
    files, differing = 0, list[Finding]()
    with Manifest(folder, write=False) as manifest, Progress(0, noun="files") as progress:
        for finding in Verifier(folder, manifest, table=stores.table).verify(photos, all_of_them=all_of_them):
            files += 1
            differing += [finding] if finding.difference is not None else []
            progress.show(files, of=files)
    faults = sum(each.difference is not None and each.difference.is_fault for each in differing)
    if as_json:
        print_json({"files": files, "faults": faults, "differences": list(map(_as_json, differing))})
    else:
        for each in differing:
            say(f"{each.difference}: {each.path or each.image_id}")
        say(f"compared {files:,} files: {faults:,} differ from the library")
    return int(bool(faults))


def _as_json(finding: Finding) -> dict[str, Any]:
    where = {} if finding.path is None else {"path": finding.path}
    return {"difference": finding.difference, "imageId": finding.image_id, **where}

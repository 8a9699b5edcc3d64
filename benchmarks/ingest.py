"""`sparks import` of 1,000 photos from a folder, end to end, against making their renditions and nothing else: without
faces, which the peer does not look for, and then with them.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple, Self

from benchmarks.frame import Figure, run
from sparks.media import file_types
from sparks.media.metadata.read_metadata import read_metadata
from sparks.media.preload import preload
from sparks.media.renditions import render
from tests.media.samples import FOLDER

PHOTOS: Final = int(os.environ.get("BENCHMARK_PHOTOS") or 1000)
BARE: Final = 60  # photos that each core makes renditions of, before the import and after it
CORES: Final = len(os.sched_getaffinity(0))
OWNER: Final = "ann@example.com"


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        paths = make_photos(source, PHOTOS)
        before = bare_rate(paths)
        plain = measure_import(source, Path(place) / "plain", faces=False)
        bare = mean((before, bare_rate(paths)))
        whole = measure_import(source, Path(place) / "whole", faces=True)
    return [
        Figure("import_vs_bare", plain.rate / bare, "photos a second / bare renditions a second, all cores", ">= 0.8"),
        Figure("rss_mb", plain.megabytes, "most memory of all its processes together, MB", "< 600"),
        Figure("photos_per_s", plain.rate, "photos a second, imported and finished"),
        Figure("cpu_ms", plain.cpu_ms, "CPU of a photo, imported and finished, milliseconds"),
        Figure("bare_per_s", bare, f"photos a second, renditions and metadata alone, on {CORES} cores"),
        Figure("with_faces_per_s", whole.rate, "photos a second, imported, and their faces found and grouped"),
        Figure("with_faces_cpu_ms", whole.cpu_ms, "CPU of such a photo, milliseconds"),
        Figure("with_faces_rss_mb", whole.megabytes, "most memory of all processes together then, MB"),
    ]


class Import(NamedTuple):
    """Photos a second, CPU a photo, and the most memory."""

    rate: float
    cpu_ms: float
    megabytes: float


def measure_import(source: Path, data: Path, *, faces: bool) -> Import:
    sparks(data, "user", "add", OWNER, "--no-password", "--limit", str(PHOTOS)).communicate()
    began, used = time.perf_counter(), cpu_of_children()
    process = sparks(data, "import", "--json", str(source), SPARKS_FACES=str(faces).lower())
    with Watch(process.pid) as watch:
        said, _ = process.communicate()
    seconds, cpu = time.perf_counter() - began, cpu_of_children() - used
    assert json.loads(said)["counts"]["imported"] == PHOTOS, said[-2000:]
    return Import(PHOTOS / seconds, cpu / PHOTOS * 1000, watch.most / 10**6)


def make_photos(folder: Path, number: int) -> list[Path]:
    """Copies of the 12-megapixel samples, each with a comment of its own."""
    folder.mkdir()
    samples = [path.read_bytes() for path in sorted((FOLDER / "camera").glob("*.jpg"))]
    paths = [folder / f"IMG_{at:05}.jpg" for at in range(number)]
    for at, path in enumerate(paths):
        sample, comment = samples[at % len(samples)], f"photo {at}".encode()
        path.write_bytes(sample[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2) + comment + sample[2:])
    return paths


def sparks(data: Path, *arguments: str, **settings: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sparks", "--data", str(data), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings})


def cpu_of_children() -> float:
    """Of those that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bare_rate(paths: Sequence[Path]) -> float:
    """All cores at once, each in a process that does nothing else."""
    with ProcessPoolExecutor(CORES, mp_context=get_context("spawn"), initializer=prepare) as processes:
        list(processes.map(render_all, [paths[:2]] * CORES))
        shares = [paths[core * BARE : (core + 1) * BARE] or paths for core in range(CORES)]
        began = time.perf_counter()
        list(processes.map(render_all, shares))
        return sum(map(len, shares)) / (time.perf_counter() - began)


def prepare() -> None:
    os.environ["VIPS_CONCURRENCY"] = "1"
    preload()


def render_all(paths: Sequence[Path]) -> None:
    for path in paths:
        content = path.read_bytes()
        read_metadata(content, file_types.JPEG)
        render(content, file_types.JPEG)


class Watch:
    """The most memory that a process and all its descendants had together, looked at four times a second."""

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.25):
            self.most = max(self.most, sum(map(resident, family(self._pid))))


def family(pid: int) -> list[int]:
    try:
        told = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:  # it has ended
        return []
    return [pid, *(each for children in told for child in children.split() for each in family(int(child)))]


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


if __name__ == "__main__":
    run("ingest", measure)

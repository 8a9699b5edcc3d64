"""Persons and selfie matches in labelled photos that were imported as usual; and speed, compared with dlib."""

import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

from benchmarks.arriving import arrived
from benchmarks.dlib_speed import speed_figures
from benchmarks.frame import Figure, run
from benchmarks.labelled import Labelled, import_labelled, read_labelled, sparks
from benchmarks.people_scores import PEERS_AT, Score, bcubed, best, dbscan, whispers
from benchmarks.selfies import Selfies

ORDERS: Final = int(os.environ.get("BENCHMARK_ORDERS") or 20)
CORES: Final = len(os.sched_getaffinity(0))


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-") as place:
        data = Path(place) / "data"
        seconds = import_labelled(data)
        found = read_labelled(data)
        sparks(data, "faces", "rebuild", "--full")
        rebuilt = read_labelled(data)
    full = bcubed(rebuilt.persons, rebuilt.labels)
    return [
        *people_figures(found, full),
        Figure("import_s", seconds, f"{found.photos} photos imported, until their persons were there, s"),
        *peer_figures(found),
        *order_figures(found, full),
        *selfie_figures(found),
        *speed_figures(),
    ]


def people_figures(found: Labelled, full: Score) -> Iterable[Figure]:
    score = bcubed(found.persons, found.labels)
    of = f"of {len(found.labels)} labelled faces among {len(found.faces)}"
    yield Figure("bcubed_f", score.f, f"BCubed F {of}, as the import left them", ">= 0.985")
    yield Figure("bcubed_precision", score.precision, "BCubed precision", ">= 0.995")
    yield Figure("bcubed_recall", score.recall, "BCubed recall")
    yield Figure("rebuilt_f", full.f, "F after a full rebuild of that library")
    yield Figure("rebuilt_precision", full.precision, "its precision")
    yield Figure("photos_without_face", found.photos - len(found.labels), "labelled photos in which no face was found")


def peer_figures(found: Labelled) -> Iterable[Figure]:
    faces, labels = found.columns, found.labels
    for key, name, way in (("dbscan3", "DBSCAN, 3 faces,", dbscan), ("whispers", "Chinese Whispers", whispers)):
        yield Figure(f"{key}_f", bcubed(way(faces, PEERS_AT), labels).f, f"F of {name} at {PEERS_AT}", "< ours")
        yield Figure(f"{key}_best_f", best(way, faces, labels), "at the threshold that the labels like best")


def order_figures(found: Labelled, full: Score) -> Iterable[Figure]:
    """The real jobs, on a table in memory: see `arriving`."""
    work = partial(f_of_order, found)
    with ProcessPoolExecutor(CORES, mp_context=get_context("spawn")) as processes:
        scores = list(processes.map(work, range(ORDERS)))
    yield Figure("incremental_f_std", pstdev(scores), f"standard deviation of F, {ORDERS} orders of arrival", "< 0.005")
    yield Figure("incremental_vs_full", abs(full.f - fmean(scores)), "their mean F, apart from the full one", "<= 0.01")
    yield Figure("incremental_worst_f", min(scores), "the lowest F of an order")


def f_of_order(found: Labelled, seed: int) -> float:
    return bcubed(arrived(found.faces.values(), found.pipeline, seed=seed), found.labels).f


def selfie_figures(found: Labelled) -> Iterable[Figure]:
    selfies = Selfies(found.columns, found.labels)
    strict, strong = selfies.strict(), selfies.at(found.pipeline.strong)
    yield Figure("selfie_recall", strict.recall, "a person's other faces found, at one wrong face in 10,000")
    yield Figure("selfie_wrong", strict.wrong, f"wrong faces a selfie then, among {len(found.labels)}")
    yield Figure("selfie_threshold", strict.threshold, "the similarity at which that is")
    yield Figure(
        "selfie_strong_recall", strong.recall, f"found at the similarity that counts as sure, {strong.threshold:g}"
    )
    yield Figure("selfie_strong_wrong", strong.wrong, "wrong faces a selfie then")


if __name__ == "__main__":
    run("faces", measure)

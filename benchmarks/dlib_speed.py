"""Finding faces in the `large` renditions of photos, beside dlib: HOG with one upsampling, then its ResNet.

A helper of `benchmarks.faces`. dlib is no part of Sparks: it is fetched for the benchmark, and goes with it. Ours works
as a worker's does, in a sandboxed child; its CPU counts, and so does our own. Both decode the same files.
"""

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np
from PIL import Image

from benchmarks.frame import Figure
from benchmarks.renditions import tree_cpu_seconds
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.media import file_types
from sparks.media.renditions import render
from sparks.model.photo import Rendition
from tests.media.samples import FOLDER

FOLDERS: Final = (FOLDER.parent / "faces/groups", FOLDER / "camera")
PEER: Final = ("dlib-bin==20.*", "face_recognition_models==0.3.0")
MODELS: Final = "face_recognition_models/models"
UPSAMPLED: Final = 1
PASSES: Final = 3

Find = Callable[[Path], int]
"""Finds the faces of a photo, with an embedding of each, and tells how many there are."""


class Pass(NamedTuple):
    faces: int
    cpu: float


def speed_figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place, OpenCvEngine() as engine:
        photos = large_renditions(Path(place))
        find, find_with_dlib = finder_of(engine), fetched_dlib(Path(place))
        find(photos[0])  # makes the child
        ours, theirs = [], []
        for _ in range(PASSES):
            ours.append(one_pass(find, photos))
            theirs += [] if find_with_dlib is None else [one_pass(find_with_dlib, photos)]
    return [*own_figures(ours, len(photos)), *(compared(ours, theirs, len(photos)) if theirs else ())]


def large_renditions(folder: Path) -> list[Path]:
    originals = [path for each in FOLDERS for path in sorted(each.glob("*.jpg"))]
    for path in originals:
        made = render(path.read_bytes(), file_types.JPEG).renditions[Rendition.LARGE]
        (folder / f"{path.stem}.webp").write_bytes(made)
    return sorted(folder.glob("*.webp"))


def finder_of(engine: OpenCvEngine) -> Find:
    def find(path: Path) -> int:
        with path.open("rb") as file:
            return len(engine.find_faces(file.fileno()))

    return find


def one_pass(find: Find, photos: Sequence[Path]) -> Pass:
    found: list[int] = []
    cpu = tree_cpu_seconds(lambda: found.extend(map(find, photos)))
    return Pass(sum(found), cpu)


def own_figures(ours: Sequence[Pass], photos: int) -> list[Figure]:
    cpu = median(each.cpu for each in ours)
    what = f"`large` renditions looked at a core-second, of {photos} photos"
    return [
        Figure("photos_per_core_s", photos / cpu, what),
        Figure("faces_per_core_s", ours[0].faces / cpu, "faces found, embedded and cropped a core-second"),
    ]


def compared(ours: Sequence[Pass], theirs: Sequence[Pass], photos: int) -> list[Figure]:
    faster = median(their.cpu / our.cpu for our, their in zip(ours, theirs, strict=True))
    cpu = median(each.cpu for each in theirs)
    return [
        Figure("speed_vs_dlib", faster, "photos a core-second / dlib's", ">= 6"),
        Figure("dlib_photos_per_core_s", photos / cpu, "dlib's photos a core-second"),
        Figure("dlib_faces_per_core_s", theirs[0].faces / cpu, "dlib's faces a core-second"),
        Figure("faces_vs_dlib", ours[0].faces / theirs[0].faces, "faces found / dlib's"),
    ]


# -- dlib


def fetched_dlib(place: Path) -> Find | None:
    """None, and a word why, where it cannot be had."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place / "peer"), *PEER]
    fetching = subprocess.run(command, check=False, capture_output=True, text=True)
    if fetching.returncode:
        print(f"left out, as pip cannot fetch {' and '.join(PEER)}:\n{fetching.stderr[-500:]}", file=sys.stderr)
        return None
    return dlib_in(place / "peer")


def dlib_in(folder: Path) -> Find:
    sys.path.insert(0, str(folder))
    dlib: Any = importlib.import_module("dlib")
    detect = dlib.get_frontal_face_detector()
    align = dlib.shape_predictor(str(folder / MODELS / "shape_predictor_5_face_landmarks.dat"))
    embed = dlib.face_recognition_model_v1(str(folder / MODELS / "dlib_face_recognition_resnet_model_v1.dat"))

    def find(path: Path) -> int:
        picture = np.asarray(Image.open(path).convert("RGB"))
        boxes = detect(picture, UPSAMPLED)
        return len([embed.compute_face_descriptor(picture, align(picture, box)) for box in boxes])

    return find

"""Looking at one picture: detect, align, mark, embed, crop; a face at a time.

1. The detector tells where faces are, and where eyes, nose and mouth are in each.
2. Each face is turned upright and made equally large by those landmarks.
3. What it then looks like gives its quality and its embedding; where it was gives its box and its crop.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from cv2.typing import MatLike

from sparks.faces.opencv.crop import crop_of
from sparks.faces.opencv.detector import Detector
from sparks.faces.opencv.orders import Four, Look
from sparks.faces.opencv.quality import quality_of
from sparks.faces.opencv.recogniser import Recogniser
from sparks.faces.opencv.sightings import SAME, SCORE, Sighting, guess, overlaps
from sparks.faces.opencv.weights import Weights, read_weights


@dataclass(frozen=True, slots=True)
class Looked:
    look: Look
    crop: bytes


@dataclass(frozen=True, slots=True)
class Networks:
    detector: Detector
    recogniser: Recogniser


@cache
def weights() -> Weights:
    """Read once, and before a jail closes: there are no files in it."""
    return read_weights()


@cache
def networks() -> Networks:
    """[Note: after the fork] They are made where they are used: a network may have threads, and no fork takes those."""
    return Networks(Detector(weights().detector), Recogniser(weights().recogniser))


def find_all(picture: MatLike) -> Iterator[Looked]:
    for seen in networks().detector.detect(picture):
        yield _look(picture, seen)


def look_in(picture: MatLike, box: Four) -> Looked:
    """What the detector sees there, if need be with much good will; else what is in the box, as if it were a face."""
    height, width = picture.shape[:2]
    asked = guess(box[0] * width, box[1] * height, box[2] * width, box[3] * height)
    near = networks().detector.detect_near(picture, *map(float, asked[:4]))
    same = overlaps(asked, near)
    best = near[np.argmax(same)] if len(near) and same.max() > SAME else asked
    looked = _look(picture, best)
    return Looked(
        Look(box=box, score=looked.look.score, quality=looked.look.quality, embedding=looked.look.embedding),
        crop_of(picture, asked),
    )


def _look(picture: MatLike, seen: Sighting) -> Looked:
    aligned = networks().recogniser.align(picture, seen)
    look = Look(
        box=_share(seen, picture),
        score=min(max(float(seen[SCORE]), 0.0), 1.0),
        quality=quality_of(seen, aligned),
        embedding=networks().recogniser.embed(aligned),
    )
    return Looked(look, crop_of(picture, seen))


def _share(seen: Sighting, picture: MatLike) -> Four:
    height, width = picture.shape[:2]
    left, top, wide, high = map(float, seen[:4])
    return left / width, top / height, wide / width, high / height

"""Analyzes one picture: detect, align, rate, embed and crop each face.

1. The detector finds faces with the landmarks of eyes, nose and mouth.
2. Each face is rotated upright and scaled to a fixed size by its landmarks.
3. Quality and embedding come from the aligned face, box and crop from its position.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from sparks.faces.opencv.detector import SAME_OVERLAP, SCORE, Detection, Detector, guess, overlaps
from sparks.faces.opencv.engine_messages import BoxSides, FaceReply
from sparks.faces.opencv.quality import quality_of
from sparks.faces.opencv.weights import Weights, read_weights

SIDE: Final = 256
CROP_FACTOR: Final = 1.6  # times the longer side of the face's box
QUALITY: Final = 85
_NO_CONFIGURATION: Final[NDArray[np.uint8]] = np.zeros(0, np.uint8)


def crop_of(picture: MatLike, detection: Detection) -> bytes:
    """A square JPEG of the face, never enlarged. At an edge the square is moved into the picture."""
    height, width = picture.shape[:2]
    side = int(min(max(round(float(max(detection[2], detection[3])) * CROP_FACTOR), 1), height, width))
    left = _start(float(detection[0] + detection[2] / 2), side, width)
    top = _start(float(detection[1] + detection[3] / 2), side, height)
    square: MatLike = picture[top : top + side, left : left + side]
    if side > SIDE:
        square = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    _, encoded = cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(np.asarray(encoded).tobytes())


def _start(middle: float, side: int, length: int) -> int:
    return min(max(round(middle - side / 2), 0), length - side)


class Recognizer:
    def __init__(self, weights: bytes) -> None:
        self._net = cv2.FaceRecognizerSF.create("onnx", np.frombuffer(weights, np.uint8), _NO_CONFIGURATION)

    def align(self, picture: MatLike, detection: Detection) -> MatLike:
        """The face as 112 pixels square, upright, with eyes and mouth at fixed positions."""
        return self._net.alignCrop(picture, detection)

    def embed(self, aligned: MatLike) -> bytes:
        """The embedding as float16: half the bytes of float32, and similarities change by less than 0.001."""
        vector = np.asarray(self._net.feature(aligned), np.float64).ravel()
        return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype("<f2").tobytes()


@dataclass(frozen=True, slots=True)
class AnalyzedFace:
    reply: FaceReply
    crop: bytes


@dataclass(frozen=True, slots=True)
class FaceModels:
    detector: Detector
    recognizer: Recognizer


@cache
def weights() -> Weights:
    """The weights, read once and before the lockdown, which denies files."""
    return read_weights()


@cache
def face_models() -> FaceModels:
    """The models, created in the child: a network may start threads, which a fork does not copy."""
    return FaceModels(Detector(weights().detector), Recognizer(weights().recognizer))


def analyze_picture(picture: MatLike) -> Iterator[AnalyzedFace]:
    for detection in face_models().detector.detect(picture):
        yield _reply(picture, detection)


def analyze_box(picture: MatLike, box: BoxSides) -> AnalyzedFace:
    """The face that the detector finds in the box with a low threshold; else the box itself, taken as a face."""
    height, width = picture.shape[:2]
    drawn = guess(box[0] * width, box[1] * height, box[2] * width, box[3] * height)
    nearby = face_models().detector.detect_near(picture, *map(float, drawn[:4]))
    same = overlaps(drawn, nearby)
    best = nearby[np.argmax(same)] if len(nearby) and same.max() > SAME_OVERLAP else drawn
    analyzed = _reply(picture, best)
    return AnalyzedFace(
        FaceReply(
            box=box, score=analyzed.reply.score, quality=analyzed.reply.quality, embedding=analyzed.reply.embedding
        ),
        crop_of(picture, drawn),
    )


def _reply(picture: MatLike, detection: Detection) -> AnalyzedFace:
    aligned = face_models().recognizer.align(picture, detection)
    reply = FaceReply(
        box=_box_of(detection, picture),
        score=min(max(float(detection[SCORE]), 0.0), 1.0),
        quality=quality_of(detection, aligned),
        embedding=face_models().recognizer.embed(aligned),
    )
    return AnalyzedFace(reply, crop_of(picture, detection))


def _box_of(detection: Detection, picture: MatLike) -> BoxSides:
    height, width = picture.shape[:2]
    left, top, wide, high = map(float, detection[:4])
    return left / width, top / height, wide / width, high / height

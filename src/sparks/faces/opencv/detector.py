"""YuNet detector: boxes, landmarks and scores at several scales, without duplicates.

The model finds faces of a limited range of sizes, so a picture is scaled to several sizes.

A detection is a row of fifteen numbers: left, top, width and height of the box; x and y of the right eye, the left eye,
the nose, and the right and left corner of the mouth (as the person says right and left); then the score. All but the
score are in pixels.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

Detections = NDArray[np.float32]
Detection = NDArray[np.float32]
Areas = NDArray[np.float32]

COLUMNS: Final = 15
SCORE: Final = 14
LANDMARKS: Final = slice(4, 14)
SAME_OVERLAP: Final = 0.3  # intersection over union from which two boxes are one face
CONTAINED_SHARE: Final = 0.7  # of the smaller box

NONE: Final[Detections] = np.zeros((0, COLUMNS), np.float32)

# Landmarks of a frontal face, as shares of its box.
_USUAL_SIDE: Final = np.array([[0.31, 0.43], [0.69, 0.43], [0.5, 0.61], [0.35, 0.78], [0.65, 0.78]])
USUAL_SIDE: Final = 640  # longest side of the scaled picture
LARGE_SIDE: Final = 1280  # for small faces
SMALL_SIDE: Final = 320  # for faces that fill the picture
MIN_SCORE: Final = 0.7  # lower scores are mostly other objects
MIN_SCORE_IN_BOX: Final = 0.3  # in a box that a user drew
MIN_FACE_SIDE: Final = 20  # pixels; smaller faces cannot be recognized
MAX_FACES: Final = 100
BOX_MARGIN: Final = 0.5  # of the box, on each side of it
_SAME_OVERLAP: Final = 0.3
_MAX_CANDIDATES: Final = 5000
_NO_CONFIGURATION: Final[NDArray[np.uint8]] = np.zeros(0, np.uint8)


def scaled(detections: Detections, factor: float) -> Detections:
    result = detections.copy()
    result[:, :SCORE] *= factor
    return result


def moved(detections: Detections, right: float, down: float) -> Detections:
    result = detections.copy()
    result[:, [0, *range(4, 14, 2)]] += right
    result[:, [1, *range(5, 14, 2)]] += down
    return result


def merged(detections: Detections) -> Detections:
    """Each face once, by its detection with the highest score; the highest first."""
    rest = detections[np.argsort(-detections[:, SCORE], kind="stable")]
    kept = []
    while len(rest):
        kept.append(rest[0])
        rest = rest[~_is_same(rest[0], rest)]
    return np.array(kept) if kept else NONE


def joined(detections: Detections, others: Detections) -> Detections:
    """The detections, and those of `others` that are another face."""
    new = [one for one in others if not _is_same(one, detections).any()]
    return np.concatenate([detections, np.array(new)]) if new else detections


def most_important(detections: Detections, count: int) -> Detections:
    """The `count` largest and surest detections, the best first."""
    weight = detections[:, SCORE] * np.sqrt(np.maximum(detections[:, 2] * detections[:, 3], 0))
    return detections[np.argsort(-weight, kind="stable")[:count]]


def guess(left: float, top: float, width: float, height: float) -> Detection:
    """A detection for a box that a user drew, with landmarks at their usual positions and a score of 0."""
    points = _USUAL_SIDE * (width, height) + (left, top)
    return np.array([left, top, width, height, *points.ravel(), 0.0], np.float32)


def overlaps(one: Detection, others: Detections) -> Areas:
    """Intersection over union with each of the others."""
    shared, own, theirs = _areas(one, others)
    return np.asarray(shared / np.maximum(own + theirs - shared, 1e-9))


def _is_same(one: Detection, others: Detections) -> NDArray[np.bool_]:
    shared, own, theirs = _areas(one, others)
    return (overlaps(one, others) > SAME_OVERLAP) | (shared > CONTAINED_SHARE * np.minimum(own, theirs))


def _areas(one: Detection, others: Detections) -> tuple[Areas, float, Areas]:
    """The areas shared with each, of the one, and of each."""
    low = np.maximum(one[:2], others[:, :2])
    high = np.minimum(one[:2] + one[2:4], others[:, :2] + others[:, 2:4])
    shared = np.prod(np.maximum(high - low, 0), axis=1)
    return shared, float(one[2] * one[3]), others[:, 2] * others[:, 3]


class Detector:
    def __init__(self, weights: bytes) -> None:
        model = np.frombuffer(weights, np.uint8)
        size = (USUAL_SIDE, USUAL_SIDE)
        self._net = cv2.FaceDetectorYN.create(
            "onnx", model, _NO_CONFIGURATION, size, MIN_SCORE, _SAME_OVERLAP, _MAX_CANDIDATES
        )

    def detect(self, picture: MatLike) -> Detections:
        """At most MAX_FACES detections in pixels of the picture, the largest and surest first."""
        self._net.setScoreThreshold(MIN_SCORE)
        detections = self._detect_scaled(picture, min(LARGE_SIDE, max(picture.shape[:2])))
        return most_important(detections[np.minimum(detections[:, 2], detections[:, 3]) >= MIN_FACE_SIDE], MAX_FACES)

    def detect_near(self, picture: MatLike, left: float, top: float, width: float, height: float) -> Detections:
        """Detections in a box and its margin, also with low scores."""
        rows, columns = _window(top, height, picture.shape[0]), _window(left, width, picture.shape[1])
        window = picture[rows, columns]
        if not window.size:
            return NONE
        self._net.setScoreThreshold(MIN_SCORE_IN_BOX)
        return moved(self._detect_scaled(window, USUAL_SIDE), columns.start, rows.start)

    def _detect_scaled(self, picture: MatLike, longest: int) -> Detections:
        """Detections at several sizes; those of the smallest size only add faces that the others lack.

        The smallest size gives equal scores but less exact eyes: 98.5 % instead of 99 % of the pairs of one person
        would be recognized.
        """
        sides = (longest, USUAL_SIDE, SMALL_SIDE) if longest > USUAL_SIDE else (USUAL_SIDE, SMALL_SIDE)
        *usual, small = self._detect_at_sizes(picture, sides)
        return joined(merged(np.concatenate(usual)), small)

    def _detect_at_sizes(self, picture: MatLike, sides: Sequence[int]) -> Iterator[Detections]:
        """Detections at each size; each size is scaled from the one before, which is much faster."""
        fitted = picture
        for side in sides:
            fitted = _fitted(fitted, side)
            yield scaled(self._detect(fitted), max(picture.shape[:2]) / side)

    def _detect(self, picture: MatLike) -> Detections:
        self._net.setInputSize((picture.shape[1], picture.shape[0]))
        detections: MatLike | None = self._net.detect(picture)[1]
        return NONE if detections is None else np.asarray(detections, np.float32).reshape(-1, COLUMNS)


def _fitted(picture: MatLike, side: int) -> MatLike:
    """The picture with `side` as its longest side.

    Area averaging takes five times as long as linear interpolation, and is better only for a large reduction.
    """
    height, width = picture.shape[:2]
    longest = max(height, width)
    if longest == side:
        return picture
    size = max(1, round(width * side / longest)), max(1, round(height * side / longest))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if 2 * side <= longest else cv2.INTER_LINEAR)


def _window(start: float, length: float, size: int) -> slice:
    low, high = start - BOX_MARGIN * length, start + (1 + BOX_MARGIN) * length
    return slice(min(max(int(low), 0), size), min(max(int(high) + 1, 0), size))

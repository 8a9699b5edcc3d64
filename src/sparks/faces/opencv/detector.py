"""YuNet: where faces are. It knows faces of some sizes, so it looks at a picture in several."""

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from sparks.faces.opencv.sightings import COLUMNS, NONE, Sightings, joined, merged, most_important, moved, scaled

USUAL: Final = 640  # the longest side of a picture when it is looked at
LARGE: Final = 1280  # for the faces of a crowd
SMALL: Final = 320  # for faces that fill the frame
LEAST_SCORE: Final = 0.7  # what is less is mostly cloth, wood and elbows
LEAST_SCORE_IN_BOX: Final = 0.3  # where somebody says that there is a face
LEAST_SIDE: Final = 20  # pixels of a face; what is smaller cannot be told apart
MOST_FACES: Final = 100
ROUND_BOX: Final = 0.5  # of the box, on each side of it

_SAME: Final = 0.3
_MOST_BEFORE: Final = 5000
_NO_CONFIGURATION: Final[NDArray[np.uint8]] = np.zeros(0, np.uint8)


class Detector:
    def __init__(self, weights: bytes) -> None:
        model = np.frombuffer(weights, np.uint8)
        size = (USUAL, USUAL)
        self._net = cv2.FaceDetectorYN.create("onnx", model, _NO_CONFIGURATION, size, LEAST_SCORE, _SAME, _MOST_BEFORE)

    def detect(self, picture: MatLike) -> Sightings:
        """In the picture's own pixels, the large and sure ones first."""
        self._net.setScoreThreshold(LEAST_SCORE)
        seen = self._look(picture, min(LARGE, max(picture.shape[:2])))
        return most_important(seen[np.minimum(seen[:, 2], seen[:, 3]) >= LEAST_SIDE], MOST_FACES)

    def detect_near(self, picture: MatLike, left: float, top: float, width: float, height: float) -> Sightings:
        """In a box and a little round it, the unlikely ones too."""
        rows, columns = _window(top, height, picture.shape[0]), _window(left, width, picture.shape[1])
        window = picture[rows, columns]
        if not window.size:
            return NONE
        self._net.setScoreThreshold(LEAST_SCORE_IN_BOX)
        return moved(self._look(window, USUAL), columns.start, rows.start)

    def _look(self, picture: MatLike, longest: int) -> Sightings:
        """[Note: the small one last] It is as sure of a face, and less exact about its eyes: 98.5 instead of 99 of a
        hundred pairs of one person would be recognised.
        """
        sides = (longest, USUAL, SMALL) if longest > USUAL else (USUAL, SMALL)
        *usual, small = self._look_in_sizes(picture, sides)
        return joined(merged(np.concatenate(usual)), small)

    def _look_in_sizes(self, picture: MatLike, sides: Sequence[int]) -> Iterator[Sightings]:
        """Each is made from the one before, which takes a fraction of the time."""
        fitted = picture
        for side in sides:
            fitted = _fitted(fitted, side)
            yield scaled(self._detect(fitted), max(picture.shape[:2]) / side)

    def _detect(self, picture: MatLike) -> Sightings:
        self._net.setInputSize((picture.shape[1], picture.shape[0]))
        seen: MatLike | None = self._net.detect(picture)[1]
        return NONE if seen is None else np.asarray(seen, np.float32).reshape(-1, COLUMNS)


def _fitted(picture: MatLike, side: int) -> MatLike:
    """So that its longest side is `side`.

    [Note: averages] To average over parts of pixels takes five times as long as to choose among them, and shows only
    where much is left out.
    """
    height, width = picture.shape[:2]
    longest = max(height, width)
    if longest == side:
        return picture
    size = max(1, round(width * side / longest)), max(1, round(height * side / longest))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if 2 * side <= longest else cv2.INTER_LINEAR)


def _window(start: float, length: float, most: int) -> slice:
    low, high = start - ROUND_BOX * length, start + (1 + ROUND_BOX) * length
    return slice(min(max(int(low), 0), most), min(max(int(high) + 1, 0), most))

"""How well a face can be recognised: its weakest mark for size, sharpness, pose and the detector's score.

Blurred and tiny faces resemble each other more than themselves, so that they would gather in persons who do not exist.
The marks are scaled so that 0.4 is where that begins. Measured on faces that were made worse on purpose: with 20 of
their 112 pixels, or blurred by three, two thirds are still recognised; with 16, or blurred by four, a quarter, and
wrong pairs are ten times as many.
"""

from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike

from sparks.faces.opencv.sightings import LANDMARKS, SCORE, Sighting

# The value that is marked 0, and the one that is marked 1.
SIZE: Final = (7.0, 17.0)  # pixels between the eyes, or from them to the mouth
SHARPNESS: Final = (1.2, 1.6)  # by how much contours fade when they are blurred a little more
TURN: Final = (0.8, 0.3)  # how far the nose is off the middle, in distances of the eyes
SURENESS: Final = (0.7, 0.95)

_LITTLE, _MORE = 1.5, 4.0  # blur, in pixels of the aligned face
_DOWN, _ACROSS = slice(36, 104), slice(28, 84)  # from brows to chin: hair before a wall would drown all else


def quality_of(seen: Sighting, aligned: MatLike) -> float:
    size, turn = pose_of(seen)
    marks = (
        _mark(size, SIZE),
        _mark(turn, TURN),
        _mark(sharpness_of(aligned), SHARPNESS),
        _mark(float(seen[SCORE]), SURENESS),
    )
    return round(min(marks), 4)


def pose_of(seen: Sighting) -> tuple[float, float]:
    """How large the face is between its landmarks, and how far it is turned away: 0 looks at us, 0.4 is half a profile.

    A turned face has its eyes near each other, and is as high as ever.
    """
    right_eye, left_eye, nose, *mouth = seen[LANDMARKS].astype(np.float64).reshape(5, 2)
    eyes, lips = (right_eye + left_eye) / 2, sum(mouth) / 2
    apart, high = left_eye - right_eye, lips - eyes
    distance = max(float(np.linalg.norm(apart)), 1e-6)
    off = float(np.dot(nose - (eyes + lips) / 2, apart)) / distance**2
    return max(distance, float(np.linalg.norm(high))), abs(off)


def sharpness_of(aligned: MatLike) -> float:
    """In the direction that is worse, because motion blurs in one alone. Contrast does not matter, noise hardly."""
    grey = cv2.cvtColor(aligned, cv2.COLOR_BGR2GRAY).astype(np.float32)
    little, more = (_contours(cv2.GaussianBlur(grey, (0, 0), by)) for by in (_LITTLE, _MORE))
    return min(before / max(after, 1e-6) for before, after in zip(little, more, strict=True))


def _contours(grey: MatLike) -> tuple[float, float]:
    """How much brightness changes from pixel to pixel, across and down."""
    face = grey[_DOWN, _ACROSS]
    return float(np.abs(np.diff(face, axis=1)).mean()), float(np.abs(np.diff(face, axis=0)).mean())


def _mark(value: float, scale: tuple[float, float]) -> float:
    worst, best = scale
    return min(max((value - worst) / (best - worst), 0.0), 1.0)

"""Quality of a face for recognition: size, sharpness, pose and detection score.

Blurred and tiny faces are more similar to each other than to other faces of their person, so they would form persons
who do not exist. The scores are scaled so that this begins below 0.4. Measured on degraded faces: with 20 of 112
pixels, or a blur of three, two thirds are still recognized; with 16 pixels, or a blur of four, a quarter, and wrong
pairs are ten times as frequent.
"""

from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike

from sparks.faces.opencv.detector import LANDMARKS, SCORE, Detection

# The values that score 0 and 1.
SIZE: Final = (7.0, 17.0)  # pixels between the eyes, or from them to the mouth
SHARPNESS: Final = (1.2, 1.6)  # factor by which contours fade under more blur
TURN: Final = (0.8, 0.3)  # distance of the nose from the center, in distances between the eyes
CONFIDENCE: Final = (0.7, 0.95)

_SMALL_BLUR, _LARGE_BLUR = 1.5, 4.0  # blur, in pixels of the aligned face
_DOWN, _ACROSS = slice(36, 104), slice(28, 84)  # from brows to chin, because the contour of the hair would dominate


def quality_of(detection: Detection, aligned: MatLike) -> float:
    size, turn = pose_of(detection)
    marks = (
        _mark(size, SIZE),
        _mark(turn, TURN),
        _mark(sharpness_of(aligned), SHARPNESS),
        _mark(float(detection[SCORE]), CONFIDENCE),
    )
    return round(min(marks), 4)


def pose_of(detection: Detection) -> tuple[float, float]:
    """Size of the face between its landmarks, and its turn: 0 is frontal, 0.4 is a half profile.

    The size is the larger of width and height, because the eyes of a turned face are closer together.
    """
    right_eye, left_eye, nose, *mouth = detection[LANDMARKS].astype(np.float64).reshape(5, 2)
    eyes, lips = (right_eye + left_eye) / 2, sum(mouth) / 2
    apart, high = left_eye - right_eye, lips - eyes
    distance = max(float(np.linalg.norm(apart)), 1e-6)
    off = float(np.dot(nose - (eyes + lips) / 2, apart)) / distance**2
    return max(distance, float(np.linalg.norm(high))), abs(off)


def sharpness_of(aligned: MatLike) -> float:
    """Sharpness in the worse direction, because motion blurs only one. Independent of contrast, and nearly of noise."""
    gray = cv2.cvtColor(aligned, cv2.COLOR_BGR2GRAY).astype(np.float32)
    little, more = (_contours(cv2.GaussianBlur(gray, (0, 0), by)) for by in (_SMALL_BLUR, _LARGE_BLUR))
    return min(before / max(after, 1e-6) for before, after in zip(little, more, strict=True))


def _contours(gray: MatLike) -> tuple[float, float]:
    """Mean change of brightness between neighboring pixels, horizontally and vertically."""
    face = gray[_DOWN, _ACROSS]
    return float(np.abs(np.diff(face, axis=1)).mean()), float(np.abs(np.diff(face, axis=0)).mean())


def _mark(value: float, scale: tuple[float, float]) -> float:
    worst, best = scale
    return min(max((value - worst) / (best - worst), 0.0), 1.0)

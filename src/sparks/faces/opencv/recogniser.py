"""SFace: what a face is like, as a point on a sphere; those of one person lie near each other."""

from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from sparks.faces.opencv.sightings import Sighting

_NO_CONFIGURATION: Final[NDArray[np.uint8]] = np.zeros(0, np.uint8)


class Recogniser:
    def __init__(self, weights: bytes) -> None:
        self._net = cv2.FaceRecognizerSF.create("onnx", np.frombuffer(weights, np.uint8), _NO_CONFIGURATION)

    def align(self, picture: MatLike, seen: Sighting) -> MatLike:
        """112 pixels square, upright, with eyes and mouth always in the same place."""
        return self._net.alignCrop(picture, seen)

    def embed(self, aligned: MatLike) -> bytes:
        """[Note: float16] Half the bytes of float32; similarities move by less than a thousandth."""
        vector = np.asarray(self._net.feature(aligned), np.float64).ravel()
        return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype("<f2").tobytes()

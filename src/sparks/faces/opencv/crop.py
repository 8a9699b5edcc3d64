"""The picture of a face: a square with some of what is round it, as a small JPEG."""

from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike

from sparks.faces.opencv.sightings import Sighting

SIDE: Final = 256
AROUND: Final = 1.6  # times the longer side of the face's box
QUALITY: Final = 85


def crop_of(picture: MatLike, seen: Sighting) -> bytes:
    """Never larger than it is in the picture. At an edge the square is moved in, so that nothing is made up."""
    height, width = picture.shape[:2]
    side = int(min(max(round(float(max(seen[2], seen[3])) * AROUND), 1), height, width))
    left = _start(float(seen[0] + seen[2] / 2), side, width)
    top = _start(float(seen[1] + seen[3] / 2), side, height)
    square: MatLike = picture[top : top + side, left : left + side]
    if side > SIDE:
        square = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    _, encoded = cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(np.asarray(encoded).tobytes())


def _start(middle: float, side: int, length: int) -> int:
    return min(max(round(middle - side / 2), 0), length - side)

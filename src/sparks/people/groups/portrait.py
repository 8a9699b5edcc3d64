"""The face that stands for a person: a good picture, and like the others."""

import numpy as np

from sparks.people.groups.faces import Faces


def representative(faces: Faces) -> str | None:
    """The id of the face of best quality near the centre, of equals the first; None where there is no face."""
    if not len(faces):
        return None
    middle = faces.vectors.T @ np.maximum(faces.quality, 0)
    likeness = faces.vectors @ middle / max(float(np.linalg.norm(middle)), 1e-9)
    return faces.ids[int(np.argmax(likeness * faces.quality))]

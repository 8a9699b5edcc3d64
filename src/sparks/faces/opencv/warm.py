"""Makes a process ready to find faces, as far as that is possible before it forks: all is loaded, nothing is run."""

import importlib

from sparks.faces.opencv import looking
from sparks.media.warm import warm as warm_decoders


def warm() -> None:
    """May be called again, and after it a process may still fork. Unavailable where the weights are missing."""
    warm_decoders()
    importlib.import_module("sparks.faces.opencv.task")
    importlib.import_module("cv2").setNumThreads(1)
    looking.weights()

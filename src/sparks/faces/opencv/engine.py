"""What stands with each face that was found here. Another name whenever boxes, alignment or weights change."""

from typing import Final

from sparks.faces.port import Thresholds

NAME: Final = "yunet-sface-1"
DIMENSIONS: Final = 128
THRESHOLDS: Final = Thresholds(candidate=0.42, strong=0.49, founding=0.4)
"""Of pairs of strangers one in ten thousand reaches the candidate's, and one in some hundred thousand the strong one's;
of pairs of photos of one person 99 and 95 in a hundred do. For the quality see `quality.py`."""

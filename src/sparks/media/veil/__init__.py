"""A file as strangers are given it: the same picture, and of what else it tells nothing.

What a file tells of place, camera and people is overwritten where it lies. So the file keeps its size and every byte
its place: it is sent piece by piece, from any byte on, without ever being held or stored anew.
"""

from sparks.media.veil.kinds import has_veil, veil_of
from sparks.media.veil.patches import Patch, Read, Veil

__all__ = ["Patch", "Read", "Veil", "has_veil", "veil_of"]

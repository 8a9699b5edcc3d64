"""Sparks: a photo-sharing platform that knows who is in the picture."""

__version__ = "0.1.0"

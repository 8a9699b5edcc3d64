"""Metadata embedded in a file: time, place, camera and captions."""

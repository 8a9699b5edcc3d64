"""Faces in, groups out: pure functions on arrays, which know no storage."""

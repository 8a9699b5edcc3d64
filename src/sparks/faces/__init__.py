"""Faces: a picture in, and where the faces are, how good, and what each is like. Knows no storage and no persons."""

"""Faces as vectors, and which of them are near to one: never the truth, always made again from the table."""

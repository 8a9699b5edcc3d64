"""Persons made from groups of faces; human decisions always come first."""

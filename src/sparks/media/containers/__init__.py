"""Bounded readers of container formats that find metadata and never raise.

The bytes are untrusted. A value that lies outside the file or makes no sense is absent. The numbers of entries and the
lengths of values are limited, so a file of any size takes about the same time.
"""

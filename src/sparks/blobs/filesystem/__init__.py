"""Blobs as files in a folder."""

from sparks.blobs.filesystem.store import FilesystemBlobs

__all__ = ["FilesystemBlobs"]

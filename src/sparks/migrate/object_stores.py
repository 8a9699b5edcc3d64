"""Objects of the source by their address: a folder or a bucket."""

from pathlib import Path

from sparks.migrate.bucket_objects import ObjectBucket
from sparks.migrate.objects import ObjectFolder, Objects


def open_objects(address: str) -> Objects:
    """BadInput for a folder that is not there, and for what is no address of a bucket."""
    return ObjectBucket(address) if address.startswith("s3:") else ObjectFolder(Path(address))


def checked_objects(address: str) -> Objects:
    """The same for an address that was typed: BadInput also for a bucket that cannot be read."""
    opened = open_objects(address)
    if isinstance(opened, ObjectBucket):
        opened.check()
    return opened

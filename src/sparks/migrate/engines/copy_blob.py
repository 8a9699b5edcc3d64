"""Copy of one blob to another store: the same bytes, type and hash under the same key."""

from contextlib import closing

from sparks.blobs.port import Blobs
from sparks.model.errors import NotFound


def copy_blob(key: str, *, origin: Blobs, to: Blobs) -> int:
    """The number of bytes. Where there is no such blob, it is deleted at the other store."""
    try:
        blob = origin.open_blob(key)
    except NotFound:
        to.delete(key)
        return 0
    with closing(blob):
        info = blob.info
        chunks = blob.chunks(0, info.size)
        to.put(key, chunks, size=info.size, sha256=info.sha256, content_type=info.content_type)
        return info.size

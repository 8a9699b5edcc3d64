"""Originals for guests: as they are where their link shows metadata, and else without anything but the picture."""

from dataclasses import dataclass, replace

from sparks.blobs.port import BlobInfo, Blobs
from sparks.blobs.served import OpenBlob
from sparks.media.kinds import kind_of_type
from sparks.media.veil import Veil, veil_of

VEILED = "-veiled"


class FarBlob:
    """A blob of a store that Sparks does not serve itself, read piece by piece."""

    def __init__(self, key: str, blobs: Blobs) -> None:
        self._key = key
        self._blobs = blobs
        self.info = blobs.head(key)

    def read(self, start: int, end: int) -> bytes:
        return b"".join(self._blobs.open(self._key, start=start, end=end)) if start < end else b""

    def fileno(self) -> int | None:
        return None

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class VeiledBlob:
    """The blob with the veil over it. It has a name of its own, so that nobody takes one for the other."""

    blob: OpenBlob
    veil: Veil

    @property
    def info(self) -> BlobInfo:
        return replace(self.blob.info, etag=self.blob.info.etag + VEILED)

    def read(self, start: int, end: int) -> bytes:
        return self.veil.over(self.blob.read(start, end), start)

    def fileno(self) -> int | None:
        return None

    def close(self) -> None:
        self.blob.close()


def veiled(blob: OpenBlob, mime_type: str | None) -> VeiledBlob | None:
    """None where this kind of file cannot be given to strangers as it is; the blob stays open then."""
    size = blob.info.size
    veil = veil_of(lambda start, end: blob.read(start, min(end, size)), size, kind_of_type(mime_type))
    return None if veil is None else VeiledBlob(blob, veil)

"""Archive of photos for download, planned once so that every request gets equal bytes.

It has one slot for each photo, exactly as long as the photo's entry, and behind them the list of entries (see
`takeout.archive`). The rows name no person: `made_for` and `about` are keyed hashes, and the entries of a part are
encrypted.
"""

from dataclasses import dataclass
from datetime import datetime

from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive(Stored):
    """`part_starts` are the bytes at which the slots of each part begin, `slots_end` the byte at which the last one
    ends, `central_bytes` the length of the list of all entries, and `digest` a hash of all parts.

    `wanted` names the chosen files of the photos, and `title` is the encrypted name of the file. `generation` rises
    when bytes that were sent cannot be sent again: the archive is another file from then on.
    """

    archive_id: str
    made_for: str
    about: str
    wanted: str
    title: str
    generation: int = 0
    photo_count: int
    byte_count: int
    slots_end: int
    central_bytes: int
    part_starts: tuple[int, ...]
    digest: str
    created_at: datetime
    expires_at: datetime
    ttl: datetime | None = None

    @property
    def etag(self) -> str:
        """With its quotes."""
        return f'"{self.archive_id}-{self.generation}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePart(Stored):
    """Some hundred entries, packed and encrypted."""

    archive_id: str
    number: int
    entries: str
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveChecksums(Stored):
    """The checksums of a part's entries as far as their bytes were read: five bytes for each, see `takeout.archive`."""

    archive_id: str
    generation: int
    number: int
    found: bytes
    version: int
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestArchive(Stored):
    """The latest archive of some photos that was planned for a caller: `about` is a keyed hash of both."""

    about: str
    archive_id: str
    ttl: datetime | None = None

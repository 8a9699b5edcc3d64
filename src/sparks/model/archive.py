"""An archive: photos to be taken home in one file, planned once, so that every request for it is given the same bytes.

It has `slots`, one for each photo and just as long as it, and behind them what lists them (see `sharing.archive.form`).
The rows name no person: `made_for` and `about` are keyed hashes, and what is in a part is sealed.
"""

from dataclasses import dataclass
from datetime import datetime

from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive(Stored):
    """`part_starts` tells at which byte the slots of each part begin, `slots_end` where the last one ends,
    `central_bytes` how long the list of all entries is, and `digest` what is in all parts.

    `wanted` says which files of the photos they are, and `title` what a browser is to call it, sealed.
    `generation` moves where bytes that somebody has could not be given again: it is another file then.
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
        """In its quotes."""
        return f'"{self.archive_id}-{self.generation}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePart(Stored):
    """Some hundred entries, packed and sealed."""

    archive_id: str
    number: int
    entries: str
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFindings(Stored):
    """What is known of each entry of a part since its bytes were read: five bytes an entry, see `sharing.archive`."""

    archive_id: str
    generation: int
    number: int
    found: bytes
    version: int
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestArchive(Stored):
    """The archive that was planned last of this, for this caller: `about` is a keyed hash of both."""

    about: str
    archive_id: str
    ttl: datetime | None = None

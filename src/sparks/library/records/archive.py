"""Record types of archives and their parts."""

from typing import Final

from sparks.library import keys
from sparks.library.records.attributes import Attribute, plain, seconds, time
from sparks.library.records.record_type import RecordType
from sparks.model.archive import Archive, ArchiveChecksums, ArchivePart, LatestArchive


def numbers(name: str, field: str) -> Attribute:
    """A tuple of whole numbers, in an item as a list."""
    return Attribute(name, field, list, tuple)


ARCHIVE: Final = RecordType(
    Archive,
    plain("madeFor"),
    plain("about"),
    plain("wanted"),
    plain("title"),
    plain("generation"),
    plain("count", "photo_count"),
    plain("bytes", "byte_count"),
    plain("slotsEnd"),
    plain("centralBytes"),
    numbers("partStarts", "part_starts"),
    plain("digest"),
    time("createdAt"),
    time("expiresAt"),
    seconds("ttl"),
    pk="ARCHIVE#{archive_id..}",
    sk="METADATA",
    key=lambda archive: keys.archive(archive.archive_id),
)

ARCHIVE_PART: Final = RecordType(
    ArchivePart,
    plain("entries"),
    plain("number"),
    seconds("ttl"),
    pk="ARCHIVE#{archive_id..}",
    sk="PART#{}",
    key=lambda part: keys.archive_part(part.archive_id, part.number),
)

ARCHIVE_FINDINGS: Final = RecordType(
    ArchiveChecksums,
    plain("found"),
    plain("generation"),
    plain("number"),
    plain("version"),
    seconds("ttl"),
    pk="ARCHIVE#{archive_id..}",
    sk="FOUND#{}#{}",
    key=lambda found: keys.archive_findings(found.archive_id, found.generation, found.number),
)

LATEST_ARCHIVE: Final = RecordType(
    LatestArchive,
    plain("archiveId"),
    seconds("ttl"),
    pk="ARCHIVE_OF#{about..}",
    sk="METADATA",
    key=lambda latest: keys.latest_archive(latest.about),
)

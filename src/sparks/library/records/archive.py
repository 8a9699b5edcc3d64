"""Archives to be taken home, as rows."""

from typing import Final

from sparks.library import keys
from sparks.library.records.attributes import plain, seconds, time
from sparks.library.records.fields import Attribute
from sparks.library.records.shape import Shape
from sparks.model.archive import Archive, ArchiveFindings, ArchivePart, LatestArchive


def numbers(name: str, field: str) -> Attribute:
    """A tuple of whole numbers, in an item as a list."""
    return Attribute(name, field, list, tuple)


ARCHIVE: Final = Shape(
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

ARCHIVE_PART: Final = Shape(
    ArchivePart,
    plain("entries"),
    plain("number"),
    seconds("ttl"),
    pk="ARCHIVE#{archive_id..}",
    sk="PART#{}",
    key=lambda part: keys.archive_part(part.archive_id, part.number),
)

ARCHIVE_FINDINGS: Final = Shape(
    ArchiveFindings,
    plain("found"),
    plain("generation"),
    plain("number"),
    plain("version"),
    seconds("ttl"),
    pk="ARCHIVE#{archive_id..}",
    sk="FOUND#{}#{}",
    key=lambda found: keys.archive_findings(found.archive_id, found.generation, found.number),
)

LATEST_ARCHIVE: Final = Shape(
    LatestArchive,
    plain("archiveId"),
    seconds("ttl"),
    pk="ARCHIVE_OF#{about..}",
    sk="METADATA",
    key=lambda latest: keys.latest_archive(latest.about),
)

"""What sidecars tell of a photo, put together: first what programs wrote, then what Google knows."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sparks.media.kinds import Kind
from sparks.media.metadata.found import Found
from sparks.media.metadata.read import read_metadata
from sparks.media.metadata.taken import NEAR, Taken, TakenFrom, with_offset_from
from sparks.media.metadata.xmp import read_xmp
from sparks.model.photo import AssetType, Location
from sparks.upload.digests import chunks_of
from sparks.upload.importing.reading import read_small
from sparks.upload.importing.sidecars import Candidate
from sparks.upload.importing.takeout import MOST_BYTES, Note, read_note

MOST_PACKET: Final = 4 << 20
MOST_PICTURE: Final = 64 << 20

Time = tuple[datetime | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Absent when absent: then the file's own words and times count."""

    filename: str
    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    taken_at: datetime | None = None
    taken_offset: str | None = None
    location: Location | None = None
    is_trashed: bool = False


def read_sidecars(candidate: Candidate, kind: Kind, file: int) -> Told:
    """Of the candidate, which is open as `file`. Sidecars that are broken tell as much as can be read of them."""
    packet = Found() if candidate.xmp is None else read_xmp(read_small(candidate.xmp, most=MOST_PACKET))
    note = (None if candidate.note is None else read_note(read_small(candidate.note, most=MOST_BYTES))) or Note()
    taken_at, offset = _when(packet, note, kind, file)
    return Told(
        filename=_filename(candidate.path, note),
        title=packet.title,
        description=packet.description or note.description,
        keywords=packet.keywords,
        taken_at=taken_at,
        taken_offset=offset,
        location=packet.location or note.location,
        is_trashed=note.is_trashed,
    )


def _filename(path: Path, note: Note) -> str:
    """As it was before Google cut it; an edited copy keeps its own."""
    stem, extension = os.path.splitext(path.name)  # noqa: PTH122  a Path takes a name of dots for another
    title = note.title or ""
    return title if title.lower().startswith(stem.lower()) and title.endswith(extension) else path.name


def _when(packet: Found, note: Note, kind: Kind, file: int) -> Time:
    if packet.taken is not None:
        return packet.taken.at, packet.taken.offset
    if note.taken_at is None:
        return None, None
    return reconciled(note.taken_at, _camera_time(kind, file))


def reconciled(known: datetime, camera: Taken | None) -> Time:
    """What Google knows and what the camera wrote, as one time.

    Where they differ by the offset of a zone they mean the same, and the camera's clock tells the offset. Where they
    differ otherwise, somebody has corrected the camera.
    """
    if camera is None:
        return known, None
    if camera.offset is None:
        camera = with_offset_from(camera, known)
    if camera.offset is not None and abs(camera.at - known) <= NEAR + timedelta(seconds=1):
        return camera.at, camera.offset
    return known, camera.offset


def _camera_time(kind: Kind, file: int) -> Taken | None:
    if kind.asset_type is not AssetType.IMAGE or os.fstat(file).st_size > MOST_PICTURE:
        return None
    told = read_metadata(b"".join(chunks_of(file)), kind)
    return None if told.taken_at is None else Taken(told.taken_at, told.taken_offset, told.taken_from or TakenFrom.EXIF)

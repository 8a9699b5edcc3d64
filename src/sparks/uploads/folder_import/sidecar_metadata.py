"""Metadata of a photo from its XMP and Takeout sidecars, merged."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sparks.media.digests import chunks_of
from sparks.media.file_types import FileType
from sparks.media.metadata.capture_time import NEAR, CaptureTime, TakenFrom, with_offset_from
from sparks.media.metadata.partial_metadata import PartialMetadata
from sparks.media.metadata.read_metadata import read_metadata
from sparks.media.metadata.xmp import read_xmp
from sparks.model.photo import AssetType, Location
from sparks.uploads.folder_import.candidates import ImportCandidate
from sparks.uploads.folder_import.folder_walk import read_small
from sparks.uploads.folder_import.google_takeout import MAX_TAKEOUT_BYTES, TakeoutMetadata, parse_takeout_metadata

MAX_XMP_BYTES: Final = 4 << 20
MAX_PICTURE_BYTES: Final = 64 << 20

Time = tuple[datetime | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMetadata:
    """None for what the sidecars do not say: the file's embedded metadata counts then."""

    filename: str
    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    taken_at: datetime | None = None
    taken_offset: str | None = None
    location: Location | None = None
    is_trashed: bool = False


def read_sidecars(candidate: ImportCandidate, kind: FileType, file: int) -> ImportedMetadata:
    """The metadata of the candidate, which is open as `file`. Of a broken sidecar, the readable part counts."""
    xmp = PartialMetadata() if candidate.xmp is None else read_xmp(read_small(candidate.xmp, most=MAX_XMP_BYTES))
    takeout = _takeout_metadata(candidate)
    taken_at, offset = _capture_time(xmp, takeout, kind, file)
    return ImportedMetadata(
        filename=_filename(candidate.path, takeout),
        title=xmp.title,
        description=xmp.description or takeout.description,
        keywords=xmp.keywords,
        taken_at=taken_at,
        taken_offset=offset,
        location=xmp.location or takeout.location,
        is_trashed=takeout.is_trashed,
    )


def reconcile_times(google: datetime, camera: CaptureTime | None) -> Time:
    """One capture time from those of Google and of the camera.

    If they differ by the offset of a time zone, they are the same moment, and the camera's clock gives the offset. If
    they differ otherwise, the user has corrected the camera's time in Google Photos.
    """
    if camera is None:
        return google, None
    if camera.offset is None:
        camera = with_offset_from(camera, google)
    if camera.offset is not None and abs(camera.at - google) <= NEAR + timedelta(seconds=1):
        return camera.at, camera.offset
    return google, camera.offset


def _takeout_metadata(candidate: ImportCandidate) -> TakeoutMetadata:
    if candidate.takeout is None:
        return TakeoutMetadata()
    return parse_takeout_metadata(read_small(candidate.takeout, most=MAX_TAKEOUT_BYTES)) or TakeoutMetadata()


def _filename(path: Path, takeout: TakeoutMetadata) -> str:
    """The name before Google cut it; an edited copy keeps its own."""
    stem, extension = os.path.splitext(path.name)  # noqa: PTH122  a Path splits a name of dots otherwise
    title = takeout.title or ""
    return title if title.lower().startswith(stem.lower()) and title.endswith(extension) else path.name


def _capture_time(xmp: PartialMetadata, takeout: TakeoutMetadata, kind: FileType, file: int) -> Time:
    if xmp.taken is not None:
        return xmp.taken.at, xmp.taken.offset
    if takeout.taken_at is None:
        return None, None
    return reconcile_times(takeout.taken_at, _camera_time(kind, file))


def _camera_time(kind: FileType, file: int) -> CaptureTime | None:
    if kind.asset_type is not AssetType.IMAGE or os.fstat(file).st_size > MAX_PICTURE_BYTES:
        return None
    embedded = read_metadata(b"".join(chunks_of(file)), kind)
    if embedded.taken_at is None:
        return None
    return CaptureTime(embedded.taken_at, embedded.taken_offset, embedded.taken_from or TakenFrom.EXIF)

"""Result of importing one file."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sparks.model.events import Event
from sparks.model.photo import Photo


class ImportStatus(StrEnum):
    IMPORTED = "imported"
    THERE = "there"  # the owner has these bytes already
    SKIPPED = "skipped"  # the file type is not supported
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """`photo` is the photo with the bytes of the file, new or not. The caller must send `follows`, if there is one."""

    path: Path
    status: ImportStatus
    reason: str | None = None
    photo: Photo | None = None
    follows: Event | None = None
    size: int = 0
    sha256: str | None = None

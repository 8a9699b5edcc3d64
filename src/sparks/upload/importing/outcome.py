"""What became of a file that was to be taken in."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sparks.model.events import Event
from sparks.model.photo import Photo


class Fate(StrEnum):
    IMPORTED = "imported"
    THERE = "there"  # its owner has these bytes already
    SKIPPED = "skipped"  # it is nothing that Sparks takes
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`photo` is what the file is now, or was before; `follows` is to be sent on, if anything."""

    path: Path
    fate: Fate
    reason: str | None = None
    photo: Photo | None = None
    follows: Event | None = None
    size: int = 0
    sha256: str | None = None

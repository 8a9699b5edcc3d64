"""State of the stored data: their version, what was removed, and the re-keying that is under way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.stored import Stored

FENCES: Final = 8  # rows of a fence, and partitions of captured keys, so that parallel writes do not meet in one


class Place(StrEnum):
    """One of the two tables between which a re-keying moves the rows."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> "Place":
        return Place.SECOND if self is Place.FIRST else Place.FIRST


class RekeyPhase(StrEnum):
    """COPYING: writes are captured. SWITCHING and SWITCHED: writes wait. CLEARING: the old rows are being deleted."""

    COPYING = "copying"
    SWITCHING = "switching"
    SWITCHED = "switched"
    CLEARING = "clearing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaState(Stored):
    """`oldest_reader` is the lowest data version of a Sparks that may open the data. `taken_on` has the time at which
    the data came to each version, and `removed` that at which a retired attribute was gone (`Record.attribute`).

    `place` is where the rows are, and `rekeyed` names the re-keyings that they have been through. Every change of
    `place` and `phase` raises `epoch`. `rekeying` names the re-keyings of this phase.
    """

    version: int
    oldest_reader: int
    taken_on: Mapping[str, datetime] = field(default_factory=dict, hash=False)
    removed: Mapping[str, datetime] = field(default_factory=dict, hash=False)
    rekeyed: tuple[str, ...] = ()
    place: Place = Place.FIRST
    epoch: int = 0
    phase: RekeyPhase | None = None
    rekeying: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedKeys(Stored):
    """The keys that one transaction wrote while the rows were being copied, each as [PK, SK]."""

    shard: int
    entry_id: str
    written: tuple[tuple[str, str], ...] = ()

"""Versions of the stored data, and the registry that knows when each attribute was added and retired.

The attributes themselves are in the record types, with the versions that added and retired them; this module has what
happened in each version. Another version is needed for every change of what is stored:

- an attribute is added: name its version in `added` of the record type. No row is changed. An older Sparks carries the
  attribute along, so it may open the data: `oldest_reader` stays;
- an attribute is retired: move it from the attributes of the record type to `retired`. It is no longer written or read.
  `sparks evolve run` removes it from the rows 30 days after the data came to the version. Where an older Sparks cannot
  read a row without it, `oldest_reader` is the new version;
- a partition key gets another form: write the new form into `library/keys.py`, and a `Rekeying` into the version.
  `oldest_reader` is the new version. `sparks evolve run` moves the rows.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sparks.library.records import RECORD_TYPES
from sparks.library.records.record_type import RecordType
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True)
class Rekeying:
    """Each PK that is `old_prefix` and text that matches `rest` gets `new_prefix` instead.

    So rows keep their order in each partition and index, and no two get the same key. No PK of the new form may exist
    before.
    """

    name: str
    old_prefix: str
    new_prefix: str
    rest: str = ".+"

    def new_pk(self, pk: str) -> str:
        return _replaced(pk, self.old_prefix, self.new_prefix, self.rest)

    def old_pk(self, pk: str) -> str:
        return _replaced(pk, self.new_prefix, self.old_prefix, self.rest)


@dataclass(frozen=True, slots=True)
class Version:
    """`oldest_reader` is the lowest data version of a Sparks that can work with data of this version."""

    number: int
    on: date
    what: str
    oldest_reader: int
    rekeyings: tuple[Rekeying, ...] = ()


@dataclass(frozen=True, slots=True)
class AttributeHistory:
    """The versions that added and retired an attribute."""

    record: str
    attribute: str
    added: int
    retired: int | None = None

    @property
    def name(self) -> str:
        return f"{self.record}.{self.attribute}"


class Registry:
    """What is stored, in all versions up to the last one, which this Sparks writes."""

    def __init__(
        self, versions: Sequence[Version], record_types: Mapping[type[Stored], RecordType[Any]] = RECORD_TYPES
    ) -> None:
        self.versions = tuple(versions)
        self.record_types = {kind.__name__: record_type for kind, record_type in record_types.items()}

    @property
    def current(self) -> Version:
        return self.versions[-1]

    @property
    def rekeyings(self) -> tuple[Rekeying, ...]:
        """From the oldest to the newest."""
        return tuple(rekeying for version in self.versions for rekeying in version.rekeyings)

    def attributes(self) -> Iterator[AttributeHistory]:
        """Every attribute that was ever stored, beside PK, SK and entityType."""
        for record, record_type in self.record_types.items():
            for name in sorted({*record_type.written, *record_type.retired}):
                added = record_type.added.get(name, record_type.since)
                yield AttributeHistory(record, name, added, record_type.retired.get(name))

    def retired(self) -> list[AttributeHistory]:
        return [each for each in self.attributes() if each.retired is not None]


VERSIONS: Final = (
    Version(1, date(2026, 11, 1), "all that was stored before versions were counted", oldest_reader=1),
    Version(
        2,
        date(2026, 11, 18),
        "the state of the data, persons' pictures and face failures are stored; suggestions have no madeAt",
        oldest_reader=2,
    ),
)
REGISTRY: Final = Registry(VERSIONS)


def apply_rekeyings(pk: str, rekeyings: Iterable[Rekeying]) -> str:
    """The PK in the new form."""
    for rekeying in rekeyings:
        pk = rekeying.new_pk(pk)
    return pk


def revert_rekeyings(pk: str, rekeyings: Sequence[Rekeying]) -> str:
    """The PK in the old form."""
    for rekeying in reversed(rekeyings):
        pk = rekeying.old_pk(pk)
    return pk


def _replaced(pk: str, prefix: str, other: str, rest: str) -> str:
    tail = pk[len(prefix) :]
    return other + tail if pk.startswith(prefix) and re.fullmatch(rest, tail, re.DOTALL) else pk

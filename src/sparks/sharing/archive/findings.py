"""What was found of the entries of a part while they were read: the checksum of each, or that it is gone.

It is written down for all who read the same archive, so that all are given the same bytes: an entry that somebody was
given filler for stays gone, and one whose checksum is known was given to somebody as it is.
"""

import struct
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model.archive import Archive, ArchiveFindings
from sparks.model.errors import ConditionFailed, Conflict
from sparks.table.port import Absent, Condition, Equals, Put, Table

_FINDING: Final = struct.Struct("<BL")
_UNKNOWN, _THERE, _GONE = range(3)
_NOTHING: Final = bytes(_FINDING.size)


class ArchiveChanged(Conflict):
    """Somebody was given other bytes of this archive than those that there are now."""

    def __init__(self) -> None:
        super().__init__("a photo of this archive is not what it was: begin the download anew")


class Findings:
    def __init__(self, archive: Archive, number: int, entries: int, *, table: Table) -> None:
        self._archive = archive
        self._number = number
        self._table = table
        self._found = bytearray(entries * _FINDING.size)
        self._version = 0
        self._is_saved = True
        item = table.get(keys.archive_findings(archive.archive_id, archive.generation, number))
        if item is not None:
            self._merge(from_item(ArchiveFindings, item))

    def crc(self, index: int) -> int | None:
        """The checksum; None where nobody knows it, or the entry is gone."""
        state, crc = _FINDING.unpack_from(self._found, index * _FINDING.size)
        return crc if state == _THERE else None

    def is_gone(self, index: int) -> bool:
        return self._found[index * _FINDING.size] == _GONE

    def note(self, index: int, crc: int) -> None:
        """ArchiveChanged where something else is known of it."""
        self._set(index, _FINDING.pack(_THERE, crc))

    def lose(self, index: int) -> None:
        """It is gone, for good: that is written down before anybody is given filler for it."""
        self._set(index, _FINDING.pack(_GONE, 0))
        self.save()

    def save(self) -> None:
        """With what others have found meanwhile."""
        while not self._is_saved:
            row = ArchiveFindings(
                archive_id=self._archive.archive_id,
                generation=self._archive.generation,
                number=self._number,
                found=bytes(self._found),
                version=self._version + 1,
                ttl=self._archive.ttl,
            )
            as_read: Condition = Equals("version", self._version) if self._version else Absent()
            try:
                self._table.write(Put(to_item(row), (as_read,)))
            except ConditionFailed as error:
                if error.found is None:
                    return  # the archive is over, and its rows are gone
                self._merge(from_item(ArchiveFindings, dict(error.found)))
            else:
                self._version, self._is_saved = row.version, True

    def _set(self, index: int, finding: bytes) -> None:
        start = index * _FINDING.size
        known = bytes(self._found[start : start + _FINDING.size])
        if known == finding:
            return
        if known != _NOTHING:
            raise ArchiveChanged
        self._found[start : start + _FINDING.size] = finding
        self._is_saved = False

    def _merge(self, row: ArchiveFindings) -> None:
        """What is known to either is known to both, from now on."""
        saved, self._version = self._is_saved, row.version
        for start in range(0, len(self._found), _FINDING.size):
            theirs = row.found[start : start + _FINDING.size]
            if theirs != _NOTHING:
                self._set(start // _FINDING.size, theirs)
        self._is_saved = saved

"""Stored state of each entry: its checksum, or that its file is gone.

All downloads of an archive share these states, so that all get the same bytes: an entry that was once sent as filler
stays gone, and an entry with a checksum was once read completely.
"""

import struct
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model.archive import Archive, ArchiveChecksums
from sparks.model.errors import ConditionFailed, Conflict
from sparks.table.port import Absent, Condition, Equals, Put, Table

_STATE: Final = struct.Struct("<BL")
_UNKNOWN, _THERE, _GONE = range(3)
_NO_STATE: Final = bytes(_STATE.size)


class ArchiveChanged(Conflict):
    """A download of this archive has read other bytes than there are now."""

    def __init__(self) -> None:
        super().__init__("a photo of this archive has changed: begin the download again")


class EntryStates:
    def __init__(self, archive: Archive, number: int, entries: int, *, table: Table) -> None:
        self._archive = archive
        self._number = number
        self._table = table
        self._states = bytearray(entries * _STATE.size)
        self._version = 0
        self._is_saved = True
        item = table.get(keys.archive_findings(archive.archive_id, archive.generation, number))
        if item is not None:
            self._merge(from_item(ArchiveChecksums, item))

    def crc(self, index: int) -> int | None:
        """The checksum; None where it is not known yet, or the entry is gone."""
        state, crc = _STATE.unpack_from(self._states, index * _STATE.size)
        return crc if state == _THERE else None

    def is_gone(self, index: int) -> bool:
        return self._states[index * _STATE.size] == _GONE

    def set_crc(self, index: int, crc: int) -> None:
        """Sets the checksum. ArchiveChanged where another state is stored."""
        self._set(index, _STATE.pack(_THERE, crc))

    def set_gone(self, index: int) -> None:
        """Marks the entry as gone for good, and saves that before any filler is sent."""
        self._set(index, _STATE.pack(_GONE, 0))
        self.save()

    def save(self) -> None:
        """Saves the states, merged with those that other downloads have saved meanwhile."""
        while not self._is_saved:
            row = ArchiveChecksums(
                archive_id=self._archive.archive_id,
                generation=self._archive.generation,
                number=self._number,
                found=bytes(self._states),
                version=self._version + 1,
                ttl=self._archive.ttl,
            )
            as_read: Condition = Equals("version", self._version) if self._version else Absent()
            try:
                self._table.write(Put(to_item(row), (as_read,)))
            except ConditionFailed as error:
                if error.found is None:
                    return  # the archive has expired, and its rows are deleted
                self._merge(from_item(ArchiveChecksums, dict(error.found)))
            else:
                self._version, self._is_saved = row.version, True

    def _set(self, index: int, state: bytes) -> None:
        start = index * _STATE.size
        known = bytes(self._states[start : start + _STATE.size])
        if known == state:
            return
        if known != _NO_STATE:
            raise ArchiveChanged
        self._states[start : start + _STATE.size] = state
        self._is_saved = False

    def _merge(self, row: ArchiveChecksums) -> None:
        """Adds the stored states. ArchiveChanged where they contradict the present ones."""
        saved, self._version = self._is_saved, row.version
        for start in range(0, len(self._states), _STATE.size):
            theirs = row.found[start : start + _STATE.size]
            if theirs != _NO_STATE:
                self._set(start // _STATE.size, theirs)
        self._is_saved = saved

"""Capture of changes in tables of DynamoDB: by their streams where they have one, and by passes that compare."""

import math
import time
from collections.abc import Iterable, Sequence
from typing import Final

from sparks.migrate.dynamodb.source import NOT_READ, StagedSource
from sparks.migrate.dynamodb.streams import StreamReader, Trimmed
from sparks.migrate.source_port import Captured
from sparks.model.errors import Conflict

LEAST_PAUSE: Final = 60.0  # seconds between two passes while following
PAUSE_SHARE: Final = 10  # times as long as a pass took
STREAM_PAUSE: Final = 1.0
WAITING: Final = "changes of the source wait to be applied"


class StagedCapture:
    """The outbox of the staging file."""

    def __init__(self, source: StagedSource) -> None:
        self._source = source
        self._staging = source.staging
        self._streams = StreamReader(source)
        self._looked_at = -math.inf

    def install(self) -> None:
        """Reads all items for the first time, after the places in the streams were noted. The files of an export are
        read each time: another export is compared with the one before.
        """
        if not self._staging.is_filled:
            self._streams.begin()
            self._source.read_all(anew=False)
        elif self._source.address.path is not None:
            self._source.read_all()

    def is_installed(self) -> bool:
        return self._staging.is_filled

    def poll(self, *, at_once: bool = False) -> bool:
        """Reads the streams, or all items where there is no stream. `at_once` reads all items in any case: streams may
        be behind. While following, passes have pauses between them.
        """
        if not self._staging.is_filled:
            raise Conflict(NOT_READ)
        if self._source.address.path is not None:
            return False
        if at_once or (not self._streams.are_known and time.monotonic() >= self._looked_at + self._pause()):
            self._pass()
            return True
        if self._streams.are_known and time.monotonic() >= self._looked_at + STREAM_PAUSE:
            self._read_streams()
            return True
        return False

    def _pass(self) -> None:
        began = time.monotonic()
        self._source.read_all()
        self._looked_at = time.monotonic()
        self._staging.note(pass_seconds=self._looked_at - began)

    def _read_streams(self) -> None:
        try:
            self._streams.read()
        except Trimmed:
            self._streams.begin()
            self._pass()
        self._looked_at = time.monotonic()

    def _pause(self) -> float:
        return max(LEAST_PAUSE, PAUSE_SHARE * float(self._staging.get("pass_seconds") or 0.0))

    def read(self, limit: int = 1000) -> list[Captured]:
        return self._staging.read_outbox(limit)

    def pending(self, keys: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        return self._staging.pending(keys)

    def drop(self, entries: Sequence[int]) -> None:
        self._staging.drop(entries)

    def lag(self) -> tuple[int, float]:
        return self._staging.lag()

    def remove(self) -> None:
        """Deletes the staging file. Nothing was added to the tables."""
        self._staging.delete()


class StagedFreeze:
    """The decision of a cutover. DynamoDB cannot refuse writes: the writers of the old service are stopped before."""

    def __init__(self, source: StagedSource) -> None:
        self._staging = source.staging

    def begin(self, seconds: float) -> None:
        """Nothing to do: the writers are stopped."""

    def decide(self) -> None:
        if self._staging.lag()[0]:
            raise Conflict(WAITING)
        self._staging.note(decided=True)

    def is_decided(self) -> bool:
        return bool(self._staging.get("decided"))

    def is_frozen(self) -> bool:
        return self.is_decided()

    def lift(self) -> None:
        self._staging.note(decided=None)

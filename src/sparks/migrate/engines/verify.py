"""Verify of a migration between engines: every row and the bytes of every blob, compared.

What differs is compared again until nothing of it is in the outbox any more.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sparks.blobs.port import Blobs
from sparks.library.blob_keys import UPLOADS
from sparks.migrate.engines import outbox
from sparks.migrate.engines.backfill import Progress, scanned
from sparks.migrate.engines.copier import Copier
from sparks.migrate.engines.follow import EngineFollower
from sparks.migrate.engines.migrator import EngineMigrator, Opener, open_engine_migration, watch_engine_migration
from sparks.migrate.lease import current_holder
from sparks.migrate.verification import summary_of
from sparks.model.engine_migration import other_side
from sparks.model.errors import Busy, NotFound
from sparks.model.migration import WriteSide
from sparks.table.port import Key

FOLLOWERS: Final = frozenset({"follow", "mirror"})
SETTLE: Final = 120.0  # seconds
POLL: Final = 0.2
BATCH: Final = 400
MAX_VALUE: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class EngineDifference:
    """`table` is `rows` or `blobs`; `field` an attribute, `bytes`, or `row` and `blob` where one side has none."""

    table: str
    id: str
    field: str
    source: str | None
    target: str | None


@dataclass(slots=True)
class EngineVerification:
    checked: int = 0
    differences: list[EngineDifference] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return sum(each.field in ("row", "blob") and each.target is None for each in self.differences)

    @property
    def extra(self) -> int:
        return sum(each.field in ("row", "blob") and each.source is None for each in self.differences)

    @property
    def different(self) -> int:
        return len({(each.table, each.id) for each in self.differences if each.field not in ("row", "blob")})

    @property
    def is_equal(self) -> bool:
        return not self.differences


@contextmanager
def opened_to_verify(opener: Opener) -> Iterator[EngineMigrator]:
    """With the lease, unless a command that follows holds it: that one copies the changes then."""
    holder = current_holder(table=watch_engine_migration(opener).stores(WriteSide.SOURCE).table)
    if holder is not None and holder.command in FOLLOWERS:
        yield watch_engine_migration(opener)
    else:
        with open_engine_migration("verify", opener) as migrator:
            yield migrator


class EngineVerifier:
    def __init__(self, migrator: EngineMigrator, *, on_progress: Progress) -> None:
        active = migrator.position.active
        self._migrator = migrator
        self._on_progress = on_progress
        self._active, self._passive = migrator.stores(active), migrator.stores(other_side(active))
        self._copier = Copier(self._active, self._passive, check=migrator.check)
        self._follower = EngineFollower(migrator)

    def run(self, *, repair: bool) -> EngineVerification:
        """With `repair`, what differs is copied anew and compared again."""
        with closing(self._copier), closing(self._follower):
            self._settle()
            result = EngineVerification()
            rows = list(self._suspect_rows(result)) if self._migrator.moves_rows else []
            blobs = list(self._suspect_blobs(result)) if self._migrator.moves_blobs else []
            result.differences = self._settled(rows, blobs)
            if repair and result.differences:
                self._migrator.check()
                self._copier.copy_rows(rows)
                self._copier.copy_blobs(blobs)
                result.differences = self._settled(rows, blobs)
            self._migrator.note(verification=summary_of(result))
        return result

    def _suspect_rows(self, result: EngineVerification) -> Iterator[Key]:
        for table, is_counted in ((self._active.table, True), (self._passive.table, False)):
            for page in scanned(table):
                result.checked += len(page) if is_counted else 0
                yield from (key for key, _, _ in self._copier.different_rows(page))
                self._on_progress("rows", result.checked, result.checked)

    def _suspect_blobs(self, result: EngineVerification) -> Iterator[str]:
        """Uploads on their way may be sent to a bucket without passing through Sparks: they are copied at cutover."""
        for blobs, is_counted in ((self._active.blobs, True), (self._passive.blobs, False)):
            for page in _listed(blobs):
                some = [key for key in page if not key.startswith(UPLOADS)]
                result.checked += len(some) if is_counted else 0
                wanted = some if is_counted else sorted(self._copier.different_sizes(some))
                yield from (str(pair.key) for pair in self._different_blobs(wanted))
                self._on_progress("rows and blobs", result.checked, result.checked)

    def _settled(self, rows: Sequence[Key], blobs: Sequence[str]) -> list[EngineDifference]:
        """The differences that are the same in two looks, with nothing of them in the outbox in between. What the
        migrator has copied since the first look is equal by that. Busy where neither comes true.
        """
        sure: list[Pair] = []
        suspects = self._look(rows, blobs)
        deadline = time.monotonic() + SETTLE
        while suspects:
            if time.monotonic() > deadline:
                raise Busy(f"{next(iter(suspects))} and others are not copied: look at the command that follows")
            time.sleep(POLL)
            self._settle()
            found = self._look(
                [pair.key for pair in suspects.values() if isinstance(pair.key, Key)],
                [pair.key for pair in suspects.values() if isinstance(pair.key, str)],
            )
            waiting = self._in_outbox()
            stays = {name for name, pair in found.items() if pair == suspects[name] and name not in waiting}
            sure += [found[name] for name in stays]
            suspects = {
                name: pair
                for name, pair in found.items()
                if name not in stays and pair.passive == suspects[name].passive
            }
        return [each for pair in sure for each in self._differences(pair)]

    def _look(self, rows: Sequence[Key], blobs: Sequence[str]) -> "dict[str, Pair]":
        """The rows and blobs of these that differ now, by id."""
        wanted = list(dict.fromkeys(rows))
        batches = [wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH)]
        pairs = [Pair(*found) for some in batches for found in self._copier.different_rows(some)]
        pairs += self._different_blobs(blobs)
        return {pair.id: pair for pair in pairs}

    def _settle(self) -> None:
        """Copies what waits, unless another command does so."""
        if self._migrator.lease is not None:
            self._follower.catch_up()

    def _in_outbox(self) -> set[str]:
        """The ids of the rows and blobs that are about to be copied."""
        entries = outbox.read_entries(10_000, table=self._active.table)
        return {name for entry in entries for name in (*map(" ".join, entry.keys), *entry.blobs)}

    def _differences(self, pair: "Pair") -> Iterator[EngineDifference]:
        table = "rows" if isinstance(pair.key, Key) else "blobs"
        if pair.active is None or pair.passive is None:
            yield self._difference(table, pair.id, table.removesuffix("s"), pair.active, pair.passive)
        elif isinstance(pair.active, str):
            yield self._difference(table, pair.id, "bytes", pair.active, pair.passive)
        else:
            for name in sorted(pair.active.keys() | pair.passive.keys()):
                if pair.active.get(name) != pair.passive.get(name):
                    yield self._difference(table, pair.id, name, pair.active.get(name), pair.passive.get(name))

    def _different_blobs(self, wanted: Sequence[str]) -> "list[Pair]":
        def look(key: str) -> Pair:
            return Pair(key, _digest(key, self._active.blobs), _digest(key, self._passive.blobs))

        return [pair for pair in self._copier.each(look, list(dict.fromkeys(wanted))) if pair.active != pair.passive]

    def _difference(self, table: str, name: str, kind: str, active: Any, passive: Any) -> EngineDifference:
        """The values in the order of source and target."""
        values = (_text(active), _text(passive))
        source, target = values if self._migrator.position.active is WriteSide.SOURCE else values[::-1]
        return EngineDifference(table, name, kind, source, target)


class Pair(NamedTuple):
    """A row, or the hash of a blob, as both sides have it."""

    key: Key | str
    active: Any
    passive: Any

    @property
    def id(self) -> str:
        return " ".join(self.key) if isinstance(self.key, Key) else self.key


def _listed(blobs: Blobs) -> Iterator[list[str]]:
    after: str | None = None
    while True:
        page = blobs.list(after=after)
        yield [blob.key for blob in page.blobs]
        if page.after is None:
            return
        after = page.after


def _digest(key: str, blobs: Blobs) -> str | None:
    digest = sha256()
    try:
        for chunk in blobs.open(key):
            digest.update(chunk)
    except NotFound:
        return None
    return digest.hexdigest()


def _text(value: Any) -> str | None:
    return None if value is None else str(value)[:MAX_VALUE]

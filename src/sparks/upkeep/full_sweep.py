"""All that can be swept, swept at once; or only looked at."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library.forgetting import forget_photo
from sparks.library.months import drop_stale, stale_copies
from sparks.model.errors import Conflict
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.terms import Terms
from sparks.table.port import Table
from sparks.upkeep.due import Due, Why, photos_deleting, photos_due
from sparks.upkeep.letters import drop_letters
from sparks.upkeep.orphans import Looked, drop, look


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """How many photos, rows and blobs went. `refusal` tells why the orphans did not; they are counted all the same."""

    reservations: int
    expired: int
    trash: int
    deletions: int  # that were begun before, and interrupted
    rows: int | None  # nobody knows before it is done, nor the next
    letters: int | None  # dead ones, of photos that are gone
    caches: int
    orphans: int
    orphan_bytes: int
    refusal: str | None


def sweep_all(
    at: datetime, *, force: bool = False, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring, terms: Terms
) -> Swept:
    """`force`: orphans go, however many they are."""

    def forgotten(photo: Photo) -> bool:
        try:
            forget_photo(photo, table=table, blobs=blobs, jobs=jobs, keyring=keyring)
        except Conflict:
            return False  # it was completed or restored this very moment
        return True

    blobs.check()
    photos = Counter(due.why for due in _due(at, terms, table) if forgotten(due.photo))
    rows, letters = table.expire(at), drop_letters(table=table, jobs=jobs)
    caches = drop_stale(table=table, blobs=blobs, keyring=keyring)
    looked = look(table=table, blobs=blobs, before=at)
    refusal = None if force else looked.doubt
    if refusal is None:
        drop(looked, table=table, blobs=blobs)
    return _told(photos, looked, rows=rows, letters=letters, caches=caches, refusal=refusal)


def look_around(at: datetime, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> Swept:
    """What `sweep_all` would do; nothing is changed."""
    blobs.check()
    photos = Counter(due.why for due in _due(at, terms, table))
    caches = sum(1 for _ in stale_copies(table=table, blobs=blobs, keyring=keyring))
    looked = look(table=table, blobs=blobs, before=at)
    return _told(photos, looked, rows=None, letters=None, caches=caches, refusal=looked.doubt)


def _due(at: datetime, terms: Terms, table: Table) -> Iterator[Due]:
    yield from photos_due(at=at, trash_days=terms.trash_days, table=table)
    yield from photos_deleting(table=table)


def _told(
    photos: Counter[Why], looked: Looked, *, rows: int | None, letters: int | None, caches: int, refusal: str | None
) -> Swept:
    return Swept(
        **{why: photos[why] for why in Why},
        rows=rows,
        letters=letters,
        caches=caches,
        orphans=len(looked.orphans),
        orphan_bytes=looked.bytes,
        refusal=refusal,
    )

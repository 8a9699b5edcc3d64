"""All photos of the library, so that the engine of today has looked at each: once it is switched on or is another one,
and every day, since a job may get lost.

A run goes through the lists from the oldest photo on, and notes how far it is. It fills the queue up to ROOM jobs,
never above, so that what somebody uploads meanwhile need not wait for the whole library.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import dropwhile, islice
from typing import Final

from sparks.faces.finding import looked_at
from sparks.faces.port import FaceEngine
from sparks.faces.runs import Run, begin_run, find_run, forget_runs, note_run
from sparks.jobs.port import Jobs
from sparks.library import entity_types
from sparks.library.consent import faces_allowed
from sparks.library.records import from_item
from sparks.model.events import FacesWanted, LibraryUnindexed, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.terms import Terms
from sparks.model.times import now
from sparks.table.port import EVERYTHING, Between, Table, every

ROOM: Final = 100
AT_ONCE: Final = 2000  # photos that are looked at, most of which need nothing
EVERY: Final = timedelta(days=1)
LISTS: Final = (entity_types.FEED, entity_types.PRIVATE)
NEEDED: Final = frozenset({"entityType", "owner", "guestId", "albums", "assetType", "s3Key", "images", "faceEngine"})


def look_for_unindexed(
    event: UpkeepDue, *, table: Table, keyring: Keyring, engine: FaceEngine | None, terms: Terms
) -> LibraryUnindexed | None:
    """A run that was interrupted goes on; a day after the last one, or with another engine, a new one begins. Where
    nobody looks for faces, it is forgotten how far that was, since photos come meanwhile.
    """
    name = _able(engine, terms)
    if name is None:
        forget_runs(table=table)
        return None
    run = find_run(keyring=keyring, table=table)
    if run is None or run.engine != name:
        return LibraryUnindexed()
    if not run.done:
        return LibraryUnindexed(run.name)
    return LibraryUnindexed() if abs(event.at - run.at) >= EVERY else None


def index_library(
    event: LibraryUnindexed, *, table: Table, jobs: Jobs, keyring: Keyring, engine: FaceEngine | None, terms: Terms
) -> Iterator[FacesWanted | LibraryUnindexed]:
    """Tells of the next photos that the engine has not looked at; then of itself, unless these were the last."""
    name = _able(engine, terms)
    run = None if name is None else _run_of(event, name, table, keyring)
    if run is None:
        return
    room = max(0, ROOM - jobs.counts().waiting)
    photos = list(islice(_photos_behind(run, table), AT_ONCE)) if room else []
    wanted = list(islice((photo for photo in photos if _is_wanted(photo, run.engine, table)), room))
    yield from map(_wish, wanted)
    after = _behind(run, photos if len(wanted) < room else wanted, done=len(wanted) < room and len(photos) < AT_ONCE)
    if note_run(run, after, keyring=keyring, table=table) and not after.done:
        yield LibraryUnindexed(run.name)


def is_unindexed(photo: Photo, engine: str) -> bool:
    """Whether it can be looked at, and this engine has not."""
    return photo.face_engine != engine and looked_at(photo) is not None


def unindexed(engine: str, *, table: Table) -> Iterator[FacesWanted]:
    """All photos in which the engine has not looked for faces, and may; the trash aside."""
    beginning = Run(name="", engine=engine, at=now())
    return (_wish(photo) for photo in _photos_behind(beginning, table) if _is_wanted(photo, engine, table))


def _able(engine: FaceEngine | None, terms: Terms) -> str | None:
    """The engine's name, where faces are to be looked for and it can."""
    return None if engine is None or terms.faces is None or engine.missing else engine.name


def _run_of(event: LibraryUnindexed, engine: str, table: Table, keyring: Keyring) -> Run | None:
    """The one that the event is about, unless it is over."""
    if event.run is None:
        return begin_run(engine, at=now(), keyring=keyring, table=table)
    run = find_run(keyring=keyring, table=table)
    return run if run is not None and (run.name, run.engine, run.done) == (event.run, engine, False) else None


def _photos_behind(run: Run, table: Table) -> Iterator[Photo]:
    """As their lists tell them, with what is needed here."""
    for within in dropwhile(lambda within: run.listed not in (None, within.value), LISTS):
        behind = run.behind if within.value == run.listed else None
        span = EVERYTHING if behind is None else Between(low=behind)
        rows = every(table, within, span, only=NEEDED)
        yield from (from_item(Photo, row) for row in rows if row["PK"] != behind)


def _is_wanted(photo: Photo, engine: str, table: Table) -> bool:
    return is_unindexed(photo, engine) and faces_allowed(photo, table=table)


def _wish(photo: Photo) -> FacesWanted:
    return FacesWanted(photo.image_id, photo.owner)


def _behind(run: Run, photos: list[Photo], *, done: bool) -> Run:
    """The run as it is when these are looked at."""
    if not photos:
        return replace(run, at=now(), done=done)
    last = photos[-1]
    listed = entity_types.photo(last.state, last.visibility, last.owner).value
    return replace(run, at=now(), listed=listed, behind=last.image_id, done=done)

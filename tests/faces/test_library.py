"""All of a library is looked at by the engine of today, in turns, and no photo has to wait for it."""

from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest

from sparks.faces import library
from sparks.faces.library import ROOM, index_library, is_unindexed, look_for_unindexed, unindexed
from sparks.faces.runs import JOB
from sparks.jobs.port import Job
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.consent import SITE, switch_faces
from sparks.model.events import Event, FacesWanted, LibraryUnindexed, UpkeepDue
from sparks.model.ids import image_id_at
from sparks.model.keyring import Keyring
from sparks.model.photo import AssetType, FaceStatus, Photo, PhotoState, Visibility
from sparks.model.terms import Terms
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Table
from tests.accounts import interrupted
from tests.faces.finders import Told, a_find, hung, photo_now, stores_with
from tests.factories import ANN, BOB, NOON

DAY = timedelta(days=1)
PRIVATE: dict[str, Any] = {"visibility": Visibility.PRIVATE}
SEEN: dict[str, Any] = {"face_status": FaceStatus.INDEXED, "face_engine": "told-1"}


@pytest.fixture
def table() -> Table:
    return MemoryTable()


@pytest.fixture
def stores(table: Table) -> Stores:
    return stores_with(Told([a_find(1)]), table)


@pytest.fixture
def turns_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "AT_ONCE", 3)


def due(stores: Stores, *, after: timedelta = timedelta()) -> LibraryUnindexed | None:
    """What upkeep tells then."""
    event, table, keyring = UpkeepDue(now() + after), stores.table, stores.keyring
    return look_for_unindexed(event, table=table, keyring=keyring, engine=stores.engine, terms=stores.terms)


def turn(stores: Stores, event: LibraryUnindexed | None = None) -> list[Event]:
    """What one turn tells."""
    return list(
        index_library(
            event or LibraryUnindexed(),
            table=stores.table,
            jobs=stores.jobs,
            keyring=stores.keyring,
            engine=stores.engine,
            terms=stores.terms,
        )
    )


def turns(stores: Stores, event: LibraryUnindexed | None = None) -> list[list[str]]:
    """The photos that each turn of a whole run wants."""
    wanted = []
    for _ in range(50):
        told = turn(stores, event)
        wanted.append([each.image_id for each in told if isinstance(each, FacesWanted)])
        event = next((each for each in told if isinstance(each, LibraryUnindexed)), None)
        if event is None:
            return wanted
    raise AssertionError("the run does not end")


def ids_of(*photos: Photo) -> list[str]:
    return [photo.image_id for photo in photos]


# -- Which photos


def test_photos_that_the_engine_has_not_looked_at_are_wanted_private_ones_too(any_table: Table) -> None:
    stores = stores_with(Told(), any_table)
    mine = [
        hung(stores, owner=BOB),
        hung(stores, owner=BOB, face_status=FaceStatus.INDEXED, face_engine="told-0"),
        hung(stores, owner=BOB, asset_type=AssetType.VIDEO, renditions=None),
        hung(stores, owner=BOB, **PRIVATE),
    ]
    hung(stores, owner=BOB, **SEEN)
    hung(stores, owner=BOB, **SEEN, **PRIVATE)
    hung(stores, owner=BOB, state=PhotoState.TRASHED)
    hung(stores, owner=BOB, renditions=None)
    hung(stores, owner=BOB, face_status=FaceStatus.FAILED, face_engine="told-1")
    wanted = [event.image_id for event in unindexed("told-1", table=any_table) if event.owner == BOB]
    assert wanted == ids_of(*mine)
    assert [image_id for image_id in chain(*turns(stores)) if image_id in wanted] == wanted


def test_a_photo_that_was_looked_at_is_not_unindexed_any_more(stores: Stores) -> None:
    photo = hung(stores)
    assert is_unindexed(photo, "told-1")
    run_all(stores, LibraryUnindexed())
    assert not is_unindexed(photo_now(photo, stores), "told-1")
    assert list(unindexed("told-1", table=stores.table)) == []


def test_what_is_forbidden_is_not_wanted(stores: Stores) -> None:
    allowed, _ = hung(stores), hung(stores, owner=BOB)
    switch_faces(BOB, False, BOB, at=NOON, table=stores.table)
    assert turns(stores) == [ids_of(allowed)]


# -- Runs


def test_an_empty_library_is_done_at_once(stores: Stores) -> None:
    assert due(stores) == LibraryUnindexed()
    assert turn(stores) == []
    assert due(stores) is None


@pytest.mark.usefixtures("turns_of_three")
def test_a_run_goes_on_where_the_last_turn_ended(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(4)]
    private = [hung(stores, **PRIVATE) for _ in range(4)]
    assert turns(stores) == [ids_of(*photos[:3]), ids_of(photos[3], *private[:2]), ids_of(*private[2:])]


@pytest.mark.usefixtures("turns_of_three")
def test_photos_of_one_moment_are_told_once_each(stores: Stores) -> None:
    at = now()
    photos = sorted(hung(stores, image_id=image_id_at(at)).image_id for _ in range(7))
    assert turns(stores) == [photos[:3], photos[3:6], photos[6:]]


@pytest.mark.usefixtures("turns_of_three")
def test_a_run_goes_on_behind_a_photo_that_was_deleted_meanwhile(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(5)]
    *_, rest = turn(stores)
    assert isinstance(rest, LibraryUnindexed)
    stores.table.write(Delete(keys.photo(photos[2].image_id, ANN)))
    assert turns(stores, rest) == [ids_of(*photos[3:])]


@pytest.mark.usefixtures("turns_of_three")
def test_an_interrupted_run_is_resumed_by_upkeep(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(5)]
    *_, rest = turn(stores)
    assert due(stores) == rest
    assert turns(stores, due(stores)) == [ids_of(*photos[3:])]


@pytest.mark.usefixtures("turns_of_three")
def test_a_turn_that_is_cut_off_is_made_again(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(4)]
    *_, rest = turn(stores)
    assert isinstance(rest, LibraryUnindexed)
    cut = index_library(
        rest,
        table=interrupted(stores.table, after=0),
        jobs=stores.jobs,
        keyring=stores.keyring,
        engine=stores.engine,
        terms=stores.terms,
    )
    with pytest.raises(Exception, match="the power is out"):
        list(cut)
    assert turns(stores, rest) == [ids_of(photos[3])]


def test_a_day_after_the_last_run_another_one_begins(stores: Stores) -> None:
    turns(stores)
    lost = hung(stores)
    assert due(stores, after=DAY / 2) is None
    assert due(stores, after=DAY) == LibraryUnindexed()
    assert turns(stores, due(stores, after=DAY)) == [ids_of(lost)]


@pytest.mark.usefixtures("turns_of_three")
def test_a_new_run_ends_the_one_before(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(4)]
    *_, before = turn(stores)
    *_, after = turn(stores, LibraryUnindexed())
    assert isinstance(before, LibraryUnindexed)
    assert isinstance(after, LibraryUnindexed)
    assert turn(stores, before) == []
    assert turns(stores, after) == [ids_of(photos[3])]


@pytest.mark.usefixtures("turns_of_three")
def test_a_turn_that_comes_twice_changes_nothing(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(4)]
    *_, rest = turn(stores)
    assert isinstance(rest, LibraryUnindexed)
    assert turns(stores, rest) == [ids_of(photos[3])]
    assert turns(stores, rest) == [[]]


def test_where_a_run_is_names_no_photo(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(3)]
    turns(stores)
    noted = stores.table.get(keys.job_state(JOB))
    assert noted is not None
    assert not any(photo.image_id in str(noted) for photo in photos)


def test_with_another_secret_a_run_begins_anew(stores: Stores) -> None:
    hung(stores)
    turns(stores)
    assert due(replace(stores, keyring=Keyring("new", {"new": bytes(32)}))) == LibraryUnindexed()


# -- Engines


def test_another_engine_looks_at_all_of_the_library(stores: Stores) -> None:
    photo = hung(stores, **SEEN)
    turns(stores)
    another = replace(stores, engine=Told(name="told-2"))
    assert due(another) == LibraryUnindexed()
    assert turns(another) == [ids_of(photo)]


@pytest.mark.usefixtures("turns_of_three")
def test_a_run_for_another_engine_is_not_gone_on_with(stores: Stores) -> None:
    for _ in range(4):
        hung(stores)
    *_, rest = turn(stores)
    assert isinstance(rest, LibraryUnindexed)
    assert turn(replace(stores, engine=Told(name="told-2")), rest) == []


@pytest.mark.parametrize("off", [{"terms": Terms()}, {"engine": None}, {"engine": Told(missing="the weights")}])
def test_once_faces_were_switched_off_and_on_all_photos_are_looked_at_again(
    stores: Stores, off: dict[str, Any]
) -> None:
    turns(stores)
    photo = hung(stores)
    switched_off = replace(stores, **off)
    assert due(switched_off) is None
    assert turn(switched_off) == []
    assert due(stores) == LibraryUnindexed()
    assert turns(stores) == [ids_of(photo)]


# -- The queue


def test_no_more_photos_are_sent_than_the_queue_has_room_for(stores: Stores) -> None:
    photos = [hung(stores) for _ in range(5)]
    for number in range(ROOM - 2):
        stores.jobs.send(Job("other", {"number": number}))
    *wanted, rest = turn(stores)
    assert wanted == [FacesWanted(photo.image_id, ANN) for photo in photos[:2]]
    for each in wanted:
        Journey().send_after(each, jobs=stores.jobs)
    assert isinstance(rest, LibraryUnindexed)
    assert turn(stores, rest) == [rest]
    stores.jobs.drop_about(photos[0].image_id)
    assert turn(stores, rest) == [FacesWanted(photos[2].image_id, ANN), rest]


def run_all(stores: Stores, event: Event) -> None:
    """The event and all that follows from it, until nothing waits."""
    journey, events = Journey(), [event]
    while events:
        for job in journey.jobs_after(events.pop(0)):
            if job.kind in ("index_library", "find_faces_again", "look_for_unindexed"):
                events += journey.run(job, stores=stores)


def test_upkeep_has_the_whole_library_looked_at_by_a_new_engine(stores: Stores) -> None:
    photos = [hung(stores, face_status=FaceStatus.INDEXED, face_engine="told-0") for _ in range(3)]
    run_all(stores, UpkeepDue(now()))
    assert {photo_now(photo, stores).face_engine for photo in photos} == {"told-1"}
    assert due(stores) is None


def test_once_it_is_allowed_again_what_was_forbidden_is_found(stores: Stores) -> None:
    photo = hung(stores)
    switch_faces(SITE, False, ANN, at=NOON, table=stores.table)
    run_all(stores, UpkeepDue(now()))
    assert photo_now(photo, stores).face_status is FaceStatus.RAW
    switch_faces(SITE, True, ANN, at=NOON + DAY, table=stores.table)
    run_all(stores, LibraryUnindexed())
    assert photo_now(photo, stores).face_count == 1

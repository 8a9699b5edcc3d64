"""The current engine analyzes the whole library in batches, and new uploads do not wait for it."""

from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest

from sparks.faces import index_library as library_run
from sparks.faces.index_library import JOB, MAX_QUEUED, index_library, is_unindexed, look_for_unindexed, unindexed
from sparks.jobs.port import Job
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.consent import SITE
from sparks.model.events import Event, FaceIndexingDue, FacesWanted, UpkeepDue
from sparks.model.ids import image_id_at
from sparks.model.keyring import Keyring
from sparks.model.photo import AssetType, FaceStatus, Photo, PhotoState, Visibility
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.times import now
from sparks.table.port import Delete, Table
from tests.account_makers import interrupted, switch_faces
from tests.faces.fake_engine import FakeEngine, found_face, photo_now, photo_with_rendition, stores_with
from tests.factories import ANN, BOB, NOON

DAY = timedelta(days=1)
PRIVATE: dict[str, Any] = {"visibility": Visibility.PRIVATE}
INDEXED: dict[str, Any] = {"face_status": FaceStatus.INDEXED, "face_engine": "fake-1"}


@pytest.fixture
def stores(table: Table) -> Stores:
    return stores_with(FakeEngine([found_face(1)]), table)


@pytest.fixture
def turns_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_run, "BATCH_SIZE", 3)


def due(stores: Stores, *, after: timedelta = timedelta()) -> FaceIndexingDue | None:
    """The event that upkeep sends then."""
    event, table, keyring = UpkeepDue(now() + after), stores.table, stores.keyring
    return look_for_unindexed(event, table=table, keyring=keyring, engine=stores.engine, pipeline=stores.pipeline)


def run_batch(stores: Stores, event: FaceIndexingDue | None = None) -> list[Event]:
    """The events of one batch."""
    return list(
        index_library(
            event or FaceIndexingDue(),
            table=stores.table,
            jobs=stores.jobs,
            keyring=stores.keyring,
            engine=stores.engine,
            pipeline=stores.pipeline,
        )
    )


def turns(stores: Stores, event: FaceIndexingDue | None = None) -> list[list[str]]:
    """The photos that each turn of a whole run wants."""
    wanted = []
    for _ in range(50):
        events = run_batch(stores, event)
        wanted.append([each.image_id for each in events if isinstance(each, FacesWanted)])
        event = next((each for each in events if isinstance(each, FaceIndexingDue)), None)
        if event is None:
            return wanted
    raise AssertionError("the run does not end")


def ids_of(*photos: Photo) -> list[str]:
    return [photo.image_id for photo in photos]


# -- Which photos


def test_all_photos_that_the_engine_has_not_analyzed_are_queued_private_ones_included(any_table: Table) -> None:
    stores = stores_with(FakeEngine(), any_table)
    mine = [
        photo_with_rendition(stores, owner=BOB),
        photo_with_rendition(stores, owner=BOB, face_status=FaceStatus.INDEXED, face_engine="fake-0"),
        photo_with_rendition(stores, owner=BOB, asset_type=AssetType.VIDEO, renditions=None),
        photo_with_rendition(stores, owner=BOB, **PRIVATE),
    ]
    photo_with_rendition(stores, owner=BOB, **INDEXED)
    photo_with_rendition(stores, owner=BOB, **INDEXED, **PRIVATE)
    photo_with_rendition(stores, owner=BOB, state=PhotoState.TRASHED)
    photo_with_rendition(stores, owner=BOB, renditions=None)
    photo_with_rendition(stores, owner=BOB, face_status=FaceStatus.FAILED, face_engine="fake-1")
    wanted = [event.image_id for event in unindexed("fake-1", table=any_table) if event.owner == BOB]
    assert wanted == ids_of(*mine)
    assert [image_id for image_id in chain(*turns(stores)) if image_id in wanted] == wanted


def test_an_analyzed_photo_is_no_longer_unindexed(stores: Stores) -> None:
    photo = photo_with_rendition(stores)
    assert is_unindexed(photo, "fake-1")
    run_all(stores, FaceIndexingDue())
    assert not is_unindexed(photo_now(photo, stores), "fake-1")
    assert list(unindexed("fake-1", table=stores.table)) == []


def test_photos_without_consent_are_not_queued(stores: Stores) -> None:
    allowed, _ = photo_with_rendition(stores), photo_with_rendition(stores, owner=BOB)
    switch_faces(BOB, False, BOB, at=NOON, table=stores.table)
    assert turns(stores) == [ids_of(allowed)]


# -- Runs


def test_an_empty_library_is_done_at_once(stores: Stores) -> None:
    assert due(stores) == FaceIndexingDue()
    assert run_batch(stores) == []
    assert due(stores) is None


@pytest.mark.usefixtures("turns_of_three")
def test_a_run_continues_where_the_last_batch_ended(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(4)]
    private = [photo_with_rendition(stores, **PRIVATE) for _ in range(4)]
    assert turns(stores) == [ids_of(*photos[:3]), ids_of(photos[3], *private[:2]), ids_of(*private[2:])]


@pytest.mark.usefixtures("turns_of_three")
def test_photos_of_the_same_time_are_queued_once_each(stores: Stores) -> None:
    at = now()
    photos = sorted(photo_with_rendition(stores, image_id=image_id_at(at)).image_id for _ in range(7))
    assert turns(stores) == [photos[:3], photos[3:6], photos[6:]]


@pytest.mark.usefixtures("turns_of_three")
def test_a_run_continues_after_a_photo_that_was_deleted_meanwhile(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(5)]
    *_, rest = run_batch(stores)
    assert isinstance(rest, FaceIndexingDue)
    stores.table.write(Delete(keys.photo(photos[2].image_id, ANN)))
    assert turns(stores, rest) == [ids_of(*photos[3:])]


@pytest.mark.usefixtures("turns_of_three")
def test_an_interrupted_run_is_resumed_by_upkeep(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(5)]
    *_, rest = run_batch(stores)
    assert due(stores) == rest
    assert turns(stores, due(stores)) == [ids_of(*photos[3:])]


@pytest.mark.usefixtures("turns_of_three")
def test_an_interrupted_batch_is_repeated(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(4)]
    *_, rest = run_batch(stores)
    assert isinstance(rest, FaceIndexingDue)
    cut = index_library(
        rest,
        table=interrupted(stores.table, after=0),
        jobs=stores.jobs,
        keyring=stores.keyring,
        engine=stores.engine,
        pipeline=stores.pipeline,
    )
    with pytest.raises(Exception, match="the power is out"):
        list(cut)
    assert turns(stores, rest) == [ids_of(photos[3])]


def test_a_day_after_the_last_run_another_one_begins(stores: Stores) -> None:
    turns(stores)
    lost = photo_with_rendition(stores)
    assert due(stores, after=DAY / 2) is None
    assert due(stores, after=DAY) == FaceIndexingDue()
    assert turns(stores, due(stores, after=DAY)) == [ids_of(lost)]


@pytest.mark.usefixtures("turns_of_three")
def test_a_new_run_ends_the_one_before(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(4)]
    *_, before = run_batch(stores)
    *_, after = run_batch(stores, FaceIndexingDue())
    assert isinstance(before, FaceIndexingDue)
    assert isinstance(after, FaceIndexingDue)
    assert run_batch(stores, before) == []
    assert turns(stores, after) == [ids_of(photos[3])]


@pytest.mark.usefixtures("turns_of_three")
def test_a_repeated_batch_changes_nothing(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(4)]
    *_, rest = run_batch(stores)
    assert isinstance(rest, FaceIndexingDue)
    assert turns(stores, rest) == [ids_of(photos[3])]
    assert turns(stores, rest) == [[]]


def test_the_stored_position_of_a_run_contains_no_photo_id(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(3)]
    turns(stores)
    noted = stores.table.get(keys.job_state(JOB))
    assert noted is not None
    assert not any(photo.image_id in str(noted) for photo in photos)


def test_a_run_whose_position_was_sealed_with_a_lost_secret_starts_again(stores: Stores) -> None:
    photo_with_rendition(stores)
    turns(stores)
    assert due(replace(stores, keyring=Keyring("new", {"new": bytes(32)}))) == FaceIndexingDue()


# -- Engines


def test_another_engine_analyzes_the_whole_library(stores: Stores) -> None:
    photo = photo_with_rendition(stores, **INDEXED)
    turns(stores)
    another = replace(stores, engine=FakeEngine(name="fake-2"))
    assert due(another) == FaceIndexingDue()
    assert turns(another) == [ids_of(photo)]


@pytest.mark.usefixtures("turns_of_three")
def test_a_run_of_another_engine_is_not_continued(stores: Stores) -> None:
    for _ in range(4):
        photo_with_rendition(stores)
    *_, rest = run_batch(stores)
    assert isinstance(rest, FaceIndexingDue)
    assert run_batch(replace(stores, engine=FakeEngine(name="fake-2")), rest) == []


@pytest.mark.parametrize(
    "off", [{"pipeline": PipelineSettings()}, {"engine": None}, {"engine": FakeEngine(missing="the weights")}]
)
def test_after_faces_were_switched_off_and_on_a_run_starts_again(stores: Stores, off: dict[str, Any]) -> None:
    turns(stores)
    photo = photo_with_rendition(stores)
    switched_off = replace(stores, **off)
    assert due(switched_off) is None
    assert run_batch(switched_off) == []
    assert due(stores) == FaceIndexingDue()
    assert turns(stores) == [ids_of(photo)]


# -- The queue


def test_a_run_queues_no_more_photos_than_the_limit_of_the_queue(stores: Stores) -> None:
    photos = [photo_with_rendition(stores) for _ in range(5)]
    for number in range(MAX_QUEUED - 2):
        stores.jobs.send(Job("other", {"number": number}))
    *wanted, rest = run_batch(stores)
    assert wanted == [FacesWanted(photo.image_id, ANN) for photo in photos[:2]]
    for each in wanted:
        Journey().send_after(each, jobs=stores.jobs)
    assert isinstance(rest, FaceIndexingDue)
    assert run_batch(stores, rest) == [rest]
    stores.jobs.drop_about(photos[0].image_id)
    assert run_batch(stores, rest) == [FacesWanted(photos[2].image_id, ANN), rest]


def run_all(stores: Stores, event: Event) -> None:
    """The event and all that follows from it, until nothing waits."""
    journey, events = Journey(), [event]
    while events:
        for job in journey.jobs_after(events.pop(0)):
            if job.kind in ("index_library", "find_faces_again", "look_for_unindexed"):
                events += journey.run(job, stores=stores)


def test_upkeep_makes_a_new_engine_analyze_the_whole_library(stores: Stores) -> None:
    photos = [photo_with_rendition(stores, face_status=FaceStatus.INDEXED, face_engine="fake-0") for _ in range(3)]
    run_all(stores, UpkeepDue(now()))
    assert {photo_now(photo, stores).face_engine for photo in photos} == {"fake-1"}
    assert due(stores) is None


def test_photos_are_indexed_once_consent_is_given_again(stores: Stores) -> None:
    photo = photo_with_rendition(stores)
    switch_faces(SITE, False, ANN, at=NOON, table=stores.table)
    run_all(stores, UpkeepDue(now()))
    assert photo_now(photo, stores).face_status is FaceStatus.RAW
    switch_faces(SITE, True, ANN, at=NOON + DAY, table=stores.table)
    run_all(stores, FaceIndexingDue())
    assert photo_now(photo, stores).face_count == 1

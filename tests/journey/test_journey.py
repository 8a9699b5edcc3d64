"""Jobs made of events, and steps called by jobs."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from sparks.blobs.port import Blobs
from sparks.jobs.port import Job, Jobs
from sparks.journey import STEPS_AFTER, Journey, steps_by_kind
from sparks.model import times
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import PeopleDue, UpkeepDue
from sparks.table.port import Table
from tests.journey.sample_steps import Arrived, Clock, Departed, departure, open_memory


def walk(event: Departed, *, table: Table, jobs: Jobs) -> Arrived:
    assert table is not None
    assert jobs is not None
    return Arrived(event.name, [len(event.name)])


def rest(event: Arrived) -> None:
    assert event.hops


def gather(event: PeopleDue) -> None:
    assert event.every


def test_the_kinds_of_jobs_stay_as_they_are_stored_in_queues() -> None:
    assert sorted(steps_by_kind(STEPS_AFTER)) == [
        "check_persons",
        "clear_abandoned_uploads",
        "clear_deleted_album",
        "erase_deleted",
        "erase_faces",
        "find_faces",
        "find_faces_again",
        "follow_decision",
        "follow_decision_again",
        "index_library",
        "look_for_unindexed",
        "make_film",
        "make_renditions",
        "place_faces",
        "rebuild_people",
        "regroup_people",
        "remove_account",
        "rename_tag",
        "resend_lost",
        "resume_album_deletions",
        "resume_erasures",
        "resume_rebuild",
        "resume_removals",
        "show_photo",
        "sweep",
        "update_lists",
        "update_lost_pictures",
        "update_person_pictures",
        "update_pictures",
        "withdraw_who_left",
    ]


def test_one_function_may_follow_two_events_under_two_kinds() -> None:
    journey = Journey({Departed: {"walk": walk}, Arrived: {"walk_on": walk}})
    assert [job.kind for job in journey.jobs_after(Arrived("Ada", []))] == ["walk_on"]
    assert list(journey.run(Job("walk_on", {"name": "Ada", "hops": []}), stores=open_memory())) == [Arrived("Ada", [3])]


def test_an_event_becomes_one_job_for_each_step_with_its_fields_as_the_body() -> None:
    jobs = Journey({Arrived: {"rest": rest}}).jobs_after(Arrived("Ada", [1, 2]))
    assert jobs == [Job("rest", {"name": "Ada", "hops": [1, 2]})]


def test_an_event_without_steps_becomes_no_job() -> None:
    assert Journey({}).jobs_after(Departed("Ada")) == []


def test_a_job_keeps_the_id_of_its_request() -> None:
    assert Journey({Departed: {"walk": walk}}).jobs_after(Departed("Ada"), request_id="r1") == [
        Job("walk", {"name": "Ada", "requestId": "r1"})
    ]


def test_a_job_calls_its_step_with_the_event_and_the_stores_that_it_asks_for() -> None:
    job = Journey({Departed: {"walk": walk}}).jobs_after(Departed("Ada"), request_id="r1")[0]
    assert list(Journey({Departed: {"walk": walk}}).run(job, stores=open_memory())) == [Arrived("Ada", [3])]


def test_a_step_may_return_several_events() -> None:
    def scatter(event: Departed) -> Iterator[Arrived]:
        yield from (Arrived(letter) for letter in event.name)

    journey = Journey({Departed: {"scatter": scatter}})
    follows = journey.run(journey.jobs_after(Departed("Ada"))[0], stores=open_memory())
    assert list(follows) == [Arrived("A"), Arrived("d"), Arrived("a")]


def test_a_function_that_records_a_failure_asks_for_stores_that_there_are() -> None:
    def mourn(event: Departed, reason: str, *, moon: object) -> None: ...

    with pytest.raises(TypeError, match="mourn asks for moon"):
        Journey({Departed: {"walk": walk}}, on_failure={"walk": mourn})


def test_times_survive_the_trip_through_a_queue() -> None:
    seen = []

    def note(event: UpkeepDue) -> None:
        seen.append(event)

    journey, stores, event = Journey({UpkeepDue: {"note": note}}), open_memory(), UpkeepDue(times.now())
    journey.send_after(event, jobs=stores.jobs)
    journey.run(stores.jobs.receive(wait=0)[0].job, stores=stores)
    assert seen == [event]


def test_a_job_of_an_unknown_step_is_not_found() -> None:
    with pytest.raises(NotFound, match="no step has the kind fly"):
        Journey({Departed: {"walk": walk}}).run(departure("Ada", step="fly"), stores=open_memory())


def test_a_job_whose_body_is_not_its_event_is_bad_input() -> None:
    with pytest.raises(BadInput, match="Departed"):
        Journey({Departed: {"walk": walk}}).run(Job("walk", {"name": 1}), stores=open_memory())


def test_a_step_that_asks_for_something_unknown_is_refused_at_once() -> None:
    def dream(event: Departed, *, moon: object) -> None: ...

    with pytest.raises(TypeError, match="dream asks for moon"):
        Journey({Departed: {"dream": dream}})


def test_a_step_that_takes_a_store_by_position_is_refused_at_once() -> None:
    def dig(event: Departed, table: Table) -> None: ...

    with pytest.raises(TypeError, match="dig asks for table"):
        Journey({Departed: {"dig": dig}})


def test_two_steps_of_one_kind_are_refused_at_once() -> None:
    with pytest.raises(TypeError, match="two steps have the kind rest"):
        Journey({Arrived: {"rest": rest}, Departed: {"rest": rest}})


def test_a_repeated_event_with_a_deduplication_key_is_sent_once_to_each_step() -> None:
    journey, stores = Journey({Arrived: {"rest": rest}, Departed: {"walk": walk}}), open_memory()
    for _ in range(2):
        journey.send_after(Departed("Ada"), jobs=stores.jobs, deduplication="k")
    journey.send_after(Arrived("Ada"), jobs=stores.jobs, deduplication="k")
    assert [delivery.job.kind for delivery in stores.jobs.receive(wait=0)] == ["walk", "rest"]


def test_events_of_a_debounced_step_are_sent_once_and_delayed() -> None:
    clock, stores, sent = Clock(), open_memory(), []
    journey = Journey({PeopleDue: {"gather": gather}}, clock=clock)
    for seconds in (0, 1, 3.9, 0.1, 4, 30):
        clock.now += seconds
        journey.send_after(PeopleDue(), jobs=stores.jobs)
        sent.append(stores.jobs.counts().delayed)
    assert sent == [1, 1, 1, 2, 2, 3]


def begin_upload(blobs: Blobs, key: str) -> None:
    upload = blobs.create_upload(key)
    blobs.put_part(key, upload, 1, [b"bytes"], size=5)


def test_upkeep_drops_an_upload_that_is_unfinished_after_two_days() -> None:
    stores = open_memory()
    begin_upload(stores.blobs, "uploads/a")
    job = Journey().jobs_after(UpkeepDue(datetime.now(UTC) + timedelta(hours=49)))[0]
    Journey().run(job, stores=stores)
    assert list(stores.blobs.list_uploads(started_before=datetime.now(UTC) + timedelta(days=9))) == []


def test_upkeep_keeps_an_unfinished_upload_that_is_younger() -> None:
    stores = open_memory()
    begin_upload(stores.blobs, "uploads/a")
    job = Journey().jobs_after(UpkeepDue(datetime.now(UTC) + timedelta(hours=47)))[0]
    Journey().run(job, stores=stores)
    assert len(list(stores.blobs.list_uploads(started_before=datetime.now(UTC) + timedelta(days=9)))) == 1

"""Decisions about persons and faces: concurrent ones all count, no face is lost, and a lost job loses no decision."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from sparks.actions.face_changes import FaceChanges, decision_batches
from sparks.actions.outbox import Outbox
from sparks.actions.person_changes import PersonChanges
from sparks.actions.record_decision import DecisionRecorder, DecisionResult
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job
from sparks.journey import Journey
from sparks.library.people.apply_decision import reconcile_person
from sparks.library.people.photo_faces import decisions_about, find_face
from sparks.library.people.redirects import get_person, resolve_person
from sparks.library.people.replay_decisions import in_force
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item
from sparks.model.caller import Credential, Member
from sparks.model.errors import NotFound, SparksError, Unavailable
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo, Visibility
from sparks.table.port import Table
from tests.account_makers import at_once, everything
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, NOON, a_user
from tests.library.people.rows import FEW, also_in, check_settled, met, photographed, seen

FACES: Final = 6
ANN_CALLING: Final = Member(a_user(ANN), Credential("session", "a"))
BOB_CALLING: Final = Member(a_user(BOB), Credential("session", "b"))


class Clock:
    """Advances by a millisecond with every call, so that of two decisions one is the later."""

    def __init__(self) -> None:
        self._at = NOON
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        with self._lock:
            self._at += timedelta(milliseconds=1)
            return self._at


class Library(NamedTuple):
    """Two persons, Eve with six more faces, each in a photo of its own, and the actions about them."""

    table: Table
    persons: PersonChanges
    face_changes: FaceChanges
    jobs: MemoryJobs
    eve: Person
    dan: Person
    faces: list[tuple[Face, Photo]]

    def face_ids(self, *indexes: int) -> list[str]:
        return [self.faces[index][0].face_id for index in indexes or range(FACES)]

    def owners(self) -> list[str | None]:
        return [person_of(face, self.table) for face, _ in self.faces]


def library_on(table: Table, jobs: MemoryJobs | None = None) -> Library:
    jobs, clock = jobs or MemoryJobs(), Clock()
    recorder = DecisionRecorder(outbox=Outbox(journey=Journey(), jobs=jobs), min_photos=FEW, table=table, clock=clock)
    persons = PersonChanges(recorder=recorder, table=table, clock=clock)
    face_changes = FaceChanges(
        recorder=recorder, table=table, blobs=MemoryBlobs(), engine=None, pipeline=None, clock=clock
    )
    eve, dan = (met(table, photographed(table)) for _ in range(2))
    photos = [photographed(table) for _ in range(FACES)]
    faces = also_in(table, eve, *photos)
    return Library(table, persons, face_changes, jobs, eve, dan, list(zip(faces, photos, strict=True)))


def person_of(face: Face, table: Table) -> str | None:
    found = find_face(face.face_id, table=table)
    assert found is not None
    return found.person_id


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_table("sqlite", tmp_path) as table:
        yield library_on(table)


def made_by(results: list[object]) -> list[Decision]:
    """The decisions that were made; a call that came too late has raised an error."""
    decided: list[Decision] = []
    for result in results:
        assert isinstance(result, DecisionResult | SparksError)
        decided += result.decisions if isinstance(result, DecisionResult) else []
    return decided


def test_of_two_members_who_assign_a_face_to_two_persons_the_later_one_counts(library: Library) -> None:
    face, _ = library.faces[0]
    assign: list[Callable[[], object]] = [
        partial(library.face_changes.assign, ANN_CALLING, face.face_id, library.dan.person_id),
        partial(library.face_changes.assign, BOB_CALLING, face.face_id, library.eve.person_id),
    ]
    made = made_by(at_once(*assign))
    assert len(made) == 2
    last = max(made, key=lambda decision: (decision.decided_at, decision.decision_id))
    assert person_of(face, library.table) == last.person_id
    library.persons.undo(ANN_CALLING, last.decision_id)
    [first] = [decision for decision in made if decision is not last]
    assert person_of(face, library.table) == first.person_id


def test_two_members_who_split_off_the_same_faces_lose_none(library: Library) -> None:
    split = [
        partial(library.face_changes.split, caller, library.eve.person_id, library.face_ids())
        for caller in (ANN_CALLING, BOB_CALLING)
    ]
    made = made_by(at_once(*split))
    last = max(made, key=lambda decision: (decision.decided_at, decision.decision_id))
    assert set(library.owners()) == {last.other_person_id}
    for decision in made:
        library.persons.undo(ANN_CALLING, decision.decision_id)
    assert set(library.owners()) == {library.eve.person_id}


def test_a_rejection_counts_though_the_person_is_merged_at_the_same_time(library: Library) -> None:
    wrong = library.face_ids(0, 1)
    both: list[Callable[[], object]] = [
        partial(library.face_changes.reject, ANN_CALLING, library.eve.person_id, wrong),
        partial(library.persons.merge, BOB_CALLING, library.eve.person_id, library.dan.person_id),
    ]
    results = at_once(*both)
    if isinstance(results[0], SparksError):  # the merge was faster: repeated, the rejection counts
        library.face_changes.reject(ANN_CALLING, library.dan.person_id, wrong)
    for person in (library.eve, library.dan):
        reconcile_person(person.person_id, min_photos=FEW, table=library.table)
    assert resolve_person(library.eve.person_id, table=library.table) == library.dan.person_id
    assert library.owners() == [None, None] + [library.dan.person_id] * (FACES - 2)
    assert get_person(library.dan.person_id, table=library.table).member_count == FACES


def test_concurrent_decisions_of_all_kinds_leave_every_face_with_at_most_one_person(library: Library) -> None:
    table = library.table
    eve, dan, persons, faces = library.eve.person_id, library.dan.person_id, library.persons, library.face_changes
    ids = library.face_ids()
    calls: list[Callable[[], object]] = [
        partial(persons.change, ANN_CALLING, eve, name="Eve"),
        partial(persons.change, BOB_CALLING, eve, name="Eva"),
        partial(faces.split, ANN_CALLING, eve, ids[:2]),
        partial(faces.reject, BOB_CALLING, eve, ids[1:3]),
        partial(faces.assign, ANN_CALLING, ids[2], dan),
        partial(faces.assign_to_new, BOB_CALLING, ids[0]),
        partial(persons.merge, ANN_CALLING, dan, eve),
        partial(persons.choose_cover_face, BOB_CALLING, eve, ids[4]),
    ]
    made = made_by(at_once(*calls))
    reconcile_all(table)
    check_settled(table)
    assert set(ids) <= all_face_ids(table)
    for decision in reversed(made):
        persons.undo(ANN_CALLING, decision.decision_id)
    reconcile_all(table)
    check_settled(table)
    assert set(library.owners()) == {eve}
    assert in_force(decisions_about(eve, table=table)) == []


def reconcile_all(table: Table) -> None:
    for _ in range(2):
        for item in everything(table):
            if item.get("entityType") == "PERSON":
                reconcile_person(from_item(Person, item).person_id, min_photos=FEW, table=table)


def all_face_ids(table: Table) -> set[str]:
    return {item["SK"].removeprefix("FACE#") for item in everything(table) if item["SK"].startswith("FACE#")}


# -- Follow-up


class LostJobs(MemoryJobs):
    """A queue that cannot be reached any more after the first job."""

    def __init__(self) -> None:
        super().__init__()
        self._sent = 0

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        self._sent += 1
        if self._sent > 1:
            raise Unavailable("the queue cannot be reached")
        super().send(job, delay=delay, deduplication=deduplication, group=group)


def test_a_decision_is_made_though_its_follow_up_job_cannot_be_sent(tmp_path: Path) -> None:
    with open_table("memory", tmp_path) as table:
        library = library_on(table, LostJobs())
        [decision] = library.persons.change(ANN_CALLING, library.eve.person_id, name="Eve").decisions
        assert decision.name == "Eve"
        assert library.jobs.counts().waiting + library.jobs.counts().delayed == 1


def test_a_member_decides_nothing_about_a_person_in_private_photos_of_others(tmp_path: Path) -> None:
    with open_table("memory", tmp_path) as table:
        library = library_on(table)
        photo = photographed(table, visibility=Visibility.PRIVATE)
        hidden = met(table, photo)
        face_ids = [face.face_id for face in also_in(table, hidden, photographed(table, visibility=Visibility.PRIVATE))]
        persons, faces = library.persons, library.face_changes
        for call in (
            partial(persons.change, BOB_CALLING, hidden.person_id, name="Zoe"),
            partial(persons.merge, BOB_CALLING, library.eve.person_id, hidden.person_id),
            partial(persons.choose_cover_face, BOB_CALLING, library.eve.person_id, face_ids[0]),
            partial(faces.split, BOB_CALLING, hidden.person_id, face_ids),
            partial(faces.reject, BOB_CALLING, library.eve.person_id, face_ids),
            partial(faces.assign, BOB_CALLING, face_ids[0], library.eve.person_id),
            partial(faces.assign_to_new, BOB_CALLING, face_ids[0]),
        ):
            with pytest.raises(NotFound):
                call()
        [decision] = persons.change(ANN_CALLING, hidden.person_id, name="Zoe").decisions
        with pytest.raises(NotFound):
            persons.undo(BOB_CALLING, decision.decision_id)


def test_one_decision_names_faces_of_photos_with_the_same_audience_only(tmp_path: Path) -> None:
    with open_table("memory", tmp_path) as table:
        photos = [
            photographed(table),
            photographed(table, visibility=Visibility.PRIVATE),
            photographed(table, albums=("a",)),
            photographed(table, visibility=Visibility.PRIVATE, albums=("a",)),
            photographed(table, visibility=Visibility.PRIVATE),
            photographed(table, visibility=Visibility.PRIVATE, owner=BOB),
        ]
        found = [(seen(table, photo), find_photo(photo.image_id, table=table) or photo) for photo in photos]
        batches = [[each.image_id for each in batch] for batch in decision_batches(found)]
        ids = [photo.image_id for photo in photos]
        assert batches == [[ids[0], ids[2]], [ids[1], ids[4]], [ids[3]], [ids[5]]]

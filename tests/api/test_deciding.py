"""Several people deciding at once: everybody is heard, and no face is lost."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from sparks.api.deciding import Deciding, batches_of
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job
from sparks.journey import Journey, Stores
from sparks.library.people import decisions_about, find_face, get_person, in_force, resolve_person, settle_person
from sparks.library.photos import find_photo
from sparks.library.records import from_item
from sparks.model.errors import SparksError, Unavailable
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo, Visibility
from sparks.model.terms import FaceTerms, Terms
from sparks.table.port import Table
from tests.accounts import at_once, everything
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, NOON
from tests.journey.trip import KEYRING
from tests.library.people.rows import FEW, also_in, check_settled, met, photographed, seen

FACES: Final = 6
TERMS: Final = Terms(
    faces=FaceTerms(engine="test-1", dimensions=128, candidate=0.42, strong=0.49, founding=0.3, enough=FEW)
)


class Clock:
    """A millisecond later with every look at it: of two decisions, one is the later."""

    def __init__(self) -> None:
        self._at = NOON
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        with self._lock:
            self._at += timedelta(milliseconds=1)
            return self._at


class House(NamedTuple):
    """Two persons with some faces each, one in each photo, and who decides about them."""

    table: Table
    deciding: Deciding
    jobs: MemoryJobs
    eve: Person
    dan: Person
    faces: list[tuple[Face, Photo]]

    def whose(self) -> list[str | None]:
        return [whose(face, self.table) for face, _ in self.faces]


def house_on(table: Table, jobs: MemoryJobs | None = None) -> House:
    jobs = jobs or MemoryJobs()
    stores = Stores(table=table, blobs=MemoryBlobs(), jobs=jobs, keyring=KEYRING, terms=TERMS)
    deciding = Deciding(stores=stores, journey=Journey(), clock=Clock())
    eve, dan = (met(table, photographed(table)) for _ in range(2))
    photos = [photographed(table) for _ in range(FACES)]
    faces = also_in(table, eve, *photos)
    return House(table, deciding, jobs, eve, dan, list(zip(faces, photos, strict=True)))


def whose(face: Face, table: Table) -> str | None:
    found = find_face(face.face_id, table=table)
    assert found is not None
    return found.person_id


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_table("sqlite", tmp_path) as table:
        yield house_on(table)


def made_by(answers: list[object]) -> list[Decision]:
    """What was decided; whoever was too late heard why."""
    decided: list[Decision] = []
    for answer in answers:
        assert isinstance(answer, Decision | list | SparksError)
        decided += answer if isinstance(answer, list) else [answer] if isinstance(answer, Decision) else []
    return decided


def test_a_face_that_two_give_to_two_persons_is_the_later_ones(house: House) -> None:
    face, _ = house.faces[0]
    give: list[Callable[[], object]] = [
        partial(house.deciding.assign, house.dan.person_id, face, who=ANN),
        partial(house.deciding.assign, house.eve.person_id, face, who=BOB),
    ]
    made = made_by(at_once(*give))
    assert len(made) == 2
    last = max(made, key=lambda decision: (decision.decided_at, decision.decision_id))
    assert whose(face, house.table) == last.person_id
    house.deciding.undo(last, who=ANN)
    [first] = [decision for decision in made if decision is not last]
    assert whose(face, house.table) == first.person_id


def test_two_who_split_the_same_faces_off_lose_none(house: House) -> None:
    split = [partial(house.deciding.split, house.eve.person_id, house.faces, who=who) for who in (ANN, BOB)]
    made = made_by(at_once(*split))
    last = max(made, key=lambda decision: (decision.decided_at, decision.decision_id))
    assert set(house.whose()) == {last.other_person_id}
    for decision in made:
        house.deciding.undo(decision, who=ANN)
    assert set(house.whose()) == {house.eve.person_id}


def test_a_rejection_stands_though_the_person_is_merged_at_the_same_time(house: House) -> None:
    wrong = house.faces[:2]
    both: list[Callable[[], object]] = [
        partial(house.deciding.reject, house.eve.person_id, wrong, who=ANN),
        partial(house.deciding.merge, house.eve.person_id, house.dan.person_id, who=BOB),
    ]
    answers = at_once(*both)
    if isinstance(answers[0], SparksError):  # she was somebody else already: said again, it counts
        house.deciding.reject(house.dan.person_id, wrong, who=ANN)
    for person in (house.eve, house.dan):
        settle_person(person.person_id, enough=FEW, table=house.table)
    assert resolve_person(house.eve.person_id, table=house.table) == house.dan.person_id
    assert house.whose() == [None, None] + [house.dan.person_id] * (FACES - 2)
    assert get_person(house.dan.person_id, table=house.table).member_count == FACES


def test_many_who_do_all_kinds_of_things_at_once_leave_every_face_with_one_person_at_most(house: House) -> None:
    table = house.table
    eve, dan, deciding = house.eve.person_id, house.dan.person_id, house.deciding
    first, second, third = house.faces[0], house.faces[1], house.faces[2]
    calls: list[Callable[[], object]] = [
        partial(deciding.name, eve, "Eve", who=ANN),
        partial(deciding.name, eve, "Eva", who=BOB),
        partial(deciding.split, eve, [first, second], who=ANN),
        partial(deciding.reject, eve, [second, third], who=BOB),
        partial(deciding.assign, dan, third[0], who=ANN),
        partial(deciding.assign, None, first[0], who=BOB),
        partial(deciding.merge, dan, eve, who=ANN),
        partial(deciding.choose_picture, eve, house.faces[4][0], who=BOB),
    ]
    before = {face.face_id for face, _ in house.faces}
    made = made_by(at_once(*calls))
    rest(table)
    check_settled(table)
    assert before <= faces_of_everybody(table)
    for decision in reversed(made):
        deciding.undo(decision, who=ANN)
    rest(table)
    check_settled(table)
    assert set(house.whose()) == {eve}
    assert in_force(decisions_about(eve, table=table)) == []


def rest(table: Table) -> None:
    for _ in range(2):
        for item in everything(table):
            if item.get("entityType") == "PERSON":
                settle_person(from_item(Person, item).person_id, enough=FEW, table=table)


def faces_of_everybody(table: Table) -> set[str]:
    return {item["SK"].removeprefix("FACE#") for item in everything(table) if item["SK"].startswith("FACE#")}


# -- What follows


class LostJobs(MemoryJobs):
    """They cannot be sent any more after the first one."""

    def __init__(self) -> None:
        super().__init__()
        self._sent = 0

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        self._sent += 1
        if self._sent > 1:
            raise Unavailable("the queue cannot be reached")
        super().send(job, delay=delay, deduplication=deduplication, group=group)


def test_a_decision_is_made_though_nothing_can_follow_it(tmp_path: Path) -> None:
    with open_table("memory", tmp_path) as table:
        house = house_on(table, LostJobs())
        decision = house.deciding.name(house.eve.person_id, "Eve", who=ANN)
        assert decision.name == "Eve"
        assert house.jobs.counts().waiting + house.jobs.counts().delayed == 1


def test_faces_are_decided_about_together_where_the_same_people_see_them(tmp_path: Path) -> None:
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
        places = [[each.image_id for each in batch] for batch in batches_of(found)]
        ids = [photo.image_id for photo in photos]
        assert places == [[ids[0], ids[2]], [ids[1], ids[4]], [ids[3]], [ids[5]]]

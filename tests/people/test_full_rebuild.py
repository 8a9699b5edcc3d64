"""A full rebuild: all faces, all persons, one plan; killed anywhere, it goes on."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

import pytest

from sparks.library import keys
from sparks.library.erasure import erase_photo
from sparks.library.job_states import FULL, INCREMENTAL, hold, job_state
from sparks.library.people import assign_face, found_person, list_suggestions, name_person, tell_apart
from sparks.library.photos import find_photo
from sparks.library.records import to_item
from sparks.model.errors import BadInput, Busy, Unavailable
from sparks.model.events import RebuildWanted, UpkeepDue
from sparks.model.face import Face
from sparks.model.person import Person, Suggestion
from sparks.model.terms import Terms
from sparks.people import applying, thinking
from sparks.people.full import PLAN, rebuild_people, resume_rebuild
from sparks.people.kept_plan import GOOD_FOR
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Put, Table
from tests.accounts import blob_keys, everything
from tests.factories import BOB
from tests.library.people.rows import check_counts, check_settled
from tests.people.power import Power, PoweredBlobs, PoweredTable
from tests.people.town import Town, terms_of
from tests.traces import traces_of

FEW_STEPS: Final = 3


@pytest.fixture(autouse=True)
def notes_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "AT_ONCE", FEW_STEPS)


def founded(town: Town, face: Face, *others: Face) -> Person:
    """A person as some engine made them, rightly or not."""
    person = found_person(face, at=town.now(), table=town.table)
    assert person is not None
    for other in others:
        assign_face(other, person.person_id, at=town.now(), table=town.table)
    town.settle_all()
    return person


class Muddle:
    """Persons who were mixed up: one is of two people, one is a part of another and goes, one has a name, and many
    faces are nobody's.
    """

    def __init__(self, table: Table) -> None:
        self.town = town = Town(table)
        self.anns, self.bobs, self.carls = (town.photos(who, times=3) for who in range(3))
        self.pair = town.photo(3, 4)
        self.mixed = founded(town, *self.bobs[:2], self.anns[0])
        self.part = founded(town, self.bobs[2])
        self.carl = founded(town, self.carls[0])
        town.settle(name_person(self.carl.person_id, "Carl", who=BOB, at=town.now(), table=table))

    def check(self) -> None:
        town = self.town
        assert town.person(self.bobs).person_id == self.mixed.person_id
        assert town.person(self.carls).person_id == self.carl.person_id
        assert town.names() == {self.carl.person_id: "Carl"}
        assert self.part.person_id not in town.persons()
        assert len(town.groups()) == 5
        assert len(town.whose()) == 11
        check_settled(town.table)


def test_persons_are_put_right_and_keep_their_ids(table: Table) -> None:
    muddle = Muddle(table)
    done = muddle.town.rebuild()
    muddle.check()
    assert (done.processed_faces, done.created_persons, done.updated_persons) == (11, 3, 3)
    assert done.checkpoint is not None
    assert not done.more


def test_nothing_is_left_of_the_plan(town: Town) -> None:
    town.photos(0, 1, times=2)
    town.rebuild()
    state = job_state(FULL, table=town.table)
    assert blob_keys(town.blobs) == []
    assert state.lease is None
    assert state.stats == {"processedFaces": 4, "createdPersons": 2, "updatedPersons": 0}


def test_what_was_thought_over_need_not_be_thought_over_again(town: Town) -> None:
    town.photos(0, 1, times=2)
    done = town.rebuild()
    assert job_state(INCREMENTAL, table=town.table).last_processed_at == done.checkpoint
    assert town.regroup().created_persons == 0


def test_progress_is_told_to_the_end(town: Town) -> None:
    town.photos(0, times=4)
    told: list[tuple[int, int]] = []
    town.rebuild(progress=lambda done, steps: told.append((done, steps)))
    assert told == [(0, 5), (3, 5), (5, 5)]


def with_another_engine(town: Town) -> None:
    town.terms = Terms(faces=terms_of("next-2"))


def test_faces_of_another_engine_stay_where_they_are(town: Town) -> None:
    faces = town.photos(0, times=2)
    person = founded(town, *faces)
    with_another_engine(town)
    assert town.rebuild().processed_faces == 0
    assert town.person(faces).person_id == person.person_id


def test_poor_faces_found_nobody_and_join_those_whom_they_are(town: Town) -> None:
    alone, ann = town.photo(5, quality=0.1), [*town.photos(0, times=3), *town.photo(0, quality=0.1)]
    town.rebuild()
    assert town.persons_of(alone) == {None}
    town.person(ann)


def test_near_faces_may_come_from_the_index(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "MANY", 0)
    muddle = Muddle(table)
    muddle.town.rebuild()
    muddle.check()


# -- What a human is asked


def test_suggestions_are_made_anew(town: Town) -> None:
    one, other = town.photo(0, likeness=0.45), town.photo(0, likeness=0.45)
    stale = Suggestion(
        person_id="person8",
        other_person_id="person9",
        face_id=one[0].face_id,
        other_face_id=other[0].face_id,
        similarity=0.45,
        made_at=town.clock,
    )
    town.table.write(Put(to_item(stale)))
    town.rebuild()
    [asked] = list_suggestions(table=town.table)
    assert {asked.person_id, asked.other_person_id} == town.persons_of([*one, *other])
    assert town.table.get(keys.suggestion("person8", "person9")) is None


def test_nobody_is_asked_about_two_who_were_told_apart_meanwhile(town: Town) -> None:
    one, other = town.photo(0, likeness=0.45), town.photo(0, likeness=0.45)

    def tell(position: int, steps: int) -> None:
        if position == steps:
            first, second = town.persons_of([*one, *other])
            tell_apart(str(first), str(second), who=BOB, at=town.now(), table=town.table)

    town.rebuild(progress=tell)
    assert list_suggestions(table=town.table) == []
    town.rebuild()
    assert list_suggestions(table=town.table) == []


# -- At once with others


def test_two_rebuilds_never_run_at_once(town: Town) -> None:
    hold(INCREMENTAL, "somebody", at=town.clock, seconds=60, table=town.table)
    with pytest.raises(Busy):
        town.rebuild()
    town.wait(minutes=2)
    town.rebuild()
    assert job_state(INCREMENTAL, table=town.table).lease is None


def test_whoever_is_named_meanwhile_keeps_the_faces(table: Table) -> None:
    muddle = Muddle(table)
    town = muddle.town

    def name_them(position: int, _: int) -> None:
        if position == 0:
            name_person(muddle.part.person_id, "Bobby", who=BOB, at=town.now(), table=town.table)

    town.rebuild(progress=name_them)
    assert town.person_of(muddle.bobs[2]) == muddle.part.person_id
    assert town.names() == {muddle.carl.person_id: "Carl", muddle.part.person_id: "Bobby"}


def test_nothing_is_rebuilt_where_faces_are_off(town: Town) -> None:
    rebuild_people(RebuildWanted(), table=town.table, blobs=town.blobs, index=None, terms=Terms())
    assert everything(town.table) == []
    with pytest.raises(BadInput):
        town.rebuild(terms=Terms())


# -- Killed


def copy(items: list[Item]) -> MemoryTable:
    table = MemoryTable()
    for item in items:
        table.write(Put(item))
    return table


class Killing:
    """The same run on the same muddle, killed at another write each time."""

    def __init__(self, run: Callable[[Town], object] = Town.rebuild) -> None:
        self.run = run
        self.table = MemoryTable()
        self.muddle = Muddle(self.table)
        self.before = everything(self.table)

    def killed(self, writes: int | None) -> tuple[Muddle, Power]:
        """The muddle after so many writes, or where these are enough, after all of it."""
        power = Power(writes)
        town = self.muddle.town
        town.table, town.blobs = PoweredTable(copy(self.before), power), PoweredBlobs(power)
        with suppress(Unavailable):
            self.run(town)
        town.wait(minutes=2)
        return self.muddle, power

    def everywhere(self, *, step: int = 1) -> Iterator[Muddle]:
        for writes in range(0, 1000, step):
            muddle, power = self.killed(writes)
            if power.left:
                return
            power.left = None
            yield muddle


def test_killed_at_any_write_each_face_has_one_person_and_the_next_run_ends_as_if_nothing_had_been() -> None:
    killing = Killing()
    killing.killed(None)
    expected = killing.muddle.town.groups()
    times = 0
    for muddle in killing.everywhere():
        times += 1
        check_counts(everything(muddle.town.table))
        assert muddle.town.names() == {muddle.carl.person_id: "Carl"}
        muddle.town.rebuild()
        muddle.check()
        assert muddle.town.groups() == expected
        assert blob_keys(muddle.town.blobs) == []
    assert times > 30


def test_killed_again_and_again_it_goes_on_where_it_was() -> None:
    muddle = halfway()
    town, ids = muddle.town, muddle.town.table.get(keys.PERSON_COUNTER)
    runs = 0
    while PLAN in stats(town):
        runs += 1
        with suppress(Unavailable):
            town.rebuild(table=PoweredTable(town.table, Power(20)))
        town.wait(minutes=2)
    muddle.check()
    assert 2 < runs < 20
    assert town.table.get(keys.PERSON_COUNTER) == ids


def halfway() -> Muddle:
    """Killed when some of the plan was done."""
    for muddle in Killing().everywhere():
        if stats(muddle.town).get("position", 0) >= FEW_STEPS:
            return muddle
    raise AssertionError("it was never halfway")


def stats(town: Town) -> Mapping[str, Any]:
    return job_state(FULL, table=town.table).stats or {}


def test_a_plan_that_is_too_old_is_made_anew() -> None:
    for muddle in Killing().everywhere(step=5):
        muddle.town.wait(seconds=GOOD_FOR.total_seconds())
        muddle.town.rebuild()
        muddle.check()
        assert blob_keys(muddle.town.blobs) == []


def test_a_plan_of_another_engine_is_made_anew() -> None:
    muddle = halfway()
    with_another_engine(muddle.town)
    assert muddle.town.rebuild().processed_faces == 0
    assert blob_keys(muddle.town.blobs) == []
    check_settled(muddle.town.table)


@pytest.mark.parametrize("written", [None, b"", b"something else"])
def test_a_plan_that_cannot_be_read_is_made_anew(written: bytes | None) -> None:
    muddle = halfway()
    [key] = blob_keys(muddle.town.blobs)
    if written is None:
        muddle.town.blobs.delete(key)
    else:
        muddle.town.blobs.put(key, [written])
    muddle.town.rebuild()
    muddle.check()


@pytest.mark.parametrize("run", [Town.rebuild, Town.regroup])
def test_a_photo_that_is_deleted_after_a_kill_is_named_nowhere(run: Callable[[Town], object]) -> None:
    for muddle in Killing(run).everywhere(step=6):
        town, face = muddle.town, muddle.anns[1]
        photo = find_photo(face.image_id, table=town.table)
        assert photo is not None
        erase_photo(photo, table=town.table, blobs=town.blobs)
        assert traces_of(face.image_id, table=town.table, blobs=town.blobs) == []


def test_what_was_interrupted_is_found_by_the_upkeep() -> None:
    town = halfway().town
    killed_at = town.clock - timedelta(minutes=2)
    assert resume_rebuild(UpkeepDue(killed_at), table=town.table, blobs=town.blobs) is None
    assert resume_rebuild(UpkeepDue(town.now()), table=town.table, blobs=town.blobs) == RebuildWanted()
    town.rebuild()
    assert resume_rebuild(UpkeepDue(town.now()), table=town.table, blobs=town.blobs) is None


def test_a_plan_that_was_left_before_anything_names_it_goes() -> None:
    for muddle in Killing().everywhere():
        town = muddle.town
        if blob_keys(town.blobs) and not stats(town):
            assert resume_rebuild(UpkeepDue(town.now()), table=town.table, blobs=town.blobs) is None
            assert blob_keys(town.blobs) == []
            return
    raise AssertionError("there was always a state")

"""Full rebuild of all persons, also after interruptions."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

import pytest

from sparks.library import keys
from sparks.library.leases import FULL, INCREMENTAL, acquire_lease, job_state
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.merge_suggestions import list_suggestions
from sparks.library.people.person_decisions import mark_different, name_person
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import to_item
from sparks.model.errors import BadInput, Busy, Unavailable
from sparks.model.events import RebuildWanted, UpkeepDue
from sparks.model.face import Face
from sparks.model.person import Person, Suggestion
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people import apply_plan, rebuild_plan
from sparks.people.change_plan import VALID_FOR
from sparks.people.rebuild import PLAN, rebuild_people, resume_rebuild
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Put, Table
from tests.account_makers import everything, stored_keys
from tests.factories import BOB
from tests.library.people.rows import check_counts, check_settled
from tests.people.face_library import FaceLibrary, pipeline_settings_of
from tests.people.power_failure import Power, PoweredBlobs, PoweredTable
from tests.stored_traces import traces_of

FEW_STEPS: Final = 3


@pytest.fixture(autouse=True)
def notes_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply_plan, "BATCH_SIZE", FEW_STEPS)


def founded(library: FaceLibrary, face: Face, *others: Face) -> Person:
    """A person as some engine made them, rightly or not."""
    person = found_person(face, at=library.now(), table=library.table)
    assert person is not None
    for other in others:
        assign_face(other, person.person_id, at=library.now(), table=library.table)
    library.settle_all()
    return person


class WrongPersons:
    """Wrong persons: one has faces of two people, one is a part of another and disappears, one has a name, and many
    faces are unassigned.
    """

    def __init__(self, table: Table) -> None:
        self.library = library = FaceLibrary(table)
        self.anns, self.bobs, self.carls = (library.photos(who, times=3) for who in range(3))
        self.pair = library.photo(3, 4)
        self.mixed = founded(library, *self.bobs[:2], self.anns[0])
        self.part = founded(library, self.bobs[2])
        self.carl = founded(library, self.carls[0])
        library.settle(name_person(self.carl.person_id, "Carl", who=BOB, at=library.now(), table=table))

    def check(self) -> None:
        library = self.library
        assert library.person(self.bobs).person_id == self.mixed.person_id
        assert library.person(self.carls).person_id == self.carl.person_id
        assert library.names() == {self.carl.person_id: "Carl"}
        assert self.part.person_id not in library.persons()
        assert len(library.groups()) == 5
        assert len(library.whose()) == 11
        check_settled(library.table)


def test_wrong_persons_are_corrected_and_keep_their_ids(table: Table) -> None:
    wrong_persons = WrongPersons(table)
    done = wrong_persons.library.rebuild()
    wrong_persons.check()
    assert (done.processed_faces, done.created_persons, done.updated_persons) == (11, 3, 3)
    assert done.checkpoint is not None
    assert not done.more


def test_the_plan_is_deleted_at_the_end(library: FaceLibrary) -> None:
    library.photos(0, 1, times=2)
    library.rebuild()
    state = job_state(FULL, table=library.table)
    assert stored_keys(library.blobs) == []
    assert state.lease is None
    assert state.stats == {"processedFaces": 4, "createdPersons": 2, "updatedPersons": 0}


def test_a_full_rebuild_leaves_no_faces_for_the_incremental_one(library: FaceLibrary) -> None:
    library.photos(0, 1, times=2)
    done = library.rebuild()
    assert job_state(INCREMENTAL, table=library.table).last_processed_at == done.checkpoint
    assert library.regroup().created_persons == 0


def test_progress_is_reported_to_the_end(library: FaceLibrary) -> None:
    library.photos(0, times=4)
    told: list[tuple[int, int]] = []
    library.rebuild(progress=lambda done, steps: told.append((done, steps)))
    assert told == [(0, 5), (3, 5), (5, 5)]


def with_another_engine(library: FaceLibrary) -> None:
    library.pipeline = PipelineSettings(faces=pipeline_settings_of("next-2"))


def test_faces_of_another_engine_keep_their_persons(library: FaceLibrary) -> None:
    faces = library.photos(0, times=2)
    person = founded(library, *faces)
    with_another_engine(library)
    assert library.rebuild().processed_faces == 0
    assert library.person(faces).person_id == person.person_id


def test_poor_faces_found_no_person_and_join_similar_ones(library: FaceLibrary) -> None:
    alone, ann = library.photo(5, quality=0.1), [*library.photos(0, times=3), *library.photo(0, quality=0.1)]
    library.rebuild()
    assert library.persons_of(alone) == {None}
    library.person(ann)


def test_a_large_library_takes_neighbors_from_the_index(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild_plan, "MAX_COMPARED_DIRECTLY", 0)
    wrong_persons = WrongPersons(table)
    wrong_persons.library.rebuild()
    wrong_persons.check()


# -- Merge suggestions


def test_a_full_rebuild_replaces_all_merge_suggestions(library: FaceLibrary) -> None:
    one, other = library.photo(0, likeness=0.45), library.photo(0, likeness=0.45)
    stale = Suggestion(
        person_id="person8",
        other_person_id="person9",
        face_id=one[0].face_id,
        other_face_id=other[0].face_id,
        similarity=0.45,
    )
    library.table.write(Put(to_item(stale)))
    library.rebuild()
    [asked] = list_suggestions(table=library.table)
    assert {asked.person_id, asked.other_person_id} == library.persons_of([*one, *other])
    assert library.table.get(keys.suggestion("person8", "person9")) is None


def test_no_merge_is_suggested_for_two_persons_marked_as_different_meanwhile(library: FaceLibrary) -> None:
    one, other = library.photo(0, likeness=0.45), library.photo(0, likeness=0.45)

    def on_progress(position: int, steps: int) -> None:
        if position == steps:
            first, second = library.persons_of([*one, *other])
            mark_different(str(first), str(second), who=BOB, at=library.now(), table=library.table)

    library.rebuild(progress=on_progress)
    assert list_suggestions(table=library.table) == []
    library.rebuild()
    assert list_suggestions(table=library.table) == []


# -- At once with others


def test_two_rebuilds_never_run_at_once(library: FaceLibrary) -> None:
    acquire_lease(INCREMENTAL, "somebody", at=library.clock, seconds=60, table=library.table)
    with pytest.raises(Busy):
        library.rebuild()
    library.wait(minutes=2)
    library.rebuild()
    assert job_state(INCREMENTAL, table=library.table).lease is None


def test_a_person_who_is_named_during_a_rebuild_keeps_their_faces(table: Table) -> None:
    wrong_persons = WrongPersons(table)
    library = wrong_persons.library

    def name_them(position: int, _: int) -> None:
        if position == 0:
            name_person(wrong_persons.part.person_id, "Bobby", who=BOB, at=library.now(), table=library.table)

    library.rebuild(progress=name_them)
    assert library.person_of(wrong_persons.bobs[2]) == wrong_persons.part.person_id
    assert library.names() == {wrong_persons.carl.person_id: "Carl", wrong_persons.part.person_id: "Bobby"}


def test_nothing_is_rebuilt_where_faces_are_off(library: FaceLibrary) -> None:
    rebuild_people(RebuildWanted(), table=library.table, blobs=library.blobs, index=None, pipeline=PipelineSettings())
    assert everything(library.table) == []
    with pytest.raises(BadInput):
        library.rebuild(pipeline=PipelineSettings())


# -- Interruptions


def copy(items: list[Item]) -> MemoryTable:
    table = MemoryTable()
    for item in items:
        table.write(Put(item))
    return table


class Interruptions:
    """The same run on the same wrong persons, interrupted at another write each time."""

    def __init__(self, run: Callable[[FaceLibrary], object] = FaceLibrary.rebuild) -> None:
        self.run = run
        self.table = MemoryTable()
        self.wrong_persons = WrongPersons(self.table)
        self.before = everything(self.table)

    def interrupted(self, writes: int | None) -> tuple[WrongPersons, Power]:
        """The persons after so many writes, or after the whole run if it needs no more."""
        power = Power(writes)
        library = self.wrong_persons.library
        library.table, library.blobs = PoweredTable(copy(self.before), power), PoweredBlobs(power)
        with suppress(Unavailable):
            self.run(library)
        library.wait(minutes=2)
        return self.wrong_persons, power

    def everywhere(self, *, step: int = 1) -> Iterator[WrongPersons]:
        for writes in range(0, 1000, step):
            wrong_persons, power = self.interrupted(writes)
            if power.left:
                return
            power.left = None
            yield wrong_persons


def test_after_an_interruption_at_any_write_the_next_run_ends_as_an_uninterrupted_one() -> None:
    interruptions = Interruptions()
    interruptions.interrupted(None)
    expected = interruptions.wrong_persons.library.groups()
    times = 0
    for wrong_persons in interruptions.everywhere():
        times += 1
        check_counts(everything(wrong_persons.library.table))
        assert wrong_persons.library.names() == {wrong_persons.carl.person_id: "Carl"}
        wrong_persons.library.rebuild()
        wrong_persons.check()
        assert wrong_persons.library.groups() == expected
        assert stored_keys(wrong_persons.library.blobs) == []
    assert times > 30


def test_a_rebuild_that_is_interrupted_again_and_again_resumes_where_it_was() -> None:
    wrong_persons = halfway()
    library, ids = wrong_persons.library, wrong_persons.library.table.get(keys.PERSON_COUNTER)
    runs = 0
    while PLAN in stats(library):
        runs += 1
        with suppress(Unavailable):
            library.rebuild(table=PoweredTable(library.table, Power(20)))
        library.wait(minutes=2)
    wrong_persons.check()
    assert 2 < runs < 20
    assert library.table.get(keys.PERSON_COUNTER) == ids


def halfway() -> WrongPersons:
    """Killed when some of the plan was done."""
    for wrong_persons in Interruptions().everywhere():
        if stats(wrong_persons.library).get("position", 0) >= FEW_STEPS:
            return wrong_persons
    raise AssertionError("it was never halfway")


def stats(library: FaceLibrary) -> Mapping[str, Any]:
    return job_state(FULL, table=library.table).stats or {}


def test_a_plan_that_is_too_old_is_replaced() -> None:
    for wrong_persons in Interruptions().everywhere(step=5):
        wrong_persons.library.wait(seconds=VALID_FOR.total_seconds())
        wrong_persons.library.rebuild()
        wrong_persons.check()
        assert stored_keys(wrong_persons.library.blobs) == []


def test_a_plan_of_another_engine_is_replaced() -> None:
    wrong_persons = halfway()
    with_another_engine(wrong_persons.library)
    assert wrong_persons.library.rebuild().processed_faces == 0
    assert stored_keys(wrong_persons.library.blobs) == []
    check_settled(wrong_persons.library.table)


@pytest.mark.parametrize("written", [None, b"", b"something else"])
def test_a_plan_that_cannot_be_read_is_replaced(written: bytes | None) -> None:
    wrong_persons = halfway()
    [key] = stored_keys(wrong_persons.library.blobs)
    if written is None:
        wrong_persons.library.blobs.delete(key)
    else:
        wrong_persons.library.blobs.put(key, [written])
    wrong_persons.library.rebuild()
    wrong_persons.check()


@pytest.mark.parametrize("run", [FaceLibrary.rebuild, FaceLibrary.regroup])
def test_no_row_names_a_photo_that_is_deleted_after_an_interruption(run: Callable[[FaceLibrary], object]) -> None:
    for wrong_persons in Interruptions(run).everywhere(step=6):
        library, face = wrong_persons.library, wrong_persons.anns[1]
        photo = find_photo(face.image_id, table=library.table)
        assert photo is not None
        delete_rows_and_blobs(photo, table=library.table, blobs=library.blobs)
        assert traces_of(face.image_id, table=library.table, blobs=library.blobs) == []


def test_an_interrupted_rebuild_is_resumed_by_upkeep() -> None:
    library = halfway().library
    killed_at = library.clock - timedelta(minutes=2)
    assert resume_rebuild(UpkeepDue(killed_at), table=library.table, blobs=library.blobs) is None
    assert resume_rebuild(UpkeepDue(library.now()), table=library.table, blobs=library.blobs) == RebuildWanted()
    library.rebuild()
    assert resume_rebuild(UpkeepDue(library.now()), table=library.table, blobs=library.blobs) is None


def test_a_plan_that_no_job_state_names_is_deleted() -> None:
    for wrong_persons in Interruptions().everywhere():
        library = wrong_persons.library
        if stored_keys(library.blobs) and not stats(library):
            assert resume_rebuild(UpkeepDue(library.now()), table=library.table, blobs=library.blobs) is None
            assert stored_keys(library.blobs) == []
            return
    raise AssertionError("there was always a state")

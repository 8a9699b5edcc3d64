"""Random programs of photos, faces, engines and decisions, with repeats, concurrent writers and power cuts.

At every moment a face has at most one person, and counters are the sum of what is counted. Once all is reconciled, a
recount agrees, decisions stand, and redirects end; once all is deleted, only numbers and decisions without faces are
left.
"""

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from sparks.blobs.memory import MemoryBlobs
from sparks.library.people.apply_decision import apply_decision, reconcile_person
from sparks.library.people.decision_log import find_decision
from sparks.library.people.face_assignment import assign_face, found_person, unassign_face
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.person_decisions import (
    assign_faces,
    choose_picture,
    hide_person,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.person_picture import persons_with_picture_due, update_picture
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import resolve_person
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item
from sparks.model import ids
from sparks.model.errors import BadInput, Conflict, NotFound, Unavailable
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind, Person
from sparks.model.photo import PhotoState, Visibility
from sparks.sqlitefile import SqliteFile
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Item, Key, Table
from sparks.table.sqlite import SqliteTable
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, BOB, NOON, a_face, a_photo
from tests.library.people.rows import FEW, a_box, check_counts, check_settled
from tests.library.tables import Meddled
from tests.stored_traces import traces_of

PHOTOS: Final = {ids.new_image_id(): owner for owner in (ANN, ANN, BOB)}
PLACES: Final = 3
BLOBS: Final = MemoryBlobs()

Deed = Callable[[Table], object]

image_ids = st.sampled_from(list(PHOTOS))
places = st.integers(0, PLACES - 1)


@dataclass(slots=True)
class Said:
    """The decisions, newest last, and those that were undone."""

    decisions: list[Decision] = field(default_factory=list)
    undone: set[str] = field(default_factory=set)

    def forget(self, image_id: str) -> None:
        """Decisions about the faces of a photo are deleted with it, and a new photo with its id is another one."""
        self.decisions = [each for each in self.decisions if all(face.image_id != image_id for face in each.faces)]


class People(RuleBasedStateMachine):
    open_table: ClassVar[Callable[[], Table]] = MemoryTable

    def __init__(self) -> None:
        super().__init__()
        self.table: Table = type(self).open_table()
        self.said = Said()
        self.clock = NOON

    # -- What happens

    @initialize(people=st.lists(st.integers(0, 2), min_size=9, max_size=9))
    def begin(self, people: list[int]) -> None:
        """Photos with faces of a few persons: so much is there before anything else happens."""
        founded: dict[int, str] = {}
        for number, who in enumerate(people):
            image_id, place = list(PHOTOS)[number // PLACES], number % PLACES
            if place == 0:
                self.upload_or_edit(image_id, Visibility.COMMUNITY, ())
            face = self.find(image_id, place, 0.5)
            if who in founded:
                assign_face(face, founded[who], at=self.now(), table=self.table)
            elif (person := found_person(face, at=self.now(), table=self.table)) is not None:
                founded[who] = person.person_id

    @rule(image_id=image_ids, visibility=st.sampled_from(Visibility), albums=st.sampled_from([(), ("a",), ("a", "b")]))
    def upload_or_edit(self, image_id: str, visibility: Visibility, albums: tuple[str, ...]) -> None:
        photo = find_photo(image_id, table=self.table)
        photo = photo or a_photo(image_id=image_id, owner=PHOTOS[image_id])
        keep(self.table, replace(photo, visibility=visibility, albums=albums))

    @rule(image_id=image_ids, state=st.sampled_from([PhotoState.READY, PhotoState.TRASHED]))
    def trash_or_restore(self, image_id: str, state: PhotoState) -> None:
        photo = find_photo(image_id, table=self.table)
        if photo is not None:
            keep(self.table, replace(photo, state=state))

    @rule(image_id=image_ids, place=places, quality=st.sampled_from([0.2, 0.5, 0.9]))
    def find_again(self, image_id: str, place: int, quality: float) -> None:
        if find_photo(image_id, table=self.table) is not None:
            self.find(image_id, place, quality)

    def find(self, image_id: str, place: int, quality: float) -> Face:
        photo = find_photo(image_id, table=self.table)
        assert photo is not None
        face = a_face(photo, a_box(place), quality=quality, embedding=b"vector", indexed_at=self.now())
        return store_face(face, at=self.now(), table=self.table)

    @precondition(lambda self: self.faces())
    @rule(data=st.data())
    def act_often(self, data: st.DataObject) -> None:
        for _ in range(data.draw(st.integers(1, 6))):
            if self.faces():
                self.act(data)

    def act(self, data: st.DataObject) -> None:
        """Alone, or with another writer who is faster by a write, or until a power cut."""
        deed, other = self._draw(data), self._draw(data)
        how = data.draw(st.sampled_from(["alone", "alone", "rivals", "power"]))
        table: Table = self.table
        if how == "rivals":
            waits: list[Callable[[], object]] = [lambda: None] * data.draw(st.integers(0, 4))
            table = Meddled(self.table, *waits, lambda: self._do(other, self.table))
        elif how == "power":
            table = interrupted(self.table, after=data.draw(st.integers(0, 6)))
        with suppress(Unavailable):
            self._do(deed, table)

    @precondition(lambda self: self.said.decisions)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        decision = data.draw(st.sampled_from(self.said.decisions))
        if find_decision(decision.decision_id, table=self.table) is not None:
            undo_decision(decision.decision_id, who=ANN, at=self.now(), table=self.table)
            self.said.undone.add(decision.decision_id)

    @rule(image_id=image_ids)
    def erase(self, image_id: str) -> None:
        photo = find_photo(image_id, table=self.table)
        if photo is not None:
            delete_rows_and_blobs(photo, table=self.table, blobs=BLOBS)
            assert traces_of(image_id, table=self.table, blobs=BLOBS) == []
            self.said.forget(image_id)

    @rule()
    def rest(self) -> None:
        """Runs all follow-ups, in any order and twice."""
        for decision in self.said.decisions:
            apply_decision(decision, min_photos=FEW, table=self.table)
        for image_id, owner in PHOTOS.items():
            reconcile_people(image_id, owner, min_photos=FEW, table=self.table)
        for person in self.persons():
            reconcile_person(person.person_id, min_photos=FEW, table=self.table)
        self.update_pictures()
        check_settled(self.table)
        self._check_said()

    # -- What may be done

    def _draw(self, data: st.DataObject) -> Deed:
        face = data.draw(st.sampled_from(self.faces()))
        persons = [person.person_id for person in self.persons()] or ["person1"]
        person_id, other_id = data.draw(st.sampled_from(persons)), data.draw(st.sampled_from(persons))
        decided: dict[str, Any] = {"who": data.draw(st.sampled_from([ANN, BOB])), "at": self.now()}
        image_id, owner = face.image_id, face.owner
        deeds: list[Deed] = [
            lambda table: found_person(face, at=self.now(), table=table),
            lambda table: found_person(face, at=self.now(), table=table),
            lambda table: assign_face(face, person_id, at=self.now(), table=table),
            lambda table: assign_face(face, person_id, at=self.now(), table=table),
            lambda table: unassign_face(face, at=self.now(), table=table),
            lambda table: remove_face(image_id, owner, face.face_id, at=self.now(), table=table),
            lambda table: reconcile_people(image_id, owner, min_photos=FEW, table=table),
            lambda table: reconcile_people(image_id, owner, min_photos=FEW, table=table),
            lambda table: reconcile_person(person_id, min_photos=FEW, table=table),
            lambda table: name_person(person_id, "Eve", **decided, table=table),
            lambda table: hide_person(person_id, hidden=True, **decided, table=table),
            lambda table: choose_picture(person_id, face, **decided, table=table),
            lambda table: reject_faces(person_id, [face], **decided, table=table),
            lambda table: assign_faces(person_id, [face], **decided, table=table),
            lambda table: split_person(person_id, [face], **decided, table=table),
            lambda table: merge_persons(person_id, other_id, **decided, table=table),
        ]
        return data.draw(st.sampled_from(deeds))

    def _do(self, deed: Deed, table: Table) -> None:
        try:
            done = deed(table)
        except (NotFound, Conflict, BadInput):
            return
        if isinstance(done, Decision):
            self.said.decisions.append(done)

    # -- What holds

    @invariant()
    def counters_count_what_says_it_is_counted(self) -> None:
        check_counts(everything(self.table))

    def _check_said(self) -> None:
        """The last word about each face, and about each name, stands."""
        faces = {face.face_id: face for face in self.faces()}
        said: dict[str, set[str]] = {}
        whose: dict[str, str | None] = {}
        for decision in sorted(self.said.decisions, key=lambda each: (each.decided_at, each.decision_id)):
            if decision.decision_id not in self.said.undone:
                for each in decision.faces:
                    self._hear(decision, each.face_id or "", said, whose)
        for face_id, face in faces.items():
            if whose.get(face_id) is not None:
                assert face.person_id == whose[face_id]
            assert face.person_id not in said.get(face_id, set())

    def _hear(self, decision: Decision, face_id: str, said: dict[str, set[str]], whose: dict[str, str | None]) -> None:
        person_id = resolve_person(decision.person_id, table=self.table)
        rejected = said.setdefault(face_id, set())
        match decision.kind:
            case DecisionKind.ASSIGN:
                whose[face_id] = person_id
            case DecisionKind.SPLIT:
                rejected.add(person_id)
                whose[face_id] = resolve_person(decision.other_person_id or "", table=self.table)
            case DecisionKind.REJECT:
                rejected.add(person_id)
                whose[face_id] = None if whose.get(face_id) == person_id else whose.get(face_id)
                return
            case _:
                return
        rejected.discard(whose[face_id] or "")

    def teardown(self) -> None:
        self.rest()
        for image_id in PHOTOS:
            self.erase(image_id)
        for person in self.persons():
            reconcile_person(person.person_id, table=self.table)
            assert person.member_count == person.photo_count == 0
        self.update_pictures()
        kinds = {str(item.get("entityType", "FACE_INGEST")) for item in everything(self.table)}
        assert kinds <= {"PERSON", "DECISION", "UNKNOWN_PERSONS", "FACE_INGEST"}
        self.clear()

    def update_pictures(self) -> None:
        for person_id in list(persons_with_picture_due(table=self.table)):
            update_picture(person_id, table=self.table, blobs=BLOBS)

    # -- What is there

    def now(self) -> datetime:
        self.clock += timedelta(milliseconds=1)
        return self.clock

    def faces(self) -> list[Face]:
        return [from_item(Face, item) for item in self.items() if item["SK"].startswith("FACE#")]

    def persons(self) -> list[Person]:
        return [from_item(Person, item) for item in self.items() if item.get("entityType") == "PERSON"]

    def items(self) -> list[Item]:
        return sorted(everything(self.table), key=lambda item: (item["PK"], item["SK"]))

    def clear(self) -> None:
        for item in everything(self.table):
            self.table.write(Delete(Key(item["PK"], item["SK"])))


def run(machine: type[People], *, examples: int, **more: Any) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=25, **more))


def test_random_programs_keep_faces_and_counters_true() -> None:
    run(People, examples=40, derandomize=True, database=None)


def test_random_programs_keep_faces_and_counters_true_on_sqlite(tmp_path: Path) -> None:
    with closing(SqliteFile(tmp_path / "sparks.db")) as file:

        class OnSqlite(People):
            open_table = lambda: SqliteTable(file)  # noqa: E731  emptied by each program's end

        run(OnSqlite, examples=6, derandomize=True, database=None)


@pytest.mark.long
def test_many_random_programs_keep_faces_and_counters_true() -> None:
    run(People, examples=1500)

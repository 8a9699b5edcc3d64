"""Random programs about the pictures of persons: the bucket never shows a face that the community does not see.

Photos become private, public, trashed and deleted, faces move, persons are merged, erased and opted out of, and
processes are killed or overtaken on the way. After each settled step, every blob below `persons/` is a copy of a crop
of that person from a photo that the community sees, and a row names it exactly if it exists.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import BlobInfo
from sparks.library import blob_keys
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.face_assignment import assign_face, found_person, unassign_face
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import choose_picture, merge_persons, split_person, undo_decision
from sparks.library.people.person_picture import picture_due
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photo_followups import update_followups
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item
from sparks.model import ids
from sparks.model.errors import BadInput, Conflict, NotFound, Unavailable
from sparks.model.events import PatrolDue, PersonPicturesDue
from sparks.model.face import Face
from sparks.model.keyring import Keyring
from sparks.model.person import Decision, Person
from sparks.model.photo import PhotoState, Visibility
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.biometric_erasure.find_traces import ErasureTarget, scanned_rows, traces_among
from sparks.people.biometric_erasure.remove_traces import remove_traces
from sparks.people.person_pictures import check_persons, update_person_pictures
from sparks.table.memory import MemoryTable
from sparks.table.port import Key, Set, Table
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, BOB, NOON, a_face, a_photo
from tests.library.people.rows import FEW, a_box

PHOTOS: Final = {ids.new_image_id(): owner for owner in (ANN, ANN, BOB)}
PLACES: Final = 2
KEYRING: Final = Keyring("test", {"test": bytes(32)})
PIPELINE: Final = PipelineSettings()

image_ids = st.sampled_from(list(PHOTOS))
places = st.integers(0, PLACES - 1)
numbers = st.integers(0, 20)


class SlowBlobs(MemoryBlobs):
    """Blobs in which something happens right before or after the next copy."""

    def __init__(self) -> None:
        super().__init__()
        self.before_copy: Callable[[], object] | None = None
        self.after_copy: Callable[[], object] | None = None

    def copy(self, source: str, target: str) -> BlobInfo:
        before, after = self.before_copy, self.after_copy
        self.before_copy = self.after_copy = None
        if before is not None:
            before()
        copied = super().copy(source, target)
        if after is not None:
            after()
        return copied


def cut_power() -> None:
    raise Unavailable("the power is out")


class Pictures(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.table: Table = MemoryTable()
        self.blobs = SlowBlobs()
        self.decisions: list[Decision] = []
        self.clock = NOON

    # -- What happens

    @initialize(people=st.lists(st.integers(0, 1), min_size=6, max_size=6))
    def begin(self, people: list[int]) -> None:
        founded: dict[int, str] = {}
        for number, who in enumerate(people):
            image_id, place = list(PHOTOS)[number // PLACES], number % PLACES
            if place == 0:
                keep(self.table, a_photo(image_id=image_id, owner=PHOTOS[image_id]))
            face = self.find(image_id, place)
            if who in founded:
                assign_face(face, founded[who], at=self.now(), table=self.table)
            elif (person := found_person(face, at=self.now(), table=self.table)) is not None:
                founded[who] = person.person_id
        self.settle()

    @rule(image_id=image_ids, visibility=st.sampled_from(Visibility), how=st.sampled_from(["alone", "late", "killed"]))
    def show_or_hide(self, image_id: str, visibility: Visibility, how: str) -> None:
        """Perhaps while another process is about to copy a crop, which may be killed right after that."""

        def change() -> None:
            photo = find_photo(image_id, table=self.table)
            if photo is not None:
                keep(self.table, replace(photo, visibility=visibility))
                self._follow(image_id, self.table)

        if how != "alone":
            self._be_late(change, killed=how == "killed")
        change()
        self.settle(image_id)

    @rule(image_id=image_ids, state=st.sampled_from([PhotoState.READY, PhotoState.TRASHED]))
    def trash_or_restore(self, image_id: str, state: PhotoState) -> None:
        photo = find_photo(image_id, table=self.table)
        if photo is not None:
            keep(self.table, replace(photo, state=state))
            self.settle(image_id)

    @rule(image_id=image_ids, at=st.sampled_from([None, NOON + timedelta(days=1)]))
    def expire_or_not(self, image_id: str, at: datetime | None) -> None:
        photo = find_photo(image_id, table=self.table)
        if photo is not None:
            keep(self.table, replace(photo, expires_at=at))
            self.settle(image_id)

    @rule(image_id=image_ids, after=numbers)
    def delete(self, image_id: str, after: int) -> None:
        photo = find_photo(image_id, table=self.table)
        if photo is not None:
            with suppress(Unavailable):
                delete_rows_and_blobs(photo, table=interrupted(self.table, after=after), blobs=self.blobs)
            left = find_photo(image_id, table=self.table)
            if left is not None:
                delete_rows_and_blobs(left, table=self.table, blobs=self.blobs)
            self.check_deleted(image_id)  # without any other job
            self.settle()

    @rule(image_id=image_ids, place=places)
    def find_again(self, image_id: str, place: int) -> None:
        if find_photo(image_id, table=self.table) is None:
            keep(self.table, a_photo(image_id=image_id, owner=PHOTOS[image_id]))
        self.find(image_id, place)
        self.settle(image_id)

    @rule(data=st.data(), kind=st.sampled_from(["found", "assign", "unassign", "merge", "split", "choose", "undo"]))
    def decide(self, data: st.DataObject, kind: str) -> None:
        """Some of it with the power cut in between: the follow-ups run again."""
        faces, persons = self.faces(), [each.person_id for each in self.persons()]
        if not faces or not persons:
            return
        face = data.draw(st.sampled_from(faces))
        one, other = data.draw(st.sampled_from(persons)), data.draw(st.sampled_from(persons))
        with suppress(NotFound, Conflict, BadInput):
            self._decide(kind, face, one, other, data)
        if data.draw(st.booleans()):
            with suppress(Unavailable):
                self._follow(face.image_id, interrupted(self.table, after=data.draw(numbers)))
        self.settle(face.image_id)

    def _decide(self, kind: str, face: Face, one: str, other: str, data: st.DataObject) -> None:
        table, at = self.table, self.now()
        decided: dict[str, Any] = {"who": ANN, "at": at, "table": table}
        match kind:
            case "found":
                found_person(face, at=at, table=table)
            case "assign":
                assign_face(face, one, at=at, table=table)
            case "unassign":
                unassign_face(face, at=at, table=table)
            case "merge":
                self.decisions += [each for each in [merge_persons(one, other, **decided)] if each is not None]
            case "split":
                self.decisions.append(split_person(one, [face], **decided))
            case "choose":
                self.decisions.append(choose_picture(one, face, **decided))
            case _ if self.decisions:
                undo_decision(data.draw(st.sampled_from(self.decisions)).decision_id, **decided)

    @rule(number=numbers, after=numbers)
    def erase_person(self, number: int, after: int) -> None:
        persons = [each.person_id for each in self.persons()]
        if persons:
            person_id = persons[number % len(persons)]
            target = ErasureTarget(frozenset({person_id}))
            with suppress(Unavailable):
                self._erase(target, interrupted(self.table, after=after))
            self._erase(target, self.table)
            self.decisions = []
            key = blob_keys.person_picture(person_id)
            assert key not in self.stored(), "the erasure itself leaves no picture"
            self.settle()

    @rule(owner=st.sampled_from([ANN, BOB]))
    def opt_out(self, owner: str) -> None:
        self._erase(ErasureTarget(photo=lambda _image_id, of: of == owner), self.table)
        assert all(self.source(key).owner != owner for key in self.stored()), "nor does an opt-out"
        self.settle()

    def _erase(self, target: ErasureTarget, table: Table) -> None:
        traces = traces_among(scanned_rows(table=table), target)
        told: dict[str, Any] = {"keep_boxes": False, "at": self.now(), "min_photos": FEW}
        remove_traces(traces, target, **told, table=table, blobs=self.blobs)

    @rule()
    def lose_all_marks(self) -> None:
        """As in a library of an older version: the patrol alone finds what is to be done."""
        for person in self.persons():
            if person.picture_face_id is not None:
                self.blobs.delete(blob_keys.person_picture(person.person_id))
                gone = frozenset({"s3Key", "pictureFaceId", "repThumbS3Key", "updatedAt"})
                self.table.write(Set(Key(f"PERSON#{person.person_id}", person.person_id), {"x": 1}, gone))
        check_persons(PatrolDue(self.now()), table=self.table, pipeline=PIPELINE)
        self.settle()

    # -- What follows

    def _be_late(self, change: Callable[[], object], *, killed: bool) -> None:
        """Updates all pictures, with the change after the look at the rows and before the first copy."""
        for person in self.persons():
            self.table.write(picture_due(person.person_id))
        self.blobs.before_copy = change
        self.blobs.after_copy = cut_power if killed else None
        with suppress(Unavailable):
            self._update(self.table)
        self.blobs.before_copy = self.blobs.after_copy = None

    def _follow(self, image_id: str, table: Table) -> None:
        for decision in self.decisions:
            apply_decision(decision, min_photos=FEW, table=table)
        update_followups(image_id, PHOTOS[image_id], min_photos=FEW, table=table, blobs=self.blobs, keyring=KEYRING)
        self._update(table)

    def _update(self, table: Table) -> None:
        update_person_pictures(PersonPicturesDue(), table=table, blobs=self.blobs, pipeline=PIPELINE)

    def settle(self, *image_ids: str) -> None:
        for image_id in image_ids or PHOTOS:
            self._follow(image_id, self.table)
        self.check()

    # -- What holds

    def check(self) -> None:
        stored = self.stored()
        rows = {row["SK"]: row for row in everything(self.table) if row.get("entityType") == "PERSON"}
        named = {row["s3Key"] for row in rows.values() if "s3Key" in row}
        assert named == stored, "a row names a picture exactly if it exists"
        for key in stored:
            face = self.source(key)
            assert key == f"persons/{face.person_id}.jpg"
            assert self.is_public(face.image_id), "a face that the community does not see"
            assert rows[face.person_id or ""]["pictureFaceId"] == face.face_id
        visible = {face.person_id for face in self.faces() if self.is_public(face.image_id)} - {None}
        assert {f"persons/{person_id}.jpg" for person_id in visible} == stored, "everyone whom the community sees"

    def check_deleted(self, image_id: str) -> None:
        crops = {
            blob_keys.face_thumb(ids.face_id(image_id, "test-1", a_box(place))).encode() for place in range(PLACES)
        }
        assert not crops & {b"".join(self.blobs.open(key)) for key in self.stored()}

    def is_public(self, image_id: str) -> bool:
        """As the row itself says."""
        [row] = [row for row in everything(self.table) if row["PK"] == image_id and row["SK"].startswith("UPLOADED")]
        return row["entityType"] == "IMAGE" and row["visibility"] == "community" and "expiresAt" not in row

    def stored(self) -> set[str]:
        return {blob.key for blob in self.blobs.list("persons/").blobs}

    def source(self, key: str) -> Face:
        """The face of whose crop the picture is a copy: the bytes of each crop are its key."""
        crop = b"".join(self.blobs.open(key)).decode()
        [face] = [face for face in self.faces() if face.thumb_key == crop]
        return face

    def teardown(self) -> None:
        for image_id in PHOTOS:
            self.delete(image_id, 1000)
        assert self.stored() == set()
        for due in (row for row in everything(self.table) if row.get("entityType") == "PICTURE_DUE"):
            assert due["writing"], "only killed processes leave a row behind, until it is over"

    # -- What is there

    def find(self, image_id: str, place: int) -> Face:
        photo = find_photo(image_id, table=self.table)
        assert photo is not None
        face = a_face(photo, a_box(place), quality=0.5, embedding=b"vector", indexed_at=self.now())
        key = blob_keys.face_thumb(face.face_id)
        self.blobs.put(key, [key.encode()])
        return store_face(replace(face, thumb_key=key), at=self.now(), table=self.table)

    def now(self) -> datetime:
        self.clock += timedelta(milliseconds=1)
        return self.clock

    def faces(self) -> list[Face]:
        return [from_item(Face, row) for row in self.rows() if row["SK"].startswith("FACE#")]

    def persons(self) -> list[Person]:
        return [from_item(Person, row) for row in self.rows() if row.get("entityType") == "PERSON"]

    def rows(self) -> list[dict[str, Any]]:
        return sorted(everything(self.table), key=lambda row: (row["PK"], row["SK"]))


def run(*, examples: int, **more: Any) -> None:
    run_state_machine_as_test(Pictures, settings=settings(max_examples=examples, stateful_step_count=20, **more))


def test_random_programs_never_leave_a_picture_of_a_face_that_the_community_does_not_see() -> None:
    run(examples=25, derandomize=True, database=None)


@pytest.mark.long
def test_many_random_programs_never_leave_a_picture_of_a_face_that_the_community_does_not_see() -> None:
    run(examples=1500)

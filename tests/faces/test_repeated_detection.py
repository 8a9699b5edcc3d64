"""A repeated detection keeps faces, their persons and what people decided about them."""

from dataclasses import replace

from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.face_assignment import found_person
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.person_decisions import assign_faces
from sparks.model.events import FacesFound
from sparks.model.face import Box
from sparks.model.photo import FaceStatus
from sparks.table.port import Table
from tests.account_makers import at_once, everything, keep, lasting
from tests.faces.fake_engine import (
    ANNA,
    BERT,
    CARL,
    FakeEngine,
    beside,
    checked_faces,
    crops,
    crops_of,
    embedding_like,
    faces_in,
    find,
    find_again,
    found_face,
    persons_of,
    photo_now,
    photo_with_rendition,
    stores_with,
)
from tests.factories import ANN, NOON, a_face
from tests.library.people.rows import a_box
from tests.library.tables import Meddled

# -- Repeated


def test_an_indexed_photo_sends_its_event_again_without_a_detection(table: Table) -> None:
    engine = FakeEngine([ANNA, BERT])
    stores = stores_with(engine, table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    before = everything(table)
    assert find(photo, stores) == find_again(photo, stores) == FacesFound(photo.image_id, photo.owner)
    assert (everything(table), len(engine.analyzed)) == (before, 1)


def test_faces_that_are_found_again_are_not_logged_as_new(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    before = lasting(table)
    keep(table, replace(photo_now(photo, stores), face_status=FaceStatus.RAW, face_engine=None))
    find(photo, stores)
    assert lasting(table) == before


def test_faces_that_another_engine_finds_again_keep_their_persons(any_table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), any_table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    anna, bert = faces_in(photo, any_table)
    person = found_person(anna, at=NOON, table=any_table)
    assert person is not None
    moved = Box(ANNA.box.left + 0.01, ANNA.box.top, ANNA.box.width, ANNA.box.height)
    better = FakeEngine([found_face(5, box=moved), CARL], name="fake-2")
    find_again(photo, replace(stores, engine=better))
    first, second = faces_in(photo, any_table)
    assert (first.face_id, first.person_id, first.engine) == (anna.face_id, person.person_id, "fake-2")
    assert (first.box, first.embedding) == (moved, embedding_like(5))
    assert b"".join(stores.blobs.open(str(first.thumb_key))) == found_face(5).crop
    assert (second.box, bert.face_id == second.face_id) == (CARL.box, False)
    assert crops(stores) == crops_of([first, second])
    assert photo_now(photo, stores).face_engine == "fake-2"


def test_faces_that_people_drew_or_decided_about_stay(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo, elsewhere = photo_with_rendition(stores), photo_with_rendition(stores)
    for each in (photo, elsewhere):
        find(each, stores)
    [anna], [other] = faces_in(photo, table), faces_in(elsewhere, table)
    person = found_person(other, at=NOON, table=table)
    assert person is not None
    apply_decision(assign_faces(person.person_id, [anna], who=ANN, at=NOON, table=table), table=table)
    drawn = store_face(replace(a_face(photo, a_box(7)), engine=None), at=NOON, table=table)
    find_again(photo, replace(stores, engine=FakeEngine([], name="fake-2")))
    left = {face.face_id: face.person_id for face in faces_in(photo, table)}
    assert left == {anna.face_id: person.person_id, drawn.face_id: None}


def test_a_face_that_people_decide_about_during_a_detection_stays(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    anna, bert = faces_in(photo, table)
    person = found_person(bert, at=NOON, table=table)
    assert person is not None

    def decide() -> None:
        apply_decision(assign_faces(person.person_id, [anna], who=ANN, at=NOON, table=table), table=table)

    better = FakeEngine([found_face(1)], name="fake-2")
    find_again(photo, replace(stores, engine=better, table=Meddled(table, decide)))
    assert persons_of(faces_in(photo, table)) == [person.person_id] * 2


def test_faces_at_the_same_position_of_a_video_are_not_mixed_up(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, found_face(3, box=beside(ANNA.box, 0.005))]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    first, second = faces_in(photo, table)
    remove_face(photo.image_id, photo.owner, first.face_id, at=NOON, table=table)
    keep(table, replace(photo_now(photo, stores), face_status=FaceStatus.RAW, face_engine=None))
    find(photo, stores)
    found = [(face.face_id, face.embedding) for face in checked_faces(photo, stores)]
    assert found == [(first.face_id, ANNA.embedding), (second.face_id, embedding_like(3))]


def test_two_workers_on_one_photo_store_each_face_once(sqlite: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT, CARL]), sqlite)
    photo = photo_with_rendition(stores)
    found = at_once(*[lambda: find(photo, stores)] * 4)
    assert found == [FacesFound(photo.image_id, photo.owner)] * 4
    assert len(checked_faces(photo, stores)) == 3

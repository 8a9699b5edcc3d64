"""Faces of persons who opted out or gave no consent are not stored."""

from dataclasses import replace

import numpy as np
import pytest

from sparks.library.consent import SITE
from sparks.library.people.face_assignment import found_person
from sparks.library.people.recognition_opt_outs import opt_out
from sparks.model.photo import FaceStatus
from sparks.table.port import Table
from tests.account_makers import keep, switch_faces
from tests.faces.fake_engine import (
    ANNA,
    BERT,
    FakeEngine,
    beside,
    checked_faces,
    crops,
    embedding_like,
    faces_in,
    find,
    find_again,
    found_face,
    nothing,
    photo_now,
    photo_with_rendition,
    stores_with,
)
from tests.factories import ANN, NOON
from tests.library.tables import Meddled


def opt_out_like(like: int, table: Table, *, engine: str = "fake-1") -> None:
    """Stores a recognition opt-out for a face like this."""
    vector = np.frombuffer(embedding_like(like), "<f2").astype(np.float32)
    keep(table, opt_out(f"u{like}", vector, engine=engine, account=None, at=NOON))


def test_a_face_of_a_person_who_opted_out_is_not_stored(any_table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, found_face(6)]), any_table)
    photo = photo_with_rendition(stores)
    opt_out_like(6, any_table)
    find(photo, stores)
    assert [face.embedding for face in faces_in(photo, any_table)] == [ANNA.embedding]
    assert len(crops(stores)) == photo_now(photo, stores).face_count == 1


def test_another_engine_stores_no_face_in_the_box_of_an_erased_face(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(stores, forgotten_boxes=(beside(ANNA.box, 0.01),))
    find(photo, stores)
    assert [face.embedding for face in checked_faces(photo, stores)] == [BERT.embedding]


def test_a_face_of_a_person_who_opts_out_during_a_detection_is_removed(table: Table) -> None:
    plain = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(plain)
    meddled = Meddled(table, nothing, nothing, lambda: opt_out_like(0, table))
    find(photo, replace(plain, table=meddled))
    assert [face.embedding for face in checked_faces(photo, plain)] == [BERT.embedding]


def test_an_assigned_face_that_matches_an_opt_out_stays(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    [anna] = faces_in(photo, table)
    found_person(anna, at=NOON, table=table)
    opt_out_like(0, table)
    find(photo, stores)
    assert [face.face_id for face in checked_faces(photo, stores)] == [anna.face_id]


@pytest.mark.parametrize("subject", [SITE, ANN])
def test_without_consent_no_faces_are_detected(table: Table, subject: str) -> None:
    engine = FakeEngine([ANNA])
    stores = stores_with(engine, table)
    photo = photo_with_rendition(stores)
    switch_faces(subject, False, ANN, at=NOON, table=table)
    assert find(photo, stores) is None
    assert (engine.analyzed, photo_now(photo, stores)) == ([], photo)


def test_faces_are_removed_when_consent_is_withdrawn_and_found_again_when_it_is_given(any_table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), any_table)
    photo = photo_with_rendition(stores)
    subject = f"album:{photo.image_id}"
    keep(any_table, replace(photo, albums=(photo.image_id,)))
    find(photo, stores)
    switch_faces(subject, False, ANN, at=NOON, table=any_table)
    assert find(photo, stores) is None
    now = photo_now(photo, stores)
    assert (now.face_status, now.face_engine, now.face_count) == (FaceStatus.RAW, None, 0)
    assert (faces_in(photo, any_table), crops(stores)) == ([], set())
    switch_faces(subject, True, ANN, at=NOON.replace(hour=13), table=any_table)
    find_again(photo, stores)
    assert photo_now(photo, stores).face_count == 2


def test_faces_are_removed_when_consent_is_withdrawn_during_a_detection(table: Table) -> None:
    engine = FakeEngine([ANNA], meanwhile=lambda: switch_faces(SITE, False, ANN, at=NOON, table=table))
    stores = stores_with(engine, table)
    photo = photo_with_rendition(stores)
    assert find(photo, stores) is None
    assert (photo_now(photo, stores).face_status, checked_faces(photo, stores)) == (FaceStatus.RAW, [])

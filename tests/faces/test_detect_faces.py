"""Faces of a photo are found and stored, each with its crop, whatever happens meanwhile."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sparks.faces.detect_faces import give_up_faces
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.journey import Journey, Stores
from sparks.library import blob_keys, keys
from sparks.library.consent import SITE
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.face_assignment import found_person
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.person_decisions import assign_faces
from sparks.library.people.recognition_opt_outs import opt_out
from sparks.library.people.reconcile import reconcile_people
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.media.file_types import MP4
from sparks.model.errors import Damaged, Unavailable
from sparks.model.events import FacesFound, RenditionsReady
from sparks.model.face import Box, Face
from sparks.model.photo import AssetType, FaceStatus, Photo, PhotoState
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import COMMUNITY
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Table, every
from tests.account_makers import at_once, everything, interrupted, keep, lasting, stored_keys, switch_faces
from tests.faces.fake_engine import (
    PICTURE,
    FailingBlobs,
    FakeEngine,
    crops,
    crops_of,
    embedding_like,
    faces_in,
    find,
    find_again,
    found_face,
    photo_now,
    photo_with_rendition,
    stores_with,
)
from tests.faces.samples import photo as picture_of
from tests.faces.samples import rendition
from tests.faces.test_video_faces import scene, scenes
from tests.factories import ANN, NOON, a_face
from tests.library.people.rows import a_box, check_settled
from tests.library.tables import Meddled
from tests.upkeep.photo_makers import DAY, swept

ANNA, BERT, CARL = (found_face(like) for like in range(3))


@pytest.fixture
def table() -> Table:
    return MemoryTable()


def all_is_well(photo: Photo, stores: Stores) -> list[Face]:
    """The photo's faces, each with its crop, and counted."""
    faces = faces_in(photo, stores.table)
    assert crops(stores) == crops_of(faces)
    assert photo_now(photo, stores).face_count == len(faces)
    check_settled(stores.table)
    return faces


def persons_of(faces: list[Face]) -> list[str | None]:
    return [face.person_id for face in faces]


# -- Finding


def test_a_found_face_is_stored_with_all_its_values(any_table: Table) -> None:
    engine = FakeEngine([ANNA, BERT])
    stores = stores_with(engine, any_table)
    photo = photo_with_rendition(stores)
    assert find(photo, stores) == FacesFound(photo.image_id, photo.owner)
    assert engine.analyzed == [PICTURE]
    now = photo_now(photo, stores)
    assert (now.face_status, now.face_engine, now.face_count) == (FaceStatus.INDEXED, "fake-1", 2)
    for face, found in zip(faces_in(photo, any_table), [ANNA, BERT], strict=True):
        assert (face.box, face.confidence, face.quality) == (found.box, found.confidence, found.quality)
        assert (face.engine, face.embedding, face.owner) == ("fake-1", found.embedding, ANN)
        assert (face.thumb_key, face.person_id) == (blob_keys.face_thumb(face.face_id), None)
        assert b"".join(stores.blobs.open(str(face.thumb_key))) == found.crop
        assert stores.blobs.head(str(face.thumb_key)).content_type == "image/jpeg"


@pytest.mark.parametrize("name", ["010_2", "013_4", "016_8", "017_0"])
def test_every_face_of_a_real_photo_is_stored(opencv_engine: OpenCvEngine, table: Table, name: str) -> None:
    stores = stores_with(opencv_engine, table)
    photo = photo_with_rendition(stores, rendition(picture_of(f"groups/{name}.jpg")))
    find(photo, stores)
    assert photo_now(photo, stores).face_status is FaceStatus.INDEXED
    assert len(all_is_well(photo, stores)) == int(name.partition("_")[2])


def test_each_person_of_a_real_video_is_stored_once(opencv_engine: OpenCvEngine, table: Table) -> None:
    stores = stores_with(opencv_engine, table)
    video = photo_with_rendition(stores, asset_type=AssetType.VIDEO, original_key="originals/film.mp4")
    stores.blobs.put("originals/film.mp4", [scenes([scene("groups/007_B.jpg")], seconds=2)])
    find(video, stores)
    assert len(all_is_well(video, stores)) == 1


def test_faces_of_a_video_are_detected_in_its_original(table: Table) -> None:
    engine = FakeEngine([ANNA])
    stores = stores_with(engine, table)
    video = photo_with_rendition(stores, asset_type=AssetType.VIDEO, original_key="originals/film.mp4")
    content = b"\0\0\0\x18ftypisom\0\0\0\0isommp42"
    stores.blobs.put("originals/film.mp4", [content])
    find(video, stores)
    assert (engine.analyzed, len(faces_in(video, table))) == ([MP4.name, content], 1)


def test_a_photo_without_faces_is_indexed_and_sends_no_event(table: Table) -> None:
    stores = stores_with(FakeEngine([]), table)
    photo = photo_with_rendition(stores)
    assert find(photo, stores) is None
    assert photo_now(photo, stores).face_status is FaceStatus.INDEXED


def test_faces_of_a_photo_in_the_trash_are_detected(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores, state=PhotoState.TRASHED)
    assert find(photo, stores) is not None
    assert photo_now(photo, stores).face_count == 1


@pytest.mark.parametrize("state", [PhotoState.PENDING, PhotoState.FAILED, PhotoState.DELETING])
def test_faces_of_an_unfinished_photo_are_not_detected(table: Table, state: PhotoState) -> None:
    engine = FakeEngine([ANNA])
    stores = stores_with(engine, table)
    assert find(photo_with_rendition(stores, state=state), stores) is None
    assert engine.analyzed == []


@pytest.mark.parametrize(
    ("engine", "pipeline"),
    [(None, None), (FakeEngine([ANNA], missing="the weights"), None), (FakeEngine([ANNA]), PipelineSettings())],
    ids=["no engine", "cannot work", "switched off"],
)
def test_without_a_usable_engine_the_photo_does_not_change(
    table: Table, engine: Any, pipeline: PipelineSettings | None
) -> None:
    stores = stores_with(engine, table, **({} if pipeline is None else {"pipeline": pipeline}))
    photo = photo_with_rendition(stores)
    assert find(photo, stores) is None
    assert photo_now(photo, stores) == photo


def test_the_journey_detects_faces_when_renditions_are_ready(table: Table) -> None:
    stores, journey = stores_with(FakeEngine([ANNA]), table), Journey()
    photo = photo_with_rendition(stores)
    for job in journey.jobs_after(RenditionsReady(photo.image_id, photo.owner)):
        list(journey.run(job, stores=stores))
    assert photo_now(photo, stores).face_count == 1


# -- Refusals


BLIND = FakeEngine(name="fake-2", error=Damaged("the picture ends too early"))


def test_a_photo_that_cannot_be_analyzed_has_failed_and_the_log_says_why(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    stores = stores_with(BLIND, table)
    photo = photo_with_rendition(stores)
    assert find(photo, stores) is None
    now = photo_now(photo, stores)
    assert (now.face_status, now.face_engine) == (FaceStatus.FAILED, "fake-2")
    assert "the picture ends too early" in caplog.text


def test_face_detection_of_a_photo_whose_file_is_missing_has_failed(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    stores.blobs.delete(blob_keys.rendition(photo.image_id, "large"))
    assert find(photo, stores) is None
    assert photo_now(photo, stores).face_status is FaceStatus.FAILED


def test_faces_of_another_engine_stay_where_the_new_one_fails(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    find_again(photo, replace(stores, engine=BLIND))
    assert photo_now(photo, stores).face_status is FaceStatus.FAILED
    assert [face.engine for face in all_is_well(photo, stores)] == ["fake-1"]


def test_a_detection_that_failed_for_the_last_time_is_marked_and_logged(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    stores, journey = stores_with(FakeEngine([ANNA]), table), Journey()
    photo = photo_with_rendition(stores)
    job = next(
        job for job in journey.jobs_after(RenditionsReady(photo.image_id, photo.owner)) if job.kind == "find_faces"
    )
    list(journey.give_up(job, "it broke", stores=stores))
    assert photo_now(photo, stores).face_status is FaceStatus.FAILED
    assert "it broke" in caplog.text


def test_an_indexed_photo_is_not_marked_as_failed(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    event = RenditionsReady(photo.image_id, photo.owner)
    give_up_faces(event, "late", table=table, engine=stores.engine, keyring=stores.keyring)
    assert photo_now(photo, stores).face_status is FaceStatus.INDEXED


def announced_kinds(table: Table) -> list[str]:
    """The kinds of the events that were announced to the community."""
    return [row["kind"] for row in every(table, keys.events(COMMUNITY))]


def test_found_faces_are_announced_to_open_pages_once(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    assert announced_kinds(table) == ["photo"]
    find(photo, stores)
    assert announced_kinds(table) == ["photo"]


def test_a_final_failure_is_announced_to_open_pages(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    event = RenditionsReady(photo.image_id, photo.owner)
    give_up_faces(event, "it broke", table=table, engine=stores.engine, keyring=stores.keyring)
    assert announced_kinds(table) == ["photo"]


# -- Again


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
    found = [(face.face_id, face.embedding) for face in all_is_well(photo, stores)]
    assert found == [(first.face_id, ANNA.embedding), (second.face_id, embedding_like(3))]


def test_two_workers_on_one_photo_store_each_face_once(sqlite: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT, CARL]), sqlite)
    photo = photo_with_rendition(stores)
    found = at_once(*[lambda: find(photo, stores)] * 4)
    assert found == [FacesFound(photo.image_id, photo.owner)] * 4
    assert len(all_is_well(photo, stores)) == 3


# -- Forgotten and forbidden


def forget(like: int, table: Table, *, engine: str = "fake-1") -> None:
    """Stores a recognition opt-out for a face like this."""
    vector = np.frombuffer(embedding_like(like), "<f2").astype(np.float32)
    keep(table, opt_out(f"u{like}", vector, engine=engine, account=None, at=NOON))


def test_a_face_of_a_person_who_opted_out_is_not_stored(any_table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, found_face(6)]), any_table)
    photo = photo_with_rendition(stores)
    forget(6, any_table)
    find(photo, stores)
    assert [face.embedding for face in faces_in(photo, any_table)] == [ANNA.embedding]
    assert len(crops(stores)) == photo_now(photo, stores).face_count == 1


def test_another_engine_stores_no_face_in_the_box_of_an_erased_face(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(stores, forgotten_boxes=(beside(ANNA.box, 0.01),))
    find(photo, stores)
    assert [face.embedding for face in all_is_well(photo, stores)] == [BERT.embedding]


def beside(box: Box, moved: float) -> Box:
    return Box(box.left + moved, box.top, box.width, box.height)


def test_a_face_of_a_person_who_opts_out_during_a_detection_is_removed(table: Table) -> None:
    plain = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(plain)
    meddled = Meddled(table, nothing, nothing, lambda: forget(0, table))
    find(photo, replace(plain, table=meddled))
    assert [face.embedding for face in all_is_well(photo, plain)] == [BERT.embedding]


def test_an_assigned_face_that_matches_an_opt_out_stays(table: Table) -> None:
    stores = stores_with(FakeEngine([ANNA]), table)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    [anna] = faces_in(photo, table)
    found_person(anna, at=NOON, table=table)
    forget(0, table)
    find(photo, stores)
    assert [face.face_id for face in all_is_well(photo, stores)] == [anna.face_id]


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
    assert (photo_now(photo, stores).face_status, all_is_well(photo, stores)) == (FaceStatus.RAW, [])


# -- Deletions


def test_a_photo_that_is_deleted_during_a_detection_leaves_nothing(any_table: Table) -> None:
    stores = stores_with(None, any_table)
    photo = photo_with_rendition(stores)
    engine = FakeEngine([ANNA], meanwhile=lambda: delete_rows_and_blobs(photo, table=any_table, blobs=stores.blobs))
    assert find(photo, replace(stores, engine=engine)) is None
    assert (faces_in(photo, any_table), stored_keys(stores.blobs)) == ([], [])


@pytest.mark.parametrize("writes", range(3))
def test_a_photo_that_is_deleted_before_any_write_leaves_nothing(table: Table, writes: int) -> None:
    stores = stores_with(FakeEngine([ANNA, BERT]), table)
    photo = photo_with_rendition(stores)
    gone = Meddled(table, *[nothing] * writes, lambda: delete_rows_and_blobs(photo, table=table, blobs=stores.blobs))
    assert find(photo, replace(stores, table=gone)) is None
    assert stored_keys(stores.blobs) == []
    assert [item for item in everything(table) if item["PK"] == photo.image_id] == []


# -- Interruptions


def nothing() -> None:
    pass


def other_faces(stores: Stores) -> Stores:
    """Another engine, which finds one face again, one that is new, and one no more."""
    return replace(stores, engine=FakeEngine([BERT, CARL], name="fake-2"))


def prepared(table: Table, **more: Any) -> tuple[Photo, Stores]:
    stores = stores_with(FakeEngine([ANNA, BERT]), table, **more)
    photo = photo_with_rendition(stores)
    find(photo, stores)
    for face in faces_in(photo, table):
        found_person(face, at=NOON, table=table)
    reconcile_people(photo.image_id, photo.owner, min_photos=2, table=table)
    return photo, stores


def check_rows_have_crops(photo: Photo, stores: Stores) -> None:
    assert crops_of(faces_in(photo, stores.table)) <= crops(stores)


def check_outcome(photo: Photo, stores: Stores) -> None:
    faces = faces_in(photo, stores.table)
    assert [(face.box, face.engine) for face in faces] == [(BERT.box, "fake-2"), (CARL.box, "fake-2")]
    assert persons_of(faces) == ["person2", None]
    swept(stores, now() + DAY)
    all_is_well(photo, stores)


def ends_as_any_other(photo: Photo, stores: Stores, cut_off: Stores) -> bool:
    """Whether a search with these stores was cut off; the next one ends as any other."""
    cut = False
    try:
        find_again(photo, cut_off)
    except Unavailable:
        cut = True
    check_rows_have_crops(photo, stores)
    find_again(photo, other_faces(stores))
    check_outcome(photo, stores)
    return cut


def test_a_detection_that_is_interrupted_at_any_write_can_be_repeated() -> None:
    for after in range(20):
        table = MemoryTable()
        photo, stores = prepared(table)
        cut_off = replace(other_faces(stores), table=interrupted(table, after=after))
        if not ends_as_any_other(photo, stores, cut_off):
            return
    pytest.fail("it writes more often than expected")


def test_a_detection_that_is_interrupted_at_any_blob_can_be_repeated() -> None:
    for after in range(20):
        photo, stores = prepared(MemoryTable(), blobs=FailingBlobs(after=3 + after))
        if not ends_as_any_other(photo, stores, other_faces(stores)):
            return
    pytest.fail("it writes more often than expected")

"""Faces of a photo are found and stored, each with its crop; a detection that fails is marked."""

from dataclasses import replace
from typing import Any

import pytest

from sparks.faces.detect_faces import give_up_faces
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.journey import Journey
from sparks.library import blob_keys, keys
from sparks.media.file_types import MP4
from sparks.model.errors import Damaged
from sparks.model.events import FacesFound, RenditionsReady
from sparks.model.photo import AssetType, FaceStatus, PhotoState
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import COMMUNITY
from sparks.table.port import Table, every
from tests.faces.fake_engine import (
    ANNA,
    BERT,
    PICTURE,
    FakeEngine,
    checked_faces,
    faces_in,
    find,
    find_again,
    photo_now,
    photo_with_rendition,
    stores_with,
)
from tests.faces.samples import photo as picture_of
from tests.faces.samples import rendition
from tests.faces.test_video_faces import scene, scenes
from tests.factories import ANN

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
    assert len(checked_faces(photo, stores)) == int(name.partition("_")[2])


def test_each_person_of_a_real_video_is_stored_once(opencv_engine: OpenCvEngine, table: Table) -> None:
    stores = stores_with(opencv_engine, table)
    video = photo_with_rendition(stores, asset_type=AssetType.VIDEO, original_key="originals/film.mp4")
    stores.blobs.put("originals/film.mp4", [scenes([scene("groups/007_B.jpg")], seconds=2)])
    find(video, stores)
    assert len(checked_faces(video, stores)) == 1


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
    assert [face.engine for face in checked_faces(photo, stores)] == ["fake-1"]


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

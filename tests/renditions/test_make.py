"""Renditions of uploaded originals."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.photo_deletion import begin_deletion, delete_rows_and_blobs
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.photos.processing_state import retry_processing
from sparks.media.rendition_sizes import SIZES
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.events import PhotoChanged, RenditionsReady, Uploaded
from sparks.model.photo import PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.renditions.make import PROCESSING_FAILED, fail_photo
from tests.journey.sample_steps import open_memory
from tests.media.container_builders import gradient, saved
from tests.stored_traces import traces_of
from tests.uploads.pending_photos import ActingRenderer, arrive, blobs_of, make, now_of, rendition_keys

PICTURE = saved(gradient(900, 600), "JPEG")
FILE_TIME = datetime(2019, 5, 4, 3, 2, 1, tzinfo=UTC)


@pytest.fixture
def stores() -> Stores:
    return open_memory()


def test_a_photo_gets_its_renditions_and_is_ready(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)

    assert make(photo, stores, renderer) == [RenditionsReady(photo.image_id, photo.owner)]

    made = now_of(photo, stores.table)
    assert (made.state, made.processing_status) == (PhotoState.READY, ProcessingStatus.COMPLETED)
    assert made.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB")
    assert (made.width, made.height, made.aspect_ratio) == (900, 600, 1.5)
    assert made.renditions is not None
    assert set(made.renditions.keys.values()) == rendition_keys(photo)
    assert made.processed_size == sum(stores.blobs.head(key).size for key in rendition_keys(photo))
    assert (made.rendition_format, made.rendition_quality) == ("webp", 80)
    assert made.thumbhash
    assert stores.blobs.head(made.renditions.keys["thumb"]).content_type == "image/webp"


def test_a_repeated_job_makes_nothing_and_sends_the_same_events(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)
    first = make(photo, stores, renderer)
    before = now_of(photo, stores.table), [stores.blobs.head(key) for key in sorted(rendition_keys(photo))]

    assert make(photo, stores, renderer) == first

    assert (now_of(photo, stores.table), [stores.blobs.head(key) for key in sorted(rendition_keys(photo))]) == before


def test_only_the_size_that_is_missing_is_made(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)
    make(photo, stores, renderer)
    before = now_of(photo, stores.table)
    stores.blobs.delete(blob_keys.rendition(photo.image_id, "thumb"))  # shows that it is not made again

    with SandboxedRenderer({**SIZES, "tiny": 64}) as more:
        make(photo, stores, more)

    made = now_of(photo, stores.table)
    assert made.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "TINY")
    assert blobs_of(photo, stores) == {photo.original_key, *rendition_keys(photo, "large", "medium", "tiny")}
    tiny = stores.blobs.head(blob_keys.rendition(photo.image_id, "tiny")).size
    assert made.processed_size == (before.processed_size or 0) + tiny
    assert (made.state, made.version) == (PhotoState.READY, before.version)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (PICTURE[: len(PICTURE) // 2], "This JPEG ends too early: a part of it is missing."),
        (b"\xff\xd8\xff\xe0" + bytes(200), "This JPEG"),
    ],
)
def test_a_photo_that_cannot_be_decoded_says_why_and_keeps_its_original(
    content: bytes, reason: str, stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(content, stores)

    assert make(photo, stores, renderer) == [PhotoChanged(photo.image_id, photo.owner)]

    failed = now_of(photo, stores.table)
    assert (failed.state, failed.processing_status) == (PhotoState.FAILED, ProcessingStatus.FAILED)
    assert failed.processing_error is not None
    assert failed.processing_error.startswith(reason)
    assert blobs_of(photo, stores) == {photo.original_key}


def test_a_file_that_is_no_picture_fails_with_its_actual_type(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)
    stores.blobs.put(photo.original_key or "", [b"<svg></svg>"])

    make(photo, stores, renderer)

    assert "SVG" in (now_of(photo, stores.table).processing_error or "")


def test_a_failed_photo_is_retried_by_its_owner_only(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE[:2000], stores)
    make(photo, stores, renderer)
    stores.blobs.put(photo.original_key or "", [PICTURE])

    assert make(photo, stores, renderer) == []
    retry_processing(now_of(photo, stores.table), at=now(), table=stores.table)
    make(photo, stores, renderer)

    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_decoder_that_takes_too_long_fails_its_photo_and_the_next_one_is_made(stores: Stores) -> None:
    slow, quick = arrive(PICTURE, stores), arrive(saved(gradient(20, 20), "JPEG"), stores)
    with SandboxedRenderer(seconds=0.0001) as hasty:
        make(slow, stores, hasty)
        hasty._seconds = 60
        make(quick, stores, hasty)

    assert now_of(slow, stores.table).processing_error == "the file could not be decoded: the decoder took too long"
    assert now_of(quick, stores.table).state is PhotoState.READY


def test_a_photo_that_is_deleted_meanwhile_leaves_no_trace(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)

    def erase() -> None:
        delete_rows_and_blobs(now_of(photo, stores.table), table=stores.table, blobs=stores.blobs)

    assert make(photo, stores, ActingRenderer(renderer, erase)) == []

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []


def test_a_photo_that_is_being_deleted_is_left_alone(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)
    begin_deletion(photo, table=stores.table)

    assert make(photo, stores, renderer) == []

    assert now_of(photo, stores.table).state is PhotoState.DELETING


def test_renditions_of_a_photo_that_was_deleted_meanwhile_are_deleted_by_the_next_try(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(PICTURE, stores)
    delete_rows_and_blobs(photo, table=stores.table, blobs=stores.blobs)
    stores.blobs.put(blob_keys.rendition(photo.image_id, "hd"), [b"made by who was killed then"])

    assert make(photo, stores, renderer) == []

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []


def test_a_photo_that_is_trashed_meanwhile_stays_in_the_trash(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)

    def trash() -> None:
        trash_photo(now_of(photo, stores.table), at=now(), table=stores.table)

    make(photo, stores, ActingRenderer(renderer, trash))

    trashed = now_of(photo, stores.table)
    assert (trashed.state, trashed.processing_status) == (PhotoState.TRASHED, ProcessingStatus.COMPLETED)


def test_two_concurrent_workers_make_the_same_renditions(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)

    make(photo, stores, ActingRenderer(renderer, lambda: make(photo, stores, renderer)))

    made = now_of(photo, stores.table)
    assert made.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB")
    assert made.processed_size == sum(stores.blobs.head(key).size for key in rendition_keys(photo))


def test_a_photo_whose_original_is_missing_says_so(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)
    stores.blobs.delete(photo.original_key or "")

    assert make(photo, stores, renderer) == [PhotoChanged(photo.image_id, photo.owner)]

    failed = now_of(photo, stores.table)
    assert failed.state is PhotoState.FAILED
    assert "missing from the store" in (failed.processing_error or "")


def test_the_file_time_is_the_last_resort_and_marked_as_such(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores, file_time=FILE_TIME)

    make(photo, stores, renderer)

    made = now_of(photo, stores.table)
    assert made.taken_at == FILE_TIME
    assert made.exif is not None
    assert made.exif.taken_from == "file"


@pytest.mark.parametrize("time", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2150, 1, 1, tzinfo=UTC)])
def test_an_impossible_file_time_is_ignored(time: datetime, stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores, file_time=time)

    make(photo, stores, renderer)

    assert now_of(photo, stores.table).taken_at is None


def test_the_uploaders_capture_time_beats_the_file_time(stores: Stores, renderer: SandboxedRenderer) -> None:
    said = datetime(2001, 2, 3, tzinfo=UTC)
    photo = arrive(PICTURE, stores, file_time=FILE_TIME, taken_at=said, title="Sea", tags=("blue",))

    make(photo, stores, renderer)

    made = now_of(photo, stores.table)
    assert (made.taken_at, made.title, made.tags) == (said, "Sea", ("blue",))
    assert made.exif is None or made.exif.taken_from is None


def test_a_photo_whose_processing_failed_for_good_says_so_and_may_be_retried(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(PICTURE, stores)
    event = Uploaded(photo.image_id, photo.owner)

    assert fail_photo(event, "no room", table=stores.table) == PhotoChanged(photo.image_id, photo.owner)

    failed = now_of(photo, stores.table)
    assert (failed.state, failed.processing_error) == (PhotoState.FAILED, PROCESSING_FAILED)
    retry_processing(failed, at=now(), table=stores.table)
    make(photo, stores, renderer)
    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_finished_photo_is_not_set_to_failed(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(PICTURE, stores)
    make(photo, stores, renderer)

    fail_photo(Uploaded(photo.image_id, photo.owner), "late", table=stores.table)

    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_deleted_photo_is_not_set_to_failed(stores: Stores) -> None:
    photo = replace(arrive(PICTURE, stores), image_id="0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a")

    assert fail_photo(Uploaded(photo.image_id, photo.owner), "late", table=stores.table) is None

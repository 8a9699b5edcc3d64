"""Renditions are made of what arrived, recorded, and gone with the photo."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sparks.journey import Stores
from sparks.library import objects
from sparks.library.erasure import begin_deletion, erase_photo
from sparks.library.photos import retry_processing, trash_photo
from sparks.media.sizes import SIZES
from sparks.media.studio import Studio
from sparks.model.events import PhotoChanged, RenditionsReady, Uploaded
from sparks.model.photo import PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.upload.making import GIVEN_UP, give_up_photo
from tests.journey.trip import open_memory
from tests.media.build import gradient, saved
from tests.traces import traces_of
from tests.upload.trips import Meanwhile, arrive, blobs_of, make, now_of, rendition_keys

PICTURE = saved(gradient(900, 600), "JPEG")
FILE_TIME = datetime(2019, 5, 4, 3, 2, 1, tzinfo=UTC)


@pytest.fixture
def stores() -> Stores:
    return open_memory()


def test_a_photo_gets_its_renditions_and_is_shown(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)

    assert make(photo, stores, studio) == [RenditionsReady(photo.image_id, photo.owner)]

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


def test_a_repeated_job_makes_nothing_and_says_the_same(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    first = make(photo, stores, studio)
    before = now_of(photo, stores.table), [stores.blobs.head(key) for key in sorted(rendition_keys(photo))]

    assert make(photo, stores, studio) == first

    assert (now_of(photo, stores.table), [stores.blobs.head(key) for key in sorted(rendition_keys(photo))]) == before


def test_only_the_size_that_is_missing_is_made(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    make(photo, stores, studio)
    before = now_of(photo, stores.table)
    stores.blobs.delete(objects.rendition(photo.image_id, "thumb"))  # to see that nobody makes it again

    with Studio({**SIZES, "tiny": 64}) as more:
        make(photo, stores, more)

    made = now_of(photo, stores.table)
    assert made.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "TINY")
    assert blobs_of(photo, stores) == {photo.original_key, *rendition_keys(photo, "large", "medium", "tiny")}
    tiny = stores.blobs.head(objects.rendition(photo.image_id, "tiny")).size
    assert made.processed_size == (before.processed_size or 0) + tiny
    assert (made.state, made.version) == (PhotoState.READY, before.version)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (PICTURE[: len(PICTURE) // 2], "This JPEG ends too early: a part of it is missing."),
        (b"\xff\xd8\xff\xe0" + bytes(200), "This JPEG"),
    ],
)
def test_a_photo_that_cannot_be_shown_says_why_and_keeps_its_original(
    content: bytes, reason: str, stores: Stores, studio: Studio
) -> None:
    photo = arrive(content, stores)

    assert make(photo, stores, studio) == [PhotoChanged(photo.image_id, photo.owner)]

    failed = now_of(photo, stores.table)
    assert (failed.state, failed.processing_status) == (PhotoState.FAILED, ProcessingStatus.FAILED)
    assert failed.processing_error is not None
    assert failed.processing_error.startswith(reason)
    assert blobs_of(photo, stores) == {photo.original_key}


def test_bytes_that_are_no_picture_after_all_say_what_they_look_like(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    stores.blobs.put(photo.original_key or "", [b"<svg></svg>"])

    make(photo, stores, studio)

    assert "SVG" in (now_of(photo, stores.table).processing_error or "")


def test_a_failed_photo_is_not_tried_again_by_itself_but_by_its_owner(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE[:2000], stores)
    make(photo, stores, studio)
    stores.blobs.put(photo.original_key or "", [PICTURE])

    assert make(photo, stores, studio) == []
    retry_processing(now_of(photo, stores.table), at=now(), table=stores.table)
    make(photo, stores, studio)

    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_decoder_that_takes_too_long_fails_its_photo_and_the_next_one_is_made(stores: Stores) -> None:
    slow, quick = arrive(PICTURE, stores), arrive(saved(gradient(20, 20), "JPEG"), stores)
    with Studio(seconds=0.0001) as hasty:
        make(slow, stores, hasty)
        hasty._seconds = 60
        make(quick, stores, hasty)

    assert now_of(slow, stores.table).processing_error == "the file could not be decoded: the decoder took too long"
    assert now_of(quick, stores.table).state is PhotoState.READY


def test_a_photo_that_is_deleted_meanwhile_leaves_no_trace(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)

    def erase() -> None:
        erase_photo(now_of(photo, stores.table), table=stores.table, blobs=stores.blobs)

    assert make(photo, stores, Meanwhile(studio, erase)) == []

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []


def test_a_photo_that_is_being_deleted_is_left_alone(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    begin_deletion(photo, table=stores.table)

    assert make(photo, stores, studio) == []

    assert now_of(photo, stores.table).state is PhotoState.DELETING


def test_what_was_made_before_the_photo_went_is_removed_by_the_next_try(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    erase_photo(photo, table=stores.table, blobs=stores.blobs)
    stores.blobs.put(objects.rendition(photo.image_id, "hd"), [b"made by who was killed then"])

    assert make(photo, stores, studio) == []

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []


def test_a_photo_that_is_trashed_meanwhile_stays_in_the_trash(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)

    def trash() -> None:
        trash_photo(now_of(photo, stores.table), at=now(), table=stores.table)

    make(photo, stores, Meanwhile(studio, trash))

    trashed = now_of(photo, stores.table)
    assert (trashed.state, trashed.processing_status) == (PhotoState.TRASHED, ProcessingStatus.COMPLETED)


def test_two_workers_at_once_make_the_same(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)

    make(photo, stores, Meanwhile(studio, lambda: make(photo, stores, studio)))

    made = now_of(photo, stores.table)
    assert made.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB")
    assert made.processed_size == sum(stores.blobs.head(key).size for key in rendition_keys(photo))


def test_a_photo_whose_original_the_store_has_lost_says_so(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    stores.blobs.delete(photo.original_key or "")

    assert make(photo, stores, studio) == [PhotoChanged(photo.image_id, photo.owner)]

    failed = now_of(photo, stores.table)
    assert failed.state is PhotoState.FAILED
    assert "missing from the store" in (failed.processing_error or "")


def test_the_time_of_the_file_is_the_last_resort_and_marked_so(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores, file_time=FILE_TIME)

    make(photo, stores, studio)

    made = now_of(photo, stores.table)
    assert made.taken_at == FILE_TIME
    assert made.exif is not None
    assert made.exif.taken_from == "file"


@pytest.mark.parametrize("time", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2150, 1, 1, tzinfo=UTC)])
def test_a_time_of_the_file_that_cannot_be_is_none(time: datetime, stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores, file_time=time)

    make(photo, stores, studio)

    assert now_of(photo, stores.table).taken_at is None


def test_what_the_uploader_says_beats_the_file(stores: Stores, studio: Studio) -> None:
    said = datetime(2001, 2, 3, tzinfo=UTC)
    photo = arrive(PICTURE, stores, file_time=FILE_TIME, taken_at=said, title="Sea", tags=("blue",))

    make(photo, stores, studio)

    made = now_of(photo, stores.table)
    assert (made.taken_at, made.title, made.tags) == (said, "Sea", ("blue",))
    assert made.exif is None or made.exif.taken_from is None


def test_a_photo_that_was_given_up_says_so_and_may_be_tried_again(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    event = Uploaded(photo.image_id, photo.owner)

    assert give_up_photo(event, "no room", table=stores.table) == PhotoChanged(photo.image_id, photo.owner)

    failed = now_of(photo, stores.table)
    assert (failed.state, failed.processing_error) == (PhotoState.FAILED, GIVEN_UP)
    retry_processing(failed, at=now(), table=stores.table)
    make(photo, stores, studio)
    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_finished_photo_is_not_given_up(stores: Stores, studio: Studio) -> None:
    photo = arrive(PICTURE, stores)
    make(photo, stores, studio)

    give_up_photo(Uploaded(photo.image_id, photo.owner), "late", table=stores.table)

    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_photo_that_is_gone_is_not_given_up(stores: Stores) -> None:
    photo = replace(arrive(PICTURE, stores), image_id="0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a")

    assert give_up_photo(Uploaded(photo.image_id, photo.owner), "late", table=stores.table) is None

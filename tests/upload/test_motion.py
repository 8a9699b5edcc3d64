"""Live photos get a film beside their renditions; what only seems to be one stays a still."""

import io

import av
import pytest

from sparks.journey import Stores
from sparks.library import objects
from sparks.library.erasure import erase_photo
from sparks.library.photos import drop_motion
from sparks.media.studio import Studio
from sparks.model.events import FilmWanted, PhotoChanged, RenditionsReady
from sparks.model.photo import AssetType, PhotoState, Visibility
from sparks.model.times import now
from sparks.upload.rebuilding import count_lacking, lacks, resume_point
from tests.journey.trip import open_memory
from tests.media.build import gradient, saved
from tests.media.motions import motion_photo
from tests.traces import traces_of
from tests.upload.test_filming import make_film_of
from tests.upload.trips import THREE, arrive, blobs_of, make, now_of, rendition_keys

LIVE = motion_photo()


@pytest.fixture
def stores() -> Stores:
    return open_memory()


def test_a_live_photo_is_shown_at_once_and_gets_its_motion_afterwards(stores: Stores, studio: Studio) -> None:
    photo = arrive(LIVE, stores)
    assert make(photo, stores, studio) == [
        RenditionsReady(photo.image_id, photo.owner),
        FilmWanted(photo.image_id, photo.owner),
    ]
    shown = now_of(photo, stores.table)
    assert (shown.state, shown.asset_type, shown.is_live) == (PhotoState.READY, AssetType.IMAGE, True)
    assert shown.duration == pytest.approx(1.0, abs=0.1)

    assert make_film_of(photo, stores, studio) == PhotoChanged(photo.image_id, photo.owner)

    key = objects.motion(photo.image_id)
    filmed = now_of(photo, stores.table)
    assert filmed.renditions is not None
    assert filmed.renditions.keys["motion"] == key == f"processed/{photo.image_id}_motion.mp4"
    assert filmed.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "MOTION")
    assert filmed.processed_size == (shown.processed_size or 0) + stores.blobs.head(key).size
    assert (filmed.duration, filmed.version) == (shown.duration, shown.version)
    assert stores.blobs.head(key).content_type == "video/mp4"
    with av.open(io.BytesIO(b"".join(stores.blobs.open(key)))) as made:
        assert made.streams.video[0].codec_context.name == "h264"


def test_all_that_is_repeated_changes_nothing(stores: Stores, studio: Studio) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, studio)
    make_film_of(photo, stores, studio)
    before = now_of(photo, stores.table)

    assert make(photo, stores, studio) == [RenditionsReady(photo.image_id, photo.owner)]
    assert make_film_of(photo, stores, studio) is None

    assert now_of(photo, stores.table) == before


def test_a_film_that_cannot_be_made_after_all_leaves_a_still(stores: Stores, studio: Studio) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, studio)
    assert now_of(photo, stores.table).is_live
    stores.blobs.put(photo.original_key or "", [saved(gradient(20, 20), "JPEG")])

    assert make_film_of(photo, stores, studio) == PhotoChanged(photo.image_id, photo.owner)
    assert make_film_of(photo, stores, studio) is None

    still = now_of(photo, stores.table)
    assert (still.state, still.is_live, still.duration, still.processing_error) == (PhotoState.READY, False, None, None)
    assert blobs_of(photo, stores) == {photo.original_key, *rendition_keys(photo)}


def test_a_still_and_its_words_without_a_film_want_none(stores: Stores, studio: Studio) -> None:
    photo = arrive(motion_photo(b""), stores)
    assert make(photo, stores, studio) == [RenditionsReady(photo.image_id, photo.owner)]
    assert not now_of(photo, stores.table).is_live
    assert make_film_of(photo, stores, studio) is None


@pytest.mark.parametrize("visibility", Visibility)
def test_a_live_photo_whose_motion_got_lost_lacks_it_until_it_is_made(
    visibility: Visibility, stores: Stores, studio: Studio
) -> None:
    photo = arrive(LIVE, stores, visibility=visibility)
    make(photo, stores, studio)
    state = resume_point(THREE, table=stores.table)
    assert lacks(now_of(photo, stores.table), THREE)
    assert count_lacking(THREE, state, table=stores.table) == 1

    assert FilmWanted(photo.image_id, photo.owner) in make(photo, stores, studio)
    make_film_of(photo, stores, studio)

    assert not lacks(now_of(photo, stores.table), THREE)
    assert count_lacking(THREE, state, table=stores.table) == 0


def test_a_motion_that_another_worker_made_meanwhile_stays(stores: Stores, studio: Studio) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, studio)
    seen = now_of(photo, stores.table)
    make_film_of(photo, stores, studio)

    drop_motion(seen, at=now(), table=stores.table)

    assert now_of(photo, stores.table).is_live


def test_a_motion_goes_with_its_photo(stores: Stores, studio: Studio) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, studio)
    make_film_of(photo, stores, studio)

    erase_photo(now_of(photo, stores.table), table=stores.table, blobs=stores.blobs)
    stores.blobs.put(objects.motion(photo.image_id), [b"made by another worker that was slower"])
    assert make_film_of(photo, stores, studio) is None

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []

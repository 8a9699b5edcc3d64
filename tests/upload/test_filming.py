"""Videos that not every browser plays get a film that all do."""

import io

import av
import pytest

from sparks.journey import Stores
from sparks.library import objects
from sparks.library.erasure import erase_photo
from sparks.media.studio import Studio
from sparks.model.events import FilmWanted, PhotoChanged, RenditionsReady
from sparks.model.photo import AssetType, Photo, PhotoState
from sparks.upload.filming import make_film
from tests.journey.trip import open_memory
from tests.media.build import gradient, saved
from tests.media.clips import film
from tests.traces import traces_of
from tests.upload.trips import arrive, blobs_of, make, now_of, rendition_keys

UNPLAYABLE = film("avi", "mpeg4")
PLAYABLE = film("mp4", "libx264")


@pytest.fixture
def stores() -> Stores:
    return open_memory()


def make_film_of(photo: Photo, stores: Stores, studio: Studio) -> PhotoChanged | None:
    event = FilmWanted(photo.image_id, photo.owner)
    return make_film(event, table=stores.table, blobs=stores.blobs, served=stores.served, studio=studio)


def test_a_video_that_browsers_do_not_play_gets_a_film_that_they_do(stores: Stores, studio: Studio) -> None:
    photo = arrive(UNPLAYABLE, stores)
    assert make(photo, stores, studio) == [
        RenditionsReady(photo.image_id, photo.owner),
        FilmWanted(photo.image_id, photo.owner),
    ]
    shown = now_of(photo, stores.table)

    assert make_film_of(photo, stores, studio) == PhotoChanged(photo.image_id, photo.owner)

    key = objects.film(photo.image_id)
    filmed = now_of(photo, stores.table)
    assert filmed.renditions is not None
    assert filmed.renditions.keys["video"] == key
    assert filmed.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "VIDEO")
    assert filmed.processed_size == (shown.processed_size or 0) + stores.blobs.head(key).size
    assert stores.blobs.head(key).content_type == "video/mp4"
    with av.open(io.BytesIO(b"".join(stores.blobs.open(key)))) as made:
        assert made.streams.video[0].codec_context.name == "h264"


def test_a_video_has_a_poster_a_duration_and_no_film_where_browsers_play_it(stores: Stores, studio: Studio) -> None:
    photo = arrive(PLAYABLE, stores)

    assert make(photo, stores, studio) == [RenditionsReady(photo.image_id, photo.owner)]

    shown = now_of(photo, stores.table)
    assert (shown.asset_type, shown.width, shown.height) == (AssetType.VIDEO, 160, 120)
    assert shown.duration == pytest.approx(0.4, abs=0.05)
    assert make_film_of(photo, stores, studio) is None
    assert blobs_of(photo, stores) == {photo.original_key, *rendition_keys(photo)}


def test_a_repeated_job_makes_no_second_film(stores: Stores, studio: Studio) -> None:
    photo = arrive(UNPLAYABLE, stores)
    make(photo, stores, studio)
    make_film_of(photo, stores, studio)
    before = now_of(photo, stores.table)

    assert make_film_of(photo, stores, studio) is None

    assert now_of(photo, stores.table) == before


def test_a_picture_gets_no_film(stores: Stores, studio: Studio) -> None:
    photo = arrive(saved(gradient(20, 20), "JPEG"), stores)
    make(photo, stores, studio)

    assert make_film_of(photo, stores, studio) is None


def test_a_video_of_which_no_film_can_be_made_is_shown_as_it_is(stores: Stores, studio: Studio) -> None:
    photo = arrive(UNPLAYABLE, stores)
    make(photo, stores, studio)
    stores.blobs.put(photo.original_key or "", [b"not a film any more"])

    assert make_film_of(photo, stores, studio) is None

    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_film_goes_with_its_photo(stores: Stores, studio: Studio) -> None:
    photo = arrive(UNPLAYABLE, stores)
    make(photo, stores, studio)
    make_film_of(photo, stores, studio)

    erase_photo(now_of(photo, stores.table), table=stores.table, blobs=stores.blobs)
    stores.blobs.put(objects.film(photo.image_id), [b"made by another worker that was slower"])
    assert make_film_of(photo, stores, studio) is None

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []


@pytest.mark.parametrize("content", [film("webm", "libvpx"), PLAYABLE + b"nobody knows what"])
def test_a_video_that_cannot_be_veiled_gets_a_film_even_where_browsers_play_it(
    content: bytes, stores: Stores, studio: Studio
) -> None:
    photo = arrive(content, stores)
    assert FilmWanted(photo.image_id, photo.owner) in make(photo, stores, studio)

    assert make_film_of(photo, stores, studio) == PhotoChanged(photo.image_id, photo.owner)

    filmed = now_of(photo, stores.table).renditions
    assert filmed is not None
    assert b"nobody" not in b"".join(stores.blobs.open(filmed.keys["video"]))

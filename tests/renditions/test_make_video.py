"""Video renditions of videos that not every browser plays."""

import io

import av
import pytest

from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.events import PhotoChanged, RenditionsReady, VideoWanted
from sparks.model.photo import AssetType, Photo, PhotoState
from sparks.renditions.make_video import make_video
from tests.journey.sample_steps import open_memory
from tests.media.clips import make_clip
from tests.media.container_builders import gradient, saved
from tests.stored_traces import traces_of
from tests.uploads.pending_photos import arrive, blobs_of, make, now_of, rendition_keys

UNPLAYABLE = make_clip("avi", "mpeg4")
PLAYABLE = make_clip("mp4", "libx264")


@pytest.fixture
def stores() -> Stores:
    return open_memory()


def make_video_of(photo: Photo, stores: Stores, renderer: SandboxedRenderer) -> PhotoChanged | None:
    event = VideoWanted(photo.image_id, photo.owner)
    return make_video(event, table=stores.table, blobs=stores.blobs, renderer=renderer)


def test_a_video_that_browsers_cannot_play_is_transcoded(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(UNPLAYABLE, stores)
    assert make(photo, stores, renderer) == [
        RenditionsReady(photo.image_id, photo.owner),
        VideoWanted(photo.image_id, photo.owner),
    ]
    shown = now_of(photo, stores.table)

    assert make_video_of(photo, stores, renderer) == PhotoChanged(photo.image_id, photo.owner)

    key = blob_keys.video(photo.image_id)
    filmed = now_of(photo, stores.table)
    assert filmed.renditions is not None
    assert filmed.renditions.keys["video"] == key
    assert filmed.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "VIDEO")
    assert filmed.processed_size == (shown.processed_size or 0) + stores.blobs.head(key).size
    assert stores.blobs.head(key).content_type == "video/mp4"
    with av.open(io.BytesIO(b"".join(stores.blobs.open(key)))) as made:
        assert made.streams.video[0].codec_context.name == "h264"


def test_a_video_that_browsers_play_has_a_poster_and_a_duration_and_is_not_transcoded(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(PLAYABLE, stores)

    assert make(photo, stores, renderer) == [RenditionsReady(photo.image_id, photo.owner)]

    shown = now_of(photo, stores.table)
    assert (shown.asset_type, shown.width, shown.height) == (AssetType.VIDEO, 160, 120)
    assert shown.duration == pytest.approx(0.4, abs=0.05)
    assert make_video_of(photo, stores, renderer) is None
    assert blobs_of(photo, stores) == {photo.original_key, *rendition_keys(photo)}


def test_a_repeated_job_makes_no_second_video_rendition(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(UNPLAYABLE, stores)
    make(photo, stores, renderer)
    make_video_of(photo, stores, renderer)
    before = now_of(photo, stores.table)

    assert make_video_of(photo, stores, renderer) is None

    assert now_of(photo, stores.table) == before


def test_a_picture_gets_no_video_rendition(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(saved(gradient(20, 20), "JPEG"), stores)
    make(photo, stores, renderer)

    assert make_video_of(photo, stores, renderer) is None


def test_a_video_that_cannot_be_transcoded_keeps_its_original_only(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(UNPLAYABLE, stores)
    make(photo, stores, renderer)
    stores.blobs.put(photo.original_key or "", [b"not a film any more"])

    assert make_video_of(photo, stores, renderer) is None

    assert now_of(photo, stores.table).state is PhotoState.READY


def test_a_video_rendition_is_deleted_with_its_photo(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(UNPLAYABLE, stores)
    make(photo, stores, renderer)
    make_video_of(photo, stores, renderer)

    delete_rows_and_blobs(now_of(photo, stores.table), table=stores.table, blobs=stores.blobs)
    stores.blobs.put(blob_keys.video(photo.image_id), [b"made by another worker that was slower"])
    assert make_video_of(photo, stores, renderer) is None

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []


@pytest.mark.parametrize("content", [make_clip("webm", "libvpx"), PLAYABLE + b"nobody knows what"])
def test_a_video_whose_metadata_cannot_be_stripped_is_transcoded_even_if_browsers_play_it(
    content: bytes, stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(content, stores)
    assert VideoWanted(photo.image_id, photo.owner) in make(photo, stores, renderer)

    assert make_video_of(photo, stores, renderer) == PhotoChanged(photo.image_id, photo.owner)

    filmed = now_of(photo, stores.table).renditions
    assert filmed is not None
    assert b"nobody" not in b"".join(stores.blobs.open(filmed.keys["video"]))

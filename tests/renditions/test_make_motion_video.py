"""Motion renditions of live photos."""

import io

import av
import pytest

from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.processing_state import drop_motion
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.events import PhotoChanged, RenditionsReady, VideoWanted
from sparks.model.photo import AssetType, PhotoState, Visibility
from sparks.model.times import now
from sparks.renditions.missing_renditions import count_lacking, lacks_renditions, resume_point
from tests.journey.sample_steps import open_memory
from tests.media.container_builders import gradient, saved
from tests.media.motion_photos import motion_photo
from tests.renditions.test_make_video import make_video_of
from tests.stored_traces import traces_of
from tests.uploads.pending_photos import THREE, arrive, blobs_of, make, now_of, rendition_keys

LIVE = motion_photo()


@pytest.fixture
def stores() -> Stores:
    return open_memory()


def test_a_live_photo_is_ready_at_once_and_gets_its_motion_rendition_afterwards(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(LIVE, stores)
    assert make(photo, stores, renderer) == [
        RenditionsReady(photo.image_id, photo.owner),
        VideoWanted(photo.image_id, photo.owner),
    ]
    shown = now_of(photo, stores.table)
    assert (shown.state, shown.asset_type, shown.is_live) == (PhotoState.READY, AssetType.IMAGE, True)
    assert shown.duration == pytest.approx(1.0, abs=0.1)

    assert make_video_of(photo, stores, renderer) == PhotoChanged(photo.image_id, photo.owner)

    key = blob_keys.motion(photo.image_id)
    filmed = now_of(photo, stores.table)
    assert filmed.renditions is not None
    assert filmed.renditions.keys["motion"] == key == f"processed/{photo.image_id}_motion.mp4"
    assert filmed.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", "MOTION")
    assert filmed.processed_size == (shown.processed_size or 0) + stores.blobs.head(key).size
    assert (filmed.duration, filmed.version) == (shown.duration, shown.version)
    assert stores.blobs.head(key).content_type == "video/mp4"
    with av.open(io.BytesIO(b"".join(stores.blobs.open(key)))) as made:
        assert made.streams.video[0].codec_context.name == "h264"


def test_repeated_steps_of_a_live_photo_change_nothing(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, renderer)
    make_video_of(photo, stores, renderer)
    before = now_of(photo, stores.table)

    assert make(photo, stores, renderer) == [RenditionsReady(photo.image_id, photo.owner)]
    assert make_video_of(photo, stores, renderer) is None

    assert now_of(photo, stores.table) == before


def test_a_live_photo_whose_clip_cannot_be_transcoded_becomes_a_still_picture(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, renderer)
    assert now_of(photo, stores.table).is_live
    stores.blobs.put(photo.original_key or "", [saved(gradient(20, 20), "JPEG")])

    assert make_video_of(photo, stores, renderer) == PhotoChanged(photo.image_id, photo.owner)
    assert make_video_of(photo, stores, renderer) is None

    still = now_of(photo, stores.table)
    assert (still.state, still.is_live, still.duration, still.processing_error) == (PhotoState.READY, False, None, None)
    assert blobs_of(photo, stores) == {photo.original_key, *rendition_keys(photo)}


def test_a_still_picture_marked_as_live_photo_without_a_clip_gets_no_motion_rendition(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(motion_photo(b""), stores)
    assert make(photo, stores, renderer) == [RenditionsReady(photo.image_id, photo.owner)]
    assert not now_of(photo, stores.table).is_live
    assert make_video_of(photo, stores, renderer) is None


@pytest.mark.parametrize("visibility", Visibility)
def test_a_live_photo_without_its_motion_rendition_is_found_until_it_is_made(
    visibility: Visibility, stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(LIVE, stores, visibility=visibility)
    make(photo, stores, renderer)
    state = resume_point(THREE, table=stores.table)
    assert lacks_renditions(now_of(photo, stores.table), THREE)
    assert count_lacking(THREE, state, table=stores.table) == 1

    assert VideoWanted(photo.image_id, photo.owner) in make(photo, stores, renderer)
    make_video_of(photo, stores, renderer)

    assert not lacks_renditions(now_of(photo, stores.table), THREE)
    assert count_lacking(THREE, state, table=stores.table) == 0


def test_a_motion_rendition_that_another_worker_made_meanwhile_stays(
    stores: Stores, renderer: SandboxedRenderer
) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, renderer)
    seen = now_of(photo, stores.table)
    make_video_of(photo, stores, renderer)

    drop_motion(seen, at=now(), table=stores.table)

    assert now_of(photo, stores.table).is_live


def test_a_motion_rendition_is_deleted_with_its_photo(stores: Stores, renderer: SandboxedRenderer) -> None:
    photo = arrive(LIVE, stores)
    make(photo, stores, renderer)
    make_video_of(photo, stores, renderer)

    delete_rows_and_blobs(now_of(photo, stores.table), table=stores.table, blobs=stores.blobs)
    stores.blobs.put(blob_keys.motion(photo.image_id), [b"made by another worker that was slower"])
    assert make_video_of(photo, stores, renderer) is None

    assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) == []

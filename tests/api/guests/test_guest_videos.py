"""Videos for guests: played and downloaded, as a rendition or as the original."""

import io
import zipfile
from collections.abc import Iterator
from typing import Final

import av
import httpx
import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.model.album import Album, AlbumMember, AlbumRole
from sparks.model.ids import new_image_id
from sparks.model.photo import AssetType, Photo, ProcessingStatus, Renditions, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.community import Community
from tests.api.shown_photo import RING, Gallery, local_gallery
from tests.factories import ANN, a_photo, an_album
from tests.media.clips import clip_named
from tests.media.container_builders import box
from tests.media.samples import sample

PLACE: Final = b"+51.5007-000.1246/"
MP4, WEBM = "video/mp4", "video/webm"


def bikes() -> bytes:
    """A real video that browsers play, followed by the place where it was taken."""
    return sample("video/bikes.mp4") + box(b"udta", box(b"\xa9xyz", PLACE))


def frames_in(content: bytes) -> int:
    with av.open(io.BytesIO(content), "r") as container:
        return sum(1 for _ in container.decode(video=0))


@pytest.fixture(params=["local", "elsewhere"])
def gallery(request: pytest.FixtureRequest) -> Gallery:
    """A link that only allows guests to view."""
    remote = MemoryBlobs(keyring=RING, base_url="https://store.example", is_local=False)
    gallery = local_gallery() if request.param == "local" else Gallery(blobs=remote)
    gallery.change(gallery.link, allow=frozenset({LinkPermission.VIEW}))
    return gallery


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def set_video(gallery: Gallery, content: bytes, mime_type: str = MP4) -> None:
    """Makes the photo a video."""
    gallery.blobs.put(gallery.photo.original_key or "", [content], content_type=mime_type)
    gallery.change(gallery.photo, asset_type=AssetType.VIDEO, mime_type=mime_type)


def play(gallery: Gallery, client: Client, **headers: str) -> httpx.Response:
    return client.get(gallery.url(gallery.guest_in(), size="video"), headers=headers)


# -- Playing


def test_a_guest_who_may_only_view_plays_the_original_video_without_its_place(gallery: Gallery, client: Client) -> None:
    set_video(gallery, bikes())
    response = play(gallery, client)
    assert (response.status_code, response.headers["content-type"]) == (200, MP4)
    assert "content-disposition" not in response.headers
    assert len(response.content) == len(bikes())
    assert PLACE in bikes()
    assert PLACE not in response.content
    assert frames_in(response.content) == frames_in(bikes()) > 0
    assert client.get(gallery.original_url(), headers={"Authorization": f"Bearer {gallery.token_of_guest()}"}).is_error


def test_a_guest_plays_ranges_of_the_original_video(gallery: Gallery, client: Client) -> None:
    set_video(gallery, bikes())
    whole = play(gallery, client)
    for span in ((0, 1), (1000, 400_000), (len(bikes()) - 40, len(bikes()) - 1)):
        part = play(gallery, client, Range=f"bytes={span[0]}-{span[1]}")
        assert (part.status_code, part.content) == (206, whole.content[span[0] : span[1] + 1])
    assert play(gallery, client, **{"If-None-Match": whole.headers["etag"]}).status_code == 304
    assert whole.headers["cache-control"] == "private, no-cache"


def test_a_link_that_shows_metadata_serves_the_original_video_unchanged(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.link, show_metadata=True)
    set_video(gallery, clip_named("vp8.webm"), WEBM)
    response = play(gallery, client)
    if not gallery.blobs.is_local:
        assert (response.status_code, response.headers["cache-control"]) == (307, "no-store")
        assert f"/{gallery.photo.original_key}?" in response.headers["location"]
    else:
        assert (response.content, response.headers["content-type"]) == (clip_named("vp8.webm"), WEBM)


def test_a_video_rendition_is_preferred_to_the_original(gallery: Gallery, client: Client) -> None:
    set_video(gallery, bikes())
    key = f"processed/{gallery.photo.image_id}_video.mp4"
    gallery.blobs.put(key, [b"made"], content_type=MP4)
    gallery.change(gallery.photo, renditions=Renditions({"video": key}))
    response = play(gallery, client)
    assert response.content == b"made" or f"/{key}?" in response.headers["location"]


@pytest.mark.parametrize(
    ("name", "mime_type"), [("vp8.webm", WEBM), ("vp8.webm", MP4), ("mjpeg.avi", "video/x-msvideo")]
)
def test_an_original_whose_metadata_cannot_be_stripped_is_no_video_for_guests(
    gallery: Gallery, client: Client, name: str, mime_type: str
) -> None:
    set_video(gallery, clip_named(name), mime_type)
    assert play(gallery, client).status_code == 404


def test_an_unprocessed_video_and_a_picture_have_no_video_for_guests(gallery: Gallery, client: Client) -> None:
    gallery.blobs.put(gallery.photo.original_key or "", [bikes()])
    assert play(gallery, client).status_code == 404
    set_video(gallery, bikes())
    gallery.change(gallery.photo, processing_status=ProcessingStatus.PENDING)
    assert play(gallery, client).headers["retry-after"] == "5"


def test_members_play_the_original_video_at_its_own_url(gallery: Gallery, client: Client) -> None:
    set_video(gallery, bikes())
    assert client.get(gallery.url(gallery.bob_in(), size="video")).status_code == 404


# -- Lists and archives


@pytest.fixture
def album(community: Community) -> Album:
    album = community.keep(an_album())
    community.keep(AlbumMember(album_id=album.album_id, email=ANN, role=AlbumRole.OWNER))
    return album


def add_video(community: Community, browser: Client, album: Album, content: bytes, mime_type: str) -> Photo:
    """Adds a video with its poster to the album."""
    image_id = new_image_id()
    poster = f"processed/{image_id}_large.webp"
    photo = a_photo(
        image_id=image_id,
        original_key=f"originals/{image_id}.{mime_type[-4:].strip('/')}",
        visibility=Visibility.PRIVATE,
        asset_type=AssetType.VIDEO,
        mime_type=mime_type,
        file_size=len(content),
        renditions=Renditions({"large": poster}),
    )
    community.blobs.put(photo.original_key or "", [content])
    community.blobs.put(poster, [b"poster"])
    community.keep(photo)
    path, ann = f"/api/albums/{album.album_id}/photos", community.session_of(community.ann)
    assert browser.put(path, json={"ids": [image_id]}, headers=ann).status_code == 200
    return photo


def test_a_list_has_the_video_url_for_guests(community: Community, browser: Client, album: Album) -> None:
    playable, other = (
        add_video(community, browser, album, bikes(), MP4),
        add_video(community, browser, album, clip_named("vp8.webm"), WEBM),
    )
    for shown, videos in ((False, {playable.image_id}), (True, {playable.image_id, other.image_id})):
        link, _ = community.link_to(album.album_id, LinkPermission.VIEW, show_metadata=shown)
        listed = browser.get(f"/api/albums/{album.album_id}/photos", headers=community.guest_of(link)).json()["images"]
        assert {image["imageId"] for image in listed if "video" in image["urls"]} == videos
        for image in listed:
            if "video" in image["urls"]:
                assert browser.get(image["urls"]["video"], headers={"Range": "bytes=0-9"}).status_code == 206
    mine = browser.get(f"/api/photos/{playable.image_id}", headers=community.session_of(community.ann)).json()
    assert "video" not in mine["urls"]


def test_an_archive_without_metadata_holds_the_video_and_not_its_poster(
    community: Community, browser: Client, album: Album
) -> None:
    add_video(community, browser, album, bikes(), MP4)
    add_video(community, browser, album, clip_named("vp8.webm"), WEBM)
    link, _ = community.link_to(album.album_id, LinkPermission.VIEW, LinkPermission.DOWNLOAD)
    response = browser.get(f"/api/albums/{album.album_id}/archive", headers=community.guest_of(link))
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        files = {name.partition(".")[2]: archive.read(name) for name in archive.namelist()}
    assert files.keys() == {"mp4", "txt"}
    assert len(files["mp4"]) == len(bikes())
    assert PLACE not in files["mp4"]
    assert frames_in(files["mp4"]) > 0
    assert b".webm" in files["txt"]
    assert b".mp4" not in files["txt"]

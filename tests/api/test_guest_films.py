"""Videos for guests: played, and taken home, whether a film was made of them or they are one as they came."""

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
from tests.api.gallery import RING, Gallery, served_gallery
from tests.factories import ANN, a_photo, an_album
from tests.media.build import box
from tests.media.clips import clip_named
from tests.media.samples import sample

PLACE: Final = b"+51.5007-000.1246/"
MP4, WEBM = "video/mp4", "video/webm"


def bikes() -> bytes:
    """A real film that browsers play, and behind it the place where it was taken."""
    return sample("video/bikes.mp4") + box(b"udta", box(b"\xa9xyz", PLACE))


def frames_in(content: bytes) -> int:
    with av.open(io.BytesIO(content), "r") as container:
        return sum(1 for _ in container.decode(video=0))


@pytest.fixture(params=["served", "elsewhere"])
def gallery(request: pytest.FixtureRequest) -> Gallery:
    """Its link lets guests look, and no more."""
    far = MemoryBlobs(keyring=RING, base_url="https://store.example")
    gallery = served_gallery() if request.param == "served" else Gallery(blobs=far, served=None)
    gallery.change(gallery.link, allow=frozenset({LinkPermission.VIEW}))
    return gallery


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def project(gallery: Gallery, content: bytes, mime_type: str = MP4) -> None:
    """The photo is this video."""
    gallery.blobs.put(gallery.photo.original_key or "", [content], content_type=mime_type)
    gallery.change(gallery.photo, asset_type=AssetType.VIDEO, mime_type=mime_type)


def play(gallery: Gallery, client: Client, **headers: str) -> httpx.Response:
    return client.get(gallery.url(gallery.guest_in(), size="video"), headers=headers)


# -- Playing


def test_a_guest_who_may_only_look_plays_a_film_as_it_came_without_its_place(gallery: Gallery, client: Client) -> None:
    project(gallery, bikes())
    answer = play(gallery, client)
    assert (answer.status_code, answer.headers["content-type"]) == (200, MP4)
    assert "content-disposition" not in answer.headers
    assert len(answer.content) == len(bikes())
    assert PLACE in bikes()
    assert PLACE not in answer.content
    assert frames_in(answer.content) == frames_in(bikes()) > 0
    assert client.get(gallery.original_url(), headers={"Authorization": f"Bearer {gallery.token_of_guest()}"}).is_error


def test_a_player_asks_for_parts_of_it(gallery: Gallery, client: Client) -> None:
    project(gallery, bikes())
    whole = play(gallery, client)
    for span in ((0, 1), (1000, 400_000), (len(bikes()) - 40, len(bikes()) - 1)):
        part = play(gallery, client, Range=f"bytes={span[0]}-{span[1]}")
        assert (part.status_code, part.content) == (206, whole.content[span[0] : span[1] + 1])
    assert play(gallery, client, **{"If-None-Match": whole.headers["etag"]}).status_code == 304
    assert whole.headers["cache-control"] == "private, no-cache"


def test_where_the_link_shows_metadata_it_is_the_film_as_it_is(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.link, show_metadata=True)
    project(gallery, clip_named("vp8.webm"), WEBM)
    answer = play(gallery, client)
    if gallery.served is None:
        assert (answer.status_code, answer.headers["cache-control"]) == (307, "no-store")
        assert f"/{gallery.photo.original_key}?" in answer.headers["location"]
    else:
        assert (answer.content, answer.headers["content-type"]) == (clip_named("vp8.webm"), WEBM)


def test_a_film_that_was_made_comes_before_the_original(gallery: Gallery, client: Client) -> None:
    project(gallery, bikes())
    key = f"processed/{gallery.photo.image_id}_video.mp4"
    gallery.blobs.put(key, [b"made"], content_type=MP4)
    gallery.change(gallery.photo, renditions=Renditions({"video": key}))
    answer = play(gallery, client)
    assert answer.content == b"made" or f"/{key}?" in answer.headers["location"]


@pytest.mark.parametrize(
    ("name", "mime_type"), [("vp8.webm", WEBM), ("vp8.webm", MP4), ("mjpeg.avi", "video/x-msvideo")]
)
def test_what_nobody_can_veil_is_no_film_for_guests(
    gallery: Gallery, client: Client, name: str, mime_type: str
) -> None:
    project(gallery, clip_named(name), mime_type)
    assert play(gallery, client).status_code == 404


def test_a_video_in_the_making_and_a_picture_are_none(gallery: Gallery, client: Client) -> None:
    gallery.blobs.put(gallery.photo.original_key or "", [bikes()])
    assert play(gallery, client).status_code == 404
    project(gallery, bikes())
    gallery.change(gallery.photo, processing_status=ProcessingStatus.PENDING)
    assert play(gallery, client).headers["retry-after"] == "5"


def test_members_play_the_original_where_it_is(gallery: Gallery, client: Client) -> None:
    project(gallery, bikes())
    assert client.get(gallery.url(gallery.bob_in(), size="video")).status_code == 404


# -- In a list, and taken home


@pytest.fixture
def album(community: Community) -> Album:
    album = community.keep(an_album())
    community.keep(AlbumMember(album_id=album.album_id, email=ANN, role=AlbumRole.OWNER))
    return album


def hang(community: Community, browser: Client, album: Album, content: bytes, mime_type: str) -> Photo:
    """A video in the album, with its poster."""
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
    address, ann = f"/api/albums/{album.album_id}/photos", community.session_of(community.ann)
    assert browser.put(address, json={"ids": [image_id]}, headers=ann).status_code == 200
    return photo


def test_a_list_leads_guests_to_the_film(community: Community, browser: Client, album: Album) -> None:
    film, other = (
        hang(community, browser, album, bikes(), MP4),
        hang(community, browser, album, clip_named("vp8.webm"), WEBM),
    )
    for shown, films in ((False, {film.image_id}), (True, {film.image_id, other.image_id})):
        link, _ = community.link_to(album.album_id, LinkPermission.VIEW, show_metadata=shown)
        listed = browser.get(f"/api/albums/{album.album_id}/photos", headers=community.guest_of(link)).json()["images"]
        assert {image["imageId"] for image in listed if "video" in image["urls"]} == films
        for image in listed:
            if "video" in image["urls"]:
                assert browser.get(image["urls"]["video"], headers={"Range": "bytes=0-9"}).status_code == 206
    mine = browser.get(f"/api/photos/{film.image_id}", headers=community.session_of(community.ann)).json()
    assert "video" not in mine["urls"]


def test_an_archive_that_tells_nothing_holds_the_film_and_never_its_poster(
    community: Community, browser: Client, album: Album
) -> None:
    hang(community, browser, album, bikes(), MP4)
    hang(community, browser, album, clip_named("vp8.webm"), WEBM)
    link, _ = community.link_to(album.album_id, LinkPermission.VIEW, LinkPermission.DOWNLOAD)
    answer = browser.get(f"/api/albums/{album.album_id}/archive", headers=community.guest_of(link))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        files = {name.partition(".")[2]: archive.read(name) for name in archive.namelist()}
    assert files.keys() == {"mp4", "txt"}
    assert len(files["mp4"]) == len(bikes())
    assert PLACE not in files["mp4"]
    assert frames_in(files["mp4"]) > 0
    assert b".webm" in files["txt"]
    assert b".mp4" not in files["txt"]

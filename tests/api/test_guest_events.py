"""Events of an album as its guests hear them, until their link is revoked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.listening import Pace
from sparks.library.albums import Place, add_photo, make_album, remove_photo
from sparks.library.following import follow_photo
from sparks.library.live import Named, announce_albums, announce_in, announce_people
from sparks.library.records import key_of
from sparks.library.sharing import revoke_link
from sparks.model import times
from sparks.model.album import Album
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import scope_of_album
from sparks.model.share import LinkPermission
from sparks.table.port import Delete
from tests.api.community import KEYRING
from tests.api.streams import follow
from tests.api.test_events import SLOW, Street
from tests.factories import ANN, a_photo


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    street = Street(tmp_path, SLOW)
    with street.open():
        yield street


@pytest.fixture
def album(street: Street) -> Album:
    return make_album(street.community.ann, "Wedding", at=times.now(), table=street.table)


def path(album: Album, query: str = "") -> str:
    return f"/api/albums/{album.album_id}/events{query}"


def come(street: Street, album: Album, **more: Any) -> Photo:
    photo = street.community.keep(a_photo(visibility=Visibility.PRIVATE, **more))
    add_photo(photo, Place(album_id=album.album_id, by=ANN, at=times.now()), table=street.table)
    follow_photo(photo.image_id, photo.owner, table=street.table, blobs=street.community.blobs, keyring=KEYRING)
    return photo


def tell(street: Street, album: Album, photo: Photo) -> None:
    named = Named(photo.image_id, photo.owner)
    announce_in([scope_of_album(album.album_id)], named, at=times.now(), table=street.table, keyring=KEYRING)


def heard(told: Any) -> tuple[str, str]:
    assert told.kind == "album"
    assert "uploadedBy" not in told.data["photo"]
    return told.data["albumId"], told.data["photo"]["imageId"]


def test_a_guest_hears_of_photos_that_come_and_not_whose_they_are(street: Street, album: Album) -> None:
    link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW)
    with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        photo = come(street, album)
        assert heard(guest.hear()) == (album.album_id, photo.image_id)


def test_who_comes_back_hears_what_they_missed(street: Street, album: Album) -> None:
    link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW)
    headers = street.community.guest_of(link)
    with follow(street.url, headers, path=path(album)) as guest:
        block = guest.block()
        assert block is not None
    photo = come(street, album)
    for again in (path(album, f"?since={block['id']}"), path(album)):
        since = {} if "since" in again else {"Last-Event-ID": block["id"]}
        with follow(street.url, headers | since, path=again) as guest:
            assert heard(guest.hear()) == (album.album_id, photo.image_id)


def test_a_revoked_link_ends_the_streams_of_its_guests(street: Street, album: Album) -> None:
    link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW)
    with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        revoke_link(link, table=street.table)
        announce_albums([album.album_id], at=times.now(), table=street.table)
        assert guest.rest() == []


def test_before_it_is_revealed_a_guest_hears_of_nothing_that_others_bring(street: Street, album: Album) -> None:
    later = times.now().replace(year=2099)
    link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW, reveal_at=later)
    with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        come(street, album)
        announce_people([scope_of_album(album.album_id)], at=times.now(), table=street.table)
        announce_albums([album.album_id], at=times.now(), table=street.table)
        assert guest.hear().data == {"albumId": album.album_id}


def test_a_guest_who_sees_photos_of_some_hears_of_no_other(street: Street, album: Album) -> None:
    link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW, persons=("person1",))
    with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        other = come(street, album, persons=("person2",))
        theirs = come(street, album, persons=("person1", "person2"))
        assert heard(guest.hear()) == (album.album_id, theirs.image_id)
        for photo in (other, theirs):
            remove_photo(photo, album.album_id, table=street.table)
            tell(street, album, photo)
        assert guest.hear().data == {"albumId": album.album_id, "photo": {"imageId": theirs.image_id, "gone": True}}


def test_which_photo_is_deleted_is_not_told_where_nobody_knows_who_saw_it(street: Street, album: Album) -> None:
    link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW, persons=("person1",))
    photo = come(street, album, persons=("person2",))
    with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        street.table.write(Delete(key_of(photo)))
        tell(street, album, photo)
        assert guest.hear().data == {"albumId": album.album_id}


def test_a_guest_of_another_album_hears_nothing(street: Street, album: Album) -> None:
    link, _ = street.community.link_to("another", LinkPermission.VIEW)
    with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
        assert guest.status == 404


@pytest.mark.parametrize("ends", ["a link is revoked", "the album is deleted"])
def test_nobody_waits_for_the_next_reading_when_it_is_over(tmp_path: Path, ends: str) -> None:
    street = Street(tmp_path, Pace(reading=3600, beat=3600))
    with street.open():
        album = make_album(street.community.ann, "Wedding", at=times.now(), table=street.table)
        link, _ = street.community.link_to(album.album_id, LinkPermission.VIEW)
        with follow(street.url, street.community.guest_of(link), path=path(album)) as guest:
            guest.block()
            below = f"/links/{link.link_id}" if ends == "a link is revoked" else ""
            ended = httpx.delete(f"{street.url}/api/albums/{album.album_id}{below}", headers=street.ann)
            assert ended.status_code == 204
            assert guest.rest() == []

"""Live events of an album, as its guests get them until their link is revoked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.http.event_broker import StreamIntervals
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, remove_photo
from sparks.library.live_events import EventPhoto, announce_albums, announce_in, announce_people
from sparks.library.photo_followups import update_followups
from sparks.library.records import key_of
from sparks.library.sharing.share_links import revoke_link
from sparks.model import times
from sparks.model.album import Album
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import scope_of_album
from sparks.model.share import LinkPermission
from sparks.table.port import Delete
from tests.api.community import KEYRING
from tests.api.http.test_events import SLOW, EventServer
from tests.api.streams import follow
from tests.factories import ANN, a_photo


@pytest.fixture
def event_server(tmp_path: Path) -> Iterator[EventServer]:
    event_server = EventServer(tmp_path, SLOW)
    with event_server.open():
        yield event_server


@pytest.fixture
def album(event_server: EventServer) -> Album:
    return create_album(event_server.community.ann, "Wedding", at=times.now(), table=event_server.table)


def path(album: Album, query: str = "") -> str:
    return f"/api/albums/{album.album_id}/events{query}"


def add_to_album(event_server: EventServer, album: Album, **more: Any) -> Photo:
    photo = event_server.community.keep(a_photo(visibility=Visibility.PRIVATE, **more))
    add_photo(photo, AlbumPlacement(album_id=album.album_id, by=ANN, at=times.now()), table=event_server.table)
    update_followups(
        photo.image_id, photo.owner, table=event_server.table, blobs=event_server.community.blobs, keyring=KEYRING
    )
    return photo


def announce(event_server: EventServer, album: Album, photo: Photo) -> None:
    named = EventPhoto(photo.image_id, photo.owner)
    announce_in([scope_of_album(album.album_id)], named, at=times.now(), table=event_server.table, keyring=KEYRING)


def album_and_photo(event: Any) -> tuple[str, str]:
    assert event.kind == "album"
    assert "uploadedBy" not in event.data["photo"]
    return event.data["albumId"], event.data["photo"]["imageId"]


def test_a_guest_gets_events_about_new_photos_without_their_owners(event_server: EventServer, album: Album) -> None:
    link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW)
    with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        photo = add_to_album(event_server, album)
        assert album_and_photo(guest.next_event()) == (album.album_id, photo.image_id)


def test_a_guest_who_reconnects_gets_the_missed_events(event_server: EventServer, album: Album) -> None:
    link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW)
    headers = event_server.community.guest_of(link)
    with follow(event_server.url, headers, path=path(album)) as guest:
        block = guest.block()
        assert block is not None
    photo = add_to_album(event_server, album)
    for again in (path(album, f"?since={block['id']}"), path(album)):
        since = {} if "since" in again else {"Last-Event-ID": block["id"]}
        with follow(event_server.url, headers | since, path=again) as guest:
            assert album_and_photo(guest.next_event()) == (album.album_id, photo.image_id)


def test_a_revoked_link_ends_the_streams_of_its_guests(event_server: EventServer, album: Album) -> None:
    link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW)
    with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        revoke_link(link, table=event_server.table)
        announce_albums([album.album_id], at=times.now(), table=event_server.table)
        assert guest.rest() == []


def test_before_an_album_is_revealed_a_guest_gets_no_events_about_uploads_of_others(
    event_server: EventServer, album: Album
) -> None:
    later = times.now().replace(year=2099)
    link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW, reveal_at=later)
    with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        add_to_album(event_server, album)
        announce_people([scope_of_album(album.album_id)], at=times.now(), table=event_server.table)
        announce_albums([album.album_id], at=times.now(), table=event_server.table)
        assert guest.next_event().data == {"albumId": album.album_id}


def test_a_guest_who_sees_some_persons_gets_no_events_about_other_photos(
    event_server: EventServer, album: Album
) -> None:
    link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW, persons=("person1",))
    with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        other = add_to_album(event_server, album, persons=("person2",))
        theirs = add_to_album(event_server, album, persons=("person1", "person2"))
        assert album_and_photo(guest.next_event()) == (album.album_id, theirs.image_id)
        for photo in (other, theirs):
            remove_photo(photo, album.album_id, table=event_server.table)
            announce(event_server, album, photo)
        assert guest.next_event().data == {
            "albumId": album.album_id,
            "photo": {"imageId": theirs.image_id, "gone": True},
        }


def test_the_event_of_a_deleted_photo_does_not_name_it_where_its_persons_are_unknown(
    event_server: EventServer, album: Album
) -> None:
    link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW, persons=("person1",))
    photo = add_to_album(event_server, album, persons=("person2",))
    with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
        guest.block()
        event_server.table.write(Delete(key_of(photo)))
        announce(event_server, album, photo)
        assert guest.next_event().data == {"albumId": album.album_id}


def test_a_guest_of_another_album_gets_no_events(event_server: EventServer, album: Album) -> None:
    link, _ = event_server.community.link_to("another", LinkPermission.VIEW)
    with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
        assert guest.status == 404


@pytest.mark.parametrize("ends", ["a link is revoked", "the album is deleted"])
def test_a_stream_ends_at_once_when_its_link_is_revoked_or_its_album_deleted(tmp_path: Path, ends: str) -> None:
    event_server = EventServer(tmp_path, StreamIntervals(read=3600, heartbeat=3600))
    with event_server.open():
        album = create_album(event_server.community.ann, "Wedding", at=times.now(), table=event_server.table)
        link, _ = event_server.community.link_to(album.album_id, LinkPermission.VIEW)
        with follow(event_server.url, event_server.community.guest_of(link), path=path(album)) as guest:
            guest.block()
            below = f"/links/{link.link_id}" if ends == "a link is revoked" else ""
            ended = httpx.delete(f"{event_server.url}/api/albums/{album.album_id}{below}", headers=event_server.ann)
            assert ended.status_code == 204
            assert guest.rest() == []

"""Live events of albums, as their members get them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparks.library.albums.album_deletion import announce_membership, begin_album_deletion
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_lookup import find_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, remove_photo
from sparks.library.albums.members import remove_member, set_member
from sparks.library.live_events import announce_albums, announce_people
from sparks.library.photo_followups import update_followups
from sparks.model import times
from sparks.model.album import Album, AlbumRole
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import ALBUMS, scope_of_album
from tests.api.community import KEYRING
from tests.api.http.test_events import QUICK, EventServer
from tests.api.streams import StreamEvent, follow
from tests.factories import ANN, a_photo


@pytest.fixture
def event_server(tmp_path: Path) -> Iterator[EventServer]:
    event_server = EventServer(tmp_path, QUICK)
    with event_server.open():
        yield event_server


def an_album_of(event_server: EventServer, *members: str) -> Album:
    users = {"bob": event_server.community.bob, "carol": event_server.community.carol}
    album = create_album(event_server.community.ann, "Sea", at=times.now(), table=event_server.table)
    for name in members:
        set_member(album, users[name], AlbumRole.VIEWER, at=times.now(), table=event_server.table)
    return album


def follow_up(event_server: EventServer, photo: Photo) -> None:
    update_followups(
        photo.image_id, photo.owner, table=event_server.table, blobs=event_server.community.blobs, keyring=KEYRING
    )


def data(event: StreamEvent) -> dict[str, Any]:
    assert event.kind == "album"
    return event.data


def test_only_members_get_events_about_photos_that_are_added_and_removed(event_server: EventServer) -> None:
    album, other = an_album_of(event_server, "bob"), an_album_of(event_server)
    photo = event_server.community.keep(a_photo(visibility=Visibility.PRIVATE))
    carol = event_server.community.session_of(event_server.community.carol)
    with follow(event_server.url, event_server.bob) as bob, follow(event_server.url, carol) as stranger:
        bob.block(), stranger.block()
        add_photo(photo, AlbumPlacement(album_id=album.album_id, by=ANN, at=times.now()), table=event_server.table)
        add_photo(photo, AlbumPlacement(album_id=other.album_id, by=ANN, at=times.now()), table=event_server.table)
        follow_up(event_server, photo)
        added = data(bob.next_event())
        assert (added["albumId"], added["photo"]["imageId"]) == (album.album_id, photo.image_id)
        assert added["photo"]["visibility"] == "private"
        remove_photo(photo, album.album_id, table=event_server.table)
        follow_up(event_server, photo)
        assert data(bob.next_event()) == {"albumId": album.album_id, "photo": {"imageId": photo.image_id, "gone": True}}
        event_server.stop()
        assert bob.rest() == []
        assert stranger.rest() == []


def test_members_get_events_about_changes_of_the_album_and_its_persons(event_server: EventServer) -> None:
    album = an_album_of(event_server, "bob")
    with follow(event_server.url, event_server.bob) as bob:
        bob.block()
        announce_albums([album.album_id, "another"], at=times.now(), table=event_server.table)
        assert data(bob.next_event()) == {"albumId": album.album_id}
        announce_people({scope_of_album(album.album_id)}, at=times.now(), table=event_server.table)
        assert bob.next_event().kind == "people"
        announce_people({scope_of_album("another")}, at=times.now(), table=event_server.table)
        event_server.stop()
        assert bob.rest() == []


def test_a_member_gets_events_about_joining_leaving_and_what_happens_between(event_server: EventServer) -> None:
    album = an_album_of(event_server)
    with follow(event_server.url, event_server.bob) as bob:
        bob.block()
        set_member(album, event_server.community.bob, AlbumRole.VIEWER, at=times.now(), table=event_server.table)
        announce_membership(album.album_id, event_server.community.bob.email, at=times.now(), table=event_server.table)
        assert data(bob.next_event()) == {"albumId": album.album_id}
        announce_albums([album.album_id], at=times.now(), table=event_server.table)
        assert data(bob.next_event()) == {"albumId": album.album_id}
        remove_member(album, event_server.community.bob.email, table=event_server.table)
        announce_membership(album.album_id, event_server.community.bob.email, at=times.now(), table=event_server.table)
        assert data(bob.next_event()) == {"albumId": album.album_id, "gone": True}
        announce_albums([album.album_id], at=times.now(), table=event_server.table)
        event_server.stop()
        assert bob.rest() == []


def test_members_get_an_event_when_an_album_is_deleted(event_server: EventServer) -> None:
    album = an_album_of(event_server, "bob")
    with follow(event_server.url, event_server.ann) as ann, follow(event_server.url, event_server.bob) as bob:
        ann.block(), bob.block()
        begin_album_deletion(album, at=times.now(), table=event_server.table)
        for event in (ann.next_event(), bob.next_event()):
            assert data(event) == {"albumId": album.album_id, "gone": True}
    assert find_album(album.album_id, table=event_server.table) is None


def test_a_stream_reads_the_events_of_all_albums_by_one_query(event_server: EventServer) -> None:
    for _ in range(30):
        an_album_of(event_server, "bob")
    queried: list[object] = []
    query = event_server.table.query

    def counted(within: Any, *args: Any, **more: Any) -> Any:
        queried.append(getattr(within, "pk", within))
        return query(within, *args, **more)

    event_server.table.query = counted  # type: ignore[method-assign]
    with follow(event_server.url, event_server.bob) as bob:
        for _ in range(3):
            bob.block()
    events = {each for each in queried if str(each).startswith("EVENT#")}
    assert events == {"EVENT#ALL", f"EVENT#{ALBUMS}", f"EVENT#{event_server.community.bob.email}"}

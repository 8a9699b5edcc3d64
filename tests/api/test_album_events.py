"""What members are told, as it happens, of the albums that are theirs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparks.library.albums import Place, add_photo, drop_member, find_album, make_album, remove_photo, set_member
from sparks.library.albums.leaving import begin_album_deletion, tell_member
from sparks.library.following import follow_photo
from sparks.library.live import announce_albums, announce_people
from sparks.model import times
from sparks.model.album import Album, AlbumRole
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import ALBUMS, scope_of_album
from tests.api.community import KEYRING
from tests.api.streams import Told, follow
from tests.api.test_events import QUICK, Street
from tests.factories import ANN, a_photo


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    street = Street(tmp_path, QUICK)
    with street.open():
        yield street


def an_album_of(street: Street, *members: str) -> Album:
    users = {"bob": street.community.bob, "carol": street.community.carol}
    album = make_album(street.community.ann, "Sea", at=times.now(), table=street.table)
    for name in members:
        set_member(album, users[name], AlbumRole.VIEWER, at=times.now(), table=street.table)
    return album


def follow_up(street: Street, photo: Photo) -> None:
    follow_photo(photo.image_id, photo.owner, table=street.table, blobs=street.community.blobs, keyring=KEYRING)


def data(told: Told) -> dict[str, Any]:
    assert told.kind == "album"
    return told.data


def test_members_hear_of_photos_that_come_and_go_and_nobody_else_does(street: Street) -> None:
    album, other = an_album_of(street, "bob"), an_album_of(street)
    photo = street.community.keep(a_photo(visibility=Visibility.PRIVATE))
    carol = street.community.session_of(street.community.carol)
    with follow(street.url, street.bob) as bob, follow(street.url, carol) as stranger:
        bob.block(), stranger.block()
        add_photo(photo, Place(album_id=album.album_id, by=ANN, at=times.now()), table=street.table)
        add_photo(photo, Place(album_id=other.album_id, by=ANN, at=times.now()), table=street.table)
        follow_up(street, photo)
        came = data(bob.hear())
        assert (came["albumId"], came["photo"]["imageId"]) == (album.album_id, photo.image_id)
        assert came["photo"]["visibility"] == "private"
        remove_photo(photo, album.album_id, table=street.table)
        follow_up(street, photo)
        assert data(bob.hear()) == {"albumId": album.album_id, "photo": {"imageId": photo.image_id, "gone": True}}
        street.stop()
        assert bob.rest() == []
        assert stranger.rest() == []


def test_members_hear_that_the_album_itself_or_its_people_changed(street: Street) -> None:
    album = an_album_of(street, "bob")
    with follow(street.url, street.bob) as bob:
        bob.block()
        announce_albums([album.album_id, "another"], at=times.now(), table=street.table)
        assert data(bob.hear()) == {"albumId": album.album_id}
        announce_people({scope_of_album(album.album_id)}, at=times.now(), table=street.table)
        assert bob.hear().kind == "people"
        announce_people({scope_of_album("another")}, at=times.now(), table=street.table)
        street.stop()
        assert bob.rest() == []


def test_who_joins_and_leaves_hears_that_and_what_is_told_meanwhile(street: Street) -> None:
    album = an_album_of(street)
    with follow(street.url, street.bob) as bob:
        bob.block()
        set_member(album, street.community.bob, AlbumRole.VIEWER, at=times.now(), table=street.table)
        tell_member(album.album_id, street.community.bob.email, at=times.now(), table=street.table)
        assert data(bob.hear()) == {"albumId": album.album_id}
        announce_albums([album.album_id], at=times.now(), table=street.table)
        assert data(bob.hear()) == {"albumId": album.album_id}
        drop_member(album, street.community.bob.email, table=street.table)
        tell_member(album.album_id, street.community.bob.email, at=times.now(), table=street.table)
        assert data(bob.hear()) == {"albumId": album.album_id, "gone": True}
        announce_albums([album.album_id], at=times.now(), table=street.table)
        street.stop()
        assert bob.rest() == []


def test_members_hear_that_an_album_is_deleted(street: Street) -> None:
    album = an_album_of(street, "bob")
    with follow(street.url, street.ann) as ann, follow(street.url, street.bob) as bob:
        ann.block(), bob.block()
        begin_album_deletion(album, at=times.now(), table=street.table)
        for told in (ann.hear(), bob.hear()):
            assert data(told) == {"albumId": album.album_id, "gone": True}
    assert find_album(album.album_id, table=street.table) is None


def test_all_albums_are_listened_to_in_one_place(street: Street) -> None:
    for _ in range(30):
        an_album_of(street, "bob")
    asked: list[object] = []
    query = street.table.query

    def counted(within: Any, *args: Any, **more: Any) -> Any:
        asked.append(getattr(within, "pk", within))
        return query(within, *args, **more)

    street.table.query = counted  # type: ignore[method-assign]
    with follow(street.url, street.bob) as bob:
        for _ in range(3):
            bob.block()
    events = {each for each in asked if str(each).startswith("EVENT#")}
    assert events == {"EVENT#ALL", f"EVENT#{ALBUMS}", f"EVENT#{street.community.bob.email}"}

"""Signed URLs of renditions end when the viewer may no longer see the photo."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from sparks.auth.api_keys import revoke_key
from sparks.auth.sessions import end_session
from sparks.auth.signed_media_urls import Viewer, ViewerKind
from sparks.model.credential import KeyScope
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.shown_photo import VIEWERS, Gallery, observed, private
from tests.factories import NOON


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def private_without_album(gallery: Gallery) -> None:
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE, albums=())


def out_of_album(gallery: Gallery) -> None:
    gallery.change(gallery.photo, albums=("another",))


def trashed(gallery: Gallery) -> None:
    gallery.change(gallery.photo, state=PhotoState.TRASHED, trashed_at=gallery.at)


def deleting(gallery: Gallery) -> None:
    gallery.change(gallery.photo, state=PhotoState.DELETING)


def failed(gallery: Gallery) -> None:
    gallery.change(gallery.photo, state=PhotoState.FAILED)


def expired(gallery: Gallery) -> None:
    gallery.change(gallery.photo, expires_at=gallery.at)


def gone(gallery: Gallery) -> None:
    gallery.drop(gallery.photo)


@pytest.mark.parametrize(
    ("viewer", "hide"),
    [
        *(("session of another user", hide) for hide in (private, trashed, deleting, failed, expired, gone)),
        *(("key", hide) for hide in (private, trashed, deleting, gone)),
        *(("token", hide) for hide in (private, trashed, deleting, gone)),
        *(("guest", hide) for hide in (out_of_album, private_without_album, trashed, deleting, expired, gone)),
        *(("session of the owner", hide) for hide in (deleting, expired, gone)),
    ],
)
def test_a_photo_that_the_viewer_may_not_see_is_404_like_a_missing_one(
    gallery: Gallery, client: Client, viewer: str, hide: Callable[[Gallery], None]
) -> None:
    viewer_in = VIEWERS[viewer](gallery)
    url = gallery.url(viewer_in)
    assert client.get(url).status_code == 200
    hide(gallery)
    hidden = client.get(url)
    missing = client.get(gallery.url(viewer_in, photo=missing_photo(gallery)))
    assert hidden.status_code == 404
    assert observed(hidden) == observed(missing)


def missing_photo(gallery: Gallery) -> Photo:
    photo = gallery.add_photo()
    gallery.drop(photo)
    return photo


def test_the_owner_still_sees_a_private_or_trashed_photo(gallery: Gallery, client: Client) -> None:
    url = gallery.url(VIEWERS["session of the owner"](gallery))
    for hide in (private, trashed):
        hide(gallery)
        assert client.get(url).status_code == 200


def test_an_album_member_sees_a_private_photo_while_both_are_in_the_album(gallery: Gallery, client: Client) -> None:
    member = gallery.join_album(gallery.bob)
    private(gallery)
    url = gallery.url(gallery.bob_in())
    assert client.get(url).status_code == 200
    gallery.drop(member)
    assert client.get(url).status_code == 404
    gallery.keep(member)
    assert client.get(url).status_code == 200
    out_of_album(gallery)
    assert client.get(url).status_code == 404


def test_signed_urls_end_with_their_session(gallery: Gallery, client: Client) -> None:
    secret = gallery.session_of(gallery.bob)
    url = gallery.url(Viewer(ViewerKind.SESSION, secret.id))
    assert client.get(url).status_code == 200
    assert end_session(gallery.bob.email, secret.id, table=gallery.table)
    response = client.get(url)
    assert (response.status_code, response.json()["error"]) == (401, "NOT_SIGNED_IN")


def test_signed_urls_end_when_their_session_was_idle_for_too_long(gallery: Gallery, client: Client) -> None:
    viewer = gallery.bob_in()
    gallery.at += timedelta(days=29, hours=23)
    url = gallery.url(viewer)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(hours=1)
    assert client.get(url).status_code == 401


def test_viewing_pictures_does_not_prolong_a_session(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    before = list(gallery.table.scan().items)
    gallery.at += timedelta(hours=23)
    assert client.get(url).status_code == 200
    assert list(gallery.table.scan().items) == before


def test_a_new_password_ends_the_signed_urls_of_all_sessions(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    assert client.get(url).status_code == 200
    gallery.change(gallery.bob, session_epoch=1)
    assert client.get(url).status_code == 401


@pytest.mark.parametrize("viewer", ["session of another user", "key"])
def test_signed_urls_end_when_the_account_is_removed(gallery: Gallery, client: Client, viewer: str) -> None:
    url = gallery.url(VIEWERS[viewer](gallery))
    assert client.get(url).status_code == 200
    gallery.change(gallery.bob, removed_at=NOON)
    assert client.get(url).status_code == 401


def test_signed_urls_end_when_their_api_key_is_revoked_or_expires(gallery: Gallery, client: Client) -> None:
    key_id, _ = gallery.new_key(gallery.bob, KeyScope.READ)
    url = gallery.url(Viewer(ViewerKind.KEY, key_id))
    assert client.get(url).status_code == 200
    assert revoke_key(gallery.bob.email, key_id, table=gallery.table)
    assert client.get(url).status_code == 401
    over, _ = gallery.new_key(gallery.bob, KeyScope.READ, days=1)
    url = gallery.url(Viewer(ViewerKind.KEY, over))
    gallery.at += timedelta(days=1)
    assert client.get(url).status_code == 401


def test_an_api_key_without_the_read_scope_opens_no_rendition(gallery: Gallery, client: Client) -> None:
    key_id, _ = gallery.new_key(gallery.bob, KeyScope.UPLOAD)
    response = client.get(gallery.url(Viewer(ViewerKind.KEY, key_id)))
    assert (response.status_code, response.json()["error"]) == (403, "NOT_ALLOWED")


@pytest.mark.parametrize("row", ["link", "guest"])
def test_signed_urls_end_when_the_link_or_the_guest_is_removed(gallery: Gallery, client: Client, row: str) -> None:
    url = gallery.url(gallery.guest_in())
    assert client.get(url).status_code == 200
    gallery.drop(getattr(gallery, row))
    assert client.get(url).status_code == 401


@pytest.mark.parametrize("row", ["link", "guest"])
def test_signed_urls_end_when_the_link_or_the_guest_expires(gallery: Gallery, client: Client, row: str) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(getattr(gallery, row), expires_at=gallery.at + timedelta(minutes=5))
    assert client.get(url).status_code == 200
    gallery.at += timedelta(minutes=5)
    assert client.get(url).status_code == 401


def test_a_link_that_no_longer_allows_to_view_opens_no_rendition(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(gallery.link, allow=frozenset({LinkPermission.UPLOAD}))
    assert client.get(url).status_code == 404


def test_guests_do_not_see_a_photo_before_it_is_revealed(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(gallery.link, reveal_at=gallery.at + timedelta(hours=1))
    assert client.get(url).status_code == 404

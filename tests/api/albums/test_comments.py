"""Likes and comments in albums."""

from typing import Any

import httpx
import pytest

from sparks.auth.rate_limits import RateLimit
from sparks.library import entity_types, keys
from sparks.model.photo import Photo, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import every
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import CAROL, Community, Headers
from tests.factories import ANN, BOB


class CommentedAlbum:
    """Ann's album with a photo, which Bob may see and comment on."""

    def __init__(self, community: Community, browser: Client, ann: Headers) -> None:
        self.albums = AlbumClient(community, browser)
        self.browser = browser
        self.album_id = self.albums.make(ann)
        self.albums.join(self.album_id, ann, BOB, "viewer")
        self.photo = self.albums.add_photo(visibility=Visibility.PRIVATE)
        self.albums.add(self.album_id, ann, self.photo)

    def path(self, resource: str, photo: Photo | None = None) -> str:
        return f"/api/albums/{self.album_id}/photos/{(photo or self.photo).image_id}/{resource}"

    def comment(self, who: Headers, text: str = "Lovely", photo: Photo | None = None) -> dict[str, Any]:
        written = self.browser.post(self.path("comments", photo), json={"text": text}, headers=who)
        assert written.status_code == 201, written.text
        body: dict[str, Any] = written.json()
        return body

    def read_comments(self, who: Headers) -> dict[str, Any]:
        body: dict[str, Any] = self.browser.get(self.path("comments"), headers=who).json()
        return body

    def remove(self, comment: dict[str, Any], who: Headers) -> int:
        return self.browser.delete(f"/api/comments/{comment['commentId']}", headers=who).status_code


@pytest.fixture
def album(community: Community, browser: Client, ann: Headers) -> CommentedAlbum:
    return CommentedAlbum(community, browser, ann)


def guest_of(album: CommentedAlbum, name: str | None = None) -> Headers:
    community = album.albums.community
    link, _ = community.link_to(album.album_id, LinkPermission.VIEW)
    headers = community.guest_of(link)
    if name is not None:
        (row,) = (row for row in every(community.table, keys.link_rows(link.link_id), keys.GUESTS))
        community.table._items[keys.guest(link.link_id, row["SK"].removeprefix("GUEST#"))] = {**row, "name": name}
    return headers


def test_members_and_guests_like_a_photo_once(album: CommentedAlbum, ann: Headers, bob: Headers) -> None:
    guest = guest_of(album, "Aunt May")
    for who in (bob, bob, guest):
        assert album.browser.put(album.path("like"), headers=who).status_code == 204
    body = album.read_comments(ann)
    assert (body["likes"], body["liked"], sorted(body["likedBy"])) == (2, False, ["Aunt May", "bob"])
    assert album.read_comments(bob)["liked"]
    assert album.browser.delete(album.path("like"), headers=bob).status_code == 204
    assert album.browser.delete(album.path("like"), headers=bob).status_code == 204
    assert (album.read_comments(bob)["likes"], album.read_comments(guest)["liked"]) == (1, True)


def test_comments_are_listed_in_order_with_the_names_of_their_authors(
    album: CommentedAlbum, ann: Headers, bob: Headers
) -> None:
    guest = guest_of(album, "Aunt May")
    album.comment(bob, "First!")
    album.comment(guest, " And\r\nsecond ")
    body = album.read_comments(ann)["comments"]
    assert [(each["name"], each["text"]) for each in body] == [("bob", "First!"), ("Aunt May", "And\nsecond")]
    assert [(each.get("email"), each["mine"], each["removable"]) for each in body] == [
        (BOB, False, True),
        (None, False, True),
    ]
    seen = album.read_comments(guest)["comments"]
    assert [(each["mine"], each["removable"]) for each in seen] == [(False, False), (True, True)]
    assert "@" not in str(seen)


@pytest.mark.parametrize("text", ["", " \n ", "a" * 2001, "\u202e"])
def test_a_comment_must_not_be_empty_or_too_long(album: CommentedAlbum, bob: Headers, text: str) -> None:
    written = album.browser.post(album.path("comments"), json={"text": text}, headers=bob)
    assert written.status_code == 400
    assert album.read_comments(bob)["comments"] == []


def test_a_comment_is_removed_by_its_author_or_by_an_editor(album: CommentedAlbum, ann: Headers, bob: Headers) -> None:
    guest, other = guest_of(album), guest_of(album)
    first, second, third = album.comment(bob), album.comment(guest), album.comment(ann)
    assert [album.remove(first, who) for who in (guest, bob, bob)] == [403, 204, 404]
    assert [album.remove(second, who) for who in (other, bob, guest)] == [403, 403, 204]
    album.albums.join(album.album_id, ann, CAROL, "editor")
    assert album.remove(third, album.albums.community.session_of(album.albums.community.carol)) == 204
    assert album.read_comments(ann)["comments"] == []


def test_photos_that_are_not_in_the_album_cannot_be_commented_on(
    album: CommentedAlbum, ann: Headers, bob: Headers
) -> None:
    elsewhere = album.albums.add_photo()
    assert album.browser.put(album.path("like", elsewhere), headers=bob).status_code == 404
    comment = album.browser.post(album.path("comments", elsewhere), json={"text": "Hm"}, headers=bob)
    assert comment.status_code == 404


def test_comments_and_likes_are_deleted_when_the_photo_leaves_the_album(
    album: CommentedAlbum, ann: Headers, bob: Headers
) -> None:
    comment = album.comment(bob)
    album.browser.put(album.path("like"), headers=bob)
    album.albums.remove(album.album_id, ann, album.photo)
    assert album.remove(comment, bob) == 404
    album.albums.add(album.album_id, ann, album.photo)
    assert (album.read_comments(bob)["comments"], album.read_comments(bob)["likes"]) == ([], 0)


def test_comments_of_one_album_are_not_shown_in_another(album: CommentedAlbum, ann: Headers, bob: Headers) -> None:
    album.comment(bob)
    other = album.albums.make(ann)
    album.albums.add(other, ann, album.photo)
    body = album.browser.get(f"/api/albums/{other}/photos/{album.photo.image_id}/comments", headers=ann).json()
    assert body["comments"] == []


def test_the_comments_of_a_member_who_leaves_are_removed(album: CommentedAlbum, ann: Headers, bob: Headers) -> None:
    album.comment(bob)
    album.comment(ann)
    album.browser.put(album.path("like"), headers=bob)
    album.browser.delete(f"/api/albums/{album.album_id}/members/{BOB}", headers=ann)
    album.albums.community.work()
    assert [each["email"] for each in album.read_comments(ann)["comments"]] == [ANN]
    assert album.read_comments(ann)["likes"] == 0


def test_the_comments_of_an_album_are_listed_newest_first(album: CommentedAlbum, ann: Headers, bob: Headers) -> None:
    photos = [album.photo, *(album.albums.add_photo() for _ in range(3))]
    album.albums.add(album.album_id, ann, *photos)
    written = [album.comment(bob, f"Number {number}", photos[number % 3])["commentId"] for number in range(7)]
    hidden = album.comment(bob, "On a trashed photo", photos[3])
    album.browser.post("/api/photos/trash", json={"ids": [photos[3].image_id]}, headers=ann)
    path, query, found = f"/api/albums/{album.album_id}/comments?limit=3", "", []
    for _ in range(3):
        page = album.browser.get(path + query, headers=ann).json()
        found += [each["commentId"] for each in page["comments"]]
        query = f"&cursor={page.get('lastEvaluatedKey')}"
    assert found == written[::-1]
    assert "lastEvaluatedKey" not in page
    assert hidden["commentId"] not in found
    assert len(list(every(album.albums.community.table, entity_types.comment(album.album_id)))) == 8


# -- Rate limits


@pytest.mark.parametrize(
    ("method", "resource", "rate"),
    [
        ("POST", "comments", RateLimit.GUEST_COMMENTS),
        ("PUT", "like", RateLimit.GUEST_LIKES),
        ("DELETE", "like", RateLimit.GUEST_LIKES),
    ],
)
def test_the_rate_limit_of_one_guest_does_not_stop_others_from_commenting(
    album: CommentedAlbum, bob: Headers, method: str, resource: str, rate: RateLimit
) -> None:
    flooding, other = guest_of(album), guest_of(album)

    def read_comments(who: Headers) -> httpx.Response:
        return album.browser.request(method, album.path(resource), json={"text": "Lovely"}, headers=who)

    assert {read_comments(flooding).status_code for _ in range(rate.item.amount)} < {201, 204}
    refused = read_comments(flooding)
    assert (refused.status_code, refused.json()["error"]) == (429, "TOO_MANY_TRIES")
    assert int(refused.headers["retry-after"]) > 0
    assert {read_comments(who).status_code for who in (other, bob)} < {201, 204}

"""Likes and comments in albums."""

from typing import Any

import httpx
import pytest

from sparks.auth.rates import Rate
from sparks.library import entity_types, keys
from sparks.model.photo import Photo, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import every
from tests.api.client import Client
from tests.api.community import CAROL, Community, Headers
from tests.api.shelf import Shelf
from tests.factories import ANN, BOB


class Table:
    """An album of Ann's with a photo, that Bob looks at; and what is said there."""

    def __init__(self, community: Community, browser: Client, ann: Headers) -> None:
        self.shelf = Shelf(community, browser)
        self.browser = browser
        self.album_id = self.shelf.make(ann)
        self.shelf.join(self.album_id, ann, BOB, "viewer")
        self.photo = self.shelf.hang(visibility=Visibility.PRIVATE)
        self.shelf.add(self.album_id, ann, self.photo)

    def path(self, what: str, photo: Photo | None = None) -> str:
        return f"/api/albums/{self.album_id}/photos/{(photo or self.photo).image_id}/{what}"

    def say(self, who: Headers, text: str = "Lovely", photo: Photo | None = None) -> dict[str, Any]:
        said = self.browser.post(self.path("comments", photo), json={"text": text}, headers=who)
        assert said.status_code == 201, said.text
        told: dict[str, Any] = said.json()
        return told

    def talk(self, who: Headers) -> dict[str, Any]:
        told: dict[str, Any] = self.browser.get(self.path("comments"), headers=who).json()
        return told

    def remove(self, comment: dict[str, Any], who: Headers) -> int:
        return self.browser.delete(f"/api/comments/{comment['commentId']}", headers=who).status_code


@pytest.fixture
def album(community: Community, browser: Client, ann: Headers) -> Table:
    return Table(community, browser, ann)


def guest_of(album: Table, name: str | None = None) -> Headers:
    community = album.shelf.community
    link, _ = community.link_to(album.album_id, LinkPermission.VIEW)
    headers = community.guest_of(link)
    if name is not None:
        (row,) = (row for row in every(community.table, keys.link_rows(link.link_id), keys.GUESTS))
        community.table._items[keys.guest(link.link_id, row["SK"].removeprefix("GUEST#"))] = {**row, "name": name}
    return headers


def test_members_and_guests_like_a_photo_once(album: Table, ann: Headers, bob: Headers) -> None:
    guest = guest_of(album, "Aunt May")
    for who in (bob, bob, guest):
        assert album.browser.put(album.path("like"), headers=who).status_code == 204
    told = album.talk(ann)
    assert (told["likes"], told["liked"], sorted(told["likedBy"])) == (2, False, ["Aunt May", "bob"])
    assert album.talk(bob)["liked"]
    assert album.browser.delete(album.path("like"), headers=bob).status_code == 204
    assert album.browser.delete(album.path("like"), headers=bob).status_code == 204
    assert (album.talk(bob)["likes"], album.talk(guest)["liked"]) == (1, True)


def test_comments_are_read_in_their_order_with_the_names_of_who_wrote_them(
    album: Table, ann: Headers, bob: Headers
) -> None:
    guest = guest_of(album, "Aunt May")
    album.say(bob, "First!")
    album.say(guest, " And\r\nsecond ")
    told = album.talk(ann)["comments"]
    assert [(each["name"], each["text"]) for each in told] == [("bob", "First!"), ("Aunt May", "And\nsecond")]
    assert [(each.get("email"), each["mine"], each["removable"]) for each in told] == [
        (BOB, False, True),
        (None, False, True),
    ]
    seen = album.talk(guest)["comments"]
    assert [(each["mine"], each["removable"]) for each in seen] == [(False, False), (True, True)]
    assert "@" not in str(seen)


@pytest.mark.parametrize("text", ["", " \n ", "a" * 2001, "\u202e"])
def test_a_comment_has_words_and_not_too_many(album: Table, bob: Headers, text: str) -> None:
    said = album.browser.post(album.path("comments"), json={"text": text}, headers=bob)
    assert said.status_code == 400
    assert album.talk(bob)["comments"] == []


def test_who_wrote_a_comment_and_who_runs_the_album_remove_it(album: Table, ann: Headers, bob: Headers) -> None:
    guest, other = guest_of(album), guest_of(album)
    first, second, third = album.say(bob), album.say(guest), album.say(ann)
    assert [album.remove(first, who) for who in (guest, bob, bob)] == [403, 204, 404]
    assert [album.remove(second, who) for who in (other, bob, guest)] == [403, 403, 204]
    album.shelf.join(album.album_id, ann, CAROL, "editor")
    assert album.remove(third, album.shelf.community.session_of(album.shelf.community.carol)) == 204
    assert album.talk(ann)["comments"] == []


def test_nothing_is_said_about_what_is_not_in_the_album(album: Table, ann: Headers, bob: Headers) -> None:
    elsewhere = album.shelf.hang()
    assert album.browser.put(album.path("like", elsewhere), headers=bob).status_code == 404
    comment = album.browser.post(album.path("comments", elsewhere), json={"text": "Hm"}, headers=bob)
    assert comment.status_code == 404


def test_what_was_said_goes_with_the_photo(album: Table, ann: Headers, bob: Headers) -> None:
    comment = album.say(bob)
    album.browser.put(album.path("like"), headers=bob)
    album.shelf.remove(album.album_id, ann, album.photo)
    assert album.remove(comment, bob) == 404
    album.shelf.add(album.album_id, ann, album.photo)
    assert (album.talk(bob)["comments"], album.talk(bob)["likes"]) == ([], 0)


def test_what_was_said_in_one_album_is_not_read_in_another(album: Table, ann: Headers, bob: Headers) -> None:
    album.say(bob)
    other = album.shelf.make(ann)
    album.shelf.add(other, ann, album.photo)
    told = album.browser.get(f"/api/albums/{other}/photos/{album.photo.image_id}/comments", headers=ann).json()
    assert told["comments"] == []


def test_what_somebody_said_leaves_with_them(album: Table, ann: Headers, bob: Headers) -> None:
    album.say(bob)
    album.say(ann)
    album.browser.put(album.path("like"), headers=bob)
    album.browser.delete(f"/api/albums/{album.album_id}/members/{BOB}", headers=ann)
    album.shelf.community.work()
    assert [each["email"] for each in album.talk(ann)["comments"]] == [ANN]
    assert album.talk(ann)["likes"] == 0


def test_the_last_comments_of_an_album_come_first(album: Table, ann: Headers, bob: Headers) -> None:
    photos = [album.photo, *(album.shelf.hang() for _ in range(3))]
    album.shelf.add(album.album_id, ann, *photos)
    said = [album.say(bob, f"Number {number}", photos[number % 3])["commentId"] for number in range(7)]
    hidden = album.say(bob, "On what is thrown away", photos[3])
    album.browser.post("/api/photos/trash", json={"ids": [photos[3].image_id]}, headers=ann)
    path, query, found = f"/api/albums/{album.album_id}/comments?limit=3", "", []
    for _ in range(3):
        page = album.browser.get(path + query, headers=ann).json()
        found += [each["commentId"] for each in page["comments"]]
        query = f"&cursor={page.get('lastEvaluatedKey')}"
    assert found == said[::-1]
    assert "lastEvaluatedKey" not in page
    assert hidden["commentId"] not in found
    assert len(list(every(album.shelf.community.table, entity_types.comment(album.album_id)))) == 8


# -- Floods


@pytest.mark.parametrize(
    ("method", "what", "rate"),
    [
        ("POST", "comments", Rate.GUEST_COMMENTS),
        ("PUT", "like", Rate.GUEST_LIKES),
        ("DELETE", "like", Rate.GUEST_LIKES),
    ],
)
def test_a_guest_who_talks_without_end_waits_and_others_do_not(
    album: Table, bob: Headers, method: str, what: str, rate: Rate
) -> None:
    flooding, other = guest_of(album), guest_of(album)

    def talk(who: Headers) -> httpx.Response:
        return album.browser.request(method, album.path(what), json={"text": "Lovely"}, headers=who)

    assert {talk(flooding).status_code for _ in range(rate.item.amount)} < {201, 204}
    refused = talk(flooding)
    assert (refused.status_code, refused.json()["error"]) == (429, "TOO_MANY_TRIES")
    assert int(refused.headers["retry-after"]) > 0
    assert {talk(who).status_code for who in (other, bob)} < {201, 204}

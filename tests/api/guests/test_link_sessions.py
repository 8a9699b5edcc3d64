"""Opening a link: preview, passwords, names, and the two cookies of a browser."""

import pytest

from tests.api.album_makers import AlbumClient
from tests.api.client import Client, refusal
from tests.api.community import CSRF, Community, Headers
from tests.api.share_link_makers import LinkClient


@pytest.fixture
def links(community: Community, browser: Client, ann: Headers) -> LinkClient:
    albums = AlbumClient(community, browser)
    return LinkClient(albums, ann, albums.make(ann, "Wedding"))


def test_the_preview_of_a_link_says_what_it_asks_for(links: LinkClient) -> None:
    link = links.make("view", askName=True)
    body = links.preview(link).json()
    assert body == {
        "title": "Wedding",
        "asksPassword": False,
        "asksName": True,
        "host": "ann",
        "allow": ["view"],
    }


def test_the_preview_of_a_link_with_a_password_shows_little(links: LinkClient) -> None:
    link = links.make("view", password="sunflower")
    links.albums.add(links.album_id, links.host, links.albums.add_photo(thumbhash=b"1234567"))
    assert links.preview(link).json() == {"title": "Wedding", "asksPassword": True, "asksName": False}


@pytest.mark.parametrize(
    ("allow", "fields", "shown"),
    [
        (["view"], {}, True),
        (["upload"], {}, False),
        (["view"], {"revealAt": "2026-01-01T00:00:00Z"}, False),
    ],
)
def test_the_cover_in_a_preview_is_a_blur_and_only_of_a_shown_photo(
    links: LinkClient, allow: list[str], fields: dict[str, str], shown: bool
) -> None:
    link = links.make(*allow, **fields)
    links.albums.add(
        links.album_id,
        links.host,
        links.albums.add_photo(thumbhash=b"1234567", aspect_ratio=1.5),
    )
    assert ("cover" in links.preview(link).json()) is shown


def test_every_kind_of_invalid_link_gets_the_same_response(links: LinkClient) -> None:
    link = links.make("view")
    wrong = ["x", link["secret"][:-1], link["secret"] + "x", "0" * 20 + "." + link["secret"].partition(".")[2]]
    responses = {refusal(links.open({"secret": secret}))[:2] for secret in wrong}
    responses |= {refusal(links.preview({"secret": secret}))[:2] for secret in wrong}
    assert responses == {(404, "NOT_FOUND")}


def test_wrong_passwords_are_limited_by_link_and_not_by_client_address(
    links: LinkClient, community: Community, elsewhere: Client
) -> None:
    link, other = links.make("view", password="sunflower"), links.make("view", password="sunflower")
    assert refusal(links.open(link))[1] == "NOT_SIGNED_IN"
    statuses = [links.open(link, password="moonflower").status_code for _ in range(61)]
    assert statuses == [401] * 60 + [429]
    albums = AlbumClient(community, elsewhere)
    there = LinkClient(albums, links.host, links.album_id)
    assert there.open(link, password="sunflower").status_code == 429
    assert links.open(other, password="sunflower").status_code == 200


def test_a_link_that_asks_for_a_name_needs_one(links: LinkClient) -> None:
    link = links.make("upload", askName=True)
    assert refusal(links.open(link))[0] == 400
    assert links.open(link, name=" Eve ").json()["name"] == "Eve"
    assert refusal(links.open(link, name="\n"))[0] == 400


def test_a_guest_who_opens_the_link_again_stays_the_same_guest(links: LinkClient) -> None:
    link = links.make("upload", password="sunflower")
    first = links.open(link, password="sunflower", name="Eve").json()
    assert links.browser.cookie("sparks_guest") == first["token"]
    again = links.open(link, name="Eva").json()
    assert (again["guestId"], again["token"], again["name"]) == (first["guestId"], first["token"], "Eva")
    links.browser.forget()
    assert links.open(link).status_code == 401


def test_another_link_makes_another_guest(links: LinkClient) -> None:
    first = links.open(links.make("view")).json()
    second = links.open(links.make("view")).json()
    assert first["guestId"] != second["guestId"]
    assert links.browser.cookie("sparks_guest") == second["token"]


def test_a_signed_in_browser_is_a_member_unless_the_request_says_guest(links: LinkClient) -> None:
    links.open(links.make("view"))
    guest = links.browser.cookie("sparks_guest")
    both = {"Cookie": f"{links.host['Cookie']}; sparks_guest={guest}", **CSRF}
    links.browser.forget()
    assert links.browser.get("/api/me/profile", headers=both).status_code == 200
    assert links.browser.get("/api/guest", headers=both).status_code == 403
    assert links.browser.get("/api/guest?as=guest", headers=both).status_code == 200
    assert links.browser.get("/api/guest", headers=both | {"X-Sparks-As": "guest"}).status_code == 200
    assert links.browser.get("/api/me/profile?as=guest", headers=both).status_code == 403


def test_a_page_that_names_its_guest_is_refused_after_another_link_was_opened(links: LinkClient) -> None:
    link = links.make("view", "upload")
    first = links.open(link).json()
    named = CSRF | {"X-Sparks-As": f"guest {first['guestId']}"}
    assert links.browser.get("/api/guest", headers=named).json()["linkId"] == link["linkId"]
    links.open(links.make("view", "upload"))
    assert refusal(links.browser.get("/api/guest", headers=named))[0] == 401
    fields = {"filename": "IMG_1.jpg", "size": 5}
    assert refusal(links.browser.post("/api/uploads", json=fields, headers=named))[0] == 401
    links.browser.forget()
    signed_in = {**links.host, **named}
    assert refusal(links.browser.post("/api/uploads", json=fields, headers=signed_in))[0] == 401


def test_a_guests_cookie_changes_nothing_for_a_page_of_another_site(links: LinkClient) -> None:
    links.open(links.make("view"))
    assert refusal(links.browser.patch("/api/guest", json={"name": "Eve"}))[0] == 403
    elsewhere = CSRF | {"Origin": "https://evil.example"}
    assert refusal(links.browser.patch("/api/guest", json={"name": "Eve"}, headers=elsewhere))[0] == 403
    assert links.browser.patch("/api/guest", json={"name": "Eve"}, headers=CSRF).json()["name"] == "Eve"


def test_a_guest_who_leaves_has_no_session(links: LinkClient) -> None:
    guest = links.new_guest("view")
    assert links.browser.delete("/api/guest", headers=guest).status_code == 204
    assert links.browser.get("/api/guest", headers=guest).status_code == 401

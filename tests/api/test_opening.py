"""Opening a link: what is told before, passwords and names, and the two cookies that a browser may have."""

import pytest

from tests.api.client import Client, refusal
from tests.api.community import CSRF, Community, Headers
from tests.api.doors import Doors
from tests.api.shelf import Shelf


@pytest.fixture
def doors(community: Community, browser: Client, ann: Headers) -> Doors:
    shelf = Shelf(community, browser)
    return Doors(shelf, ann, shelf.make(ann, "Wedding"))


def test_before_it_is_opened_a_page_learns_what_to_ask_for(doors: Doors) -> None:
    link = doors.make("view", askName=True)
    told = doors.look(link).json()
    assert told == {
        "title": "Wedding",
        "asksPassword": False,
        "asksName": True,
        "host": "ann",
        "allow": ["view"],
    }


def test_before_the_password_little_is_told(doors: Doors) -> None:
    link = doors.make("view", password="sunflower")
    doors.shelf.add(doors.album_id, doors.host, doors.shelf.hang(thumbhash=b"1234567"))
    assert doors.look(link).json() == {"title": "Wedding", "asksPassword": True, "asksName": False}


@pytest.mark.parametrize(
    ("allow", "wish", "shown"),
    [
        (["view"], {}, True),
        (["upload"], {}, False),
        (["view"], {"revealAt": "2026-01-01T00:00:00Z"}, False),
    ],
)
def test_the_cover_is_a_blur_and_only_of_what_is_shown(
    doors: Doors, allow: list[str], wish: dict[str, str], shown: bool
) -> None:
    link = doors.make(*allow, **wish)
    doors.shelf.add(doors.album_id, doors.host, doors.shelf.hang(thumbhash=b"1234567", aspect_ratio=1.5))
    assert ("cover" in doors.look(link).json()) is shown


def test_what_is_no_link_is_told_in_one_way(doors: Doors) -> None:
    link = doors.make("view")
    wrong = ["x", link["secret"][:-1], link["secret"] + "x", "0" * 20 + "." + link["secret"].partition(".")[2]]
    answers = {refusal(doors.open({"secret": secret}))[:2] for secret in wrong}
    answers |= {refusal(doors.look({"secret": secret}))[:2] for secret in wrong}
    assert answers == {(404, "NOT_FOUND")}


def test_a_wrong_password_is_counted_for_the_link_and_not_for_the_address(
    doors: Doors, community: Community, elsewhere: Client
) -> None:
    link, other = doors.make("view", password="sunflower"), doors.make("view", password="sunflower")
    assert refusal(doors.open(link))[1] == "NOT_SIGNED_IN"
    statuses = [doors.open(link, password="moonflower").status_code for _ in range(61)]
    assert statuses == [401] * 60 + [429]
    shelf = Shelf(community, elsewhere)
    there = Doors(shelf, doors.host, doors.album_id)
    assert there.open(link, password="sunflower").status_code == 429
    assert doors.open(other, password="sunflower").status_code == 200


def test_a_name_that_is_asked_for_must_be_told(doors: Doors) -> None:
    link = doors.make("upload", askName=True)
    assert refusal(doors.open(link))[0] == 400
    assert doors.open(link, name=" Eve ").json()["name"] == "Eve"
    assert refusal(doors.open(link, name="\n"))[0] == 400


def test_a_guest_comes_back_as_who_they_were(doors: Doors) -> None:
    link = doors.make("upload", password="sunflower")
    first = doors.open(link, password="sunflower", name="Eve").json()
    assert doors.browser.cookie("sparks_guest") == first["token"]
    again = doors.open(link, name="Eva").json()
    assert (again["guestId"], again["token"], again["name"]) == (first["guestId"], first["token"], "Eva")
    doors.browser.forget()
    assert doors.open(link).status_code == 401


def test_another_link_makes_another_guest(doors: Doors) -> None:
    first = doors.open(doors.make("view")).json()
    second = doors.open(doors.make("view")).json()
    assert first["guestId"] != second["guestId"]
    assert doors.browser.cookie("sparks_guest") == second["token"]


def test_a_browser_that_is_signed_in_asks_as_a_member_unless_it_says_otherwise(doors: Doors) -> None:
    doors.open(doors.make("view"))
    guest = doors.browser.cookie("sparks_guest")
    both = {"Cookie": f"{doors.host['Cookie']}; sparks_guest={guest}", **CSRF}
    doors.browser.forget()
    assert doors.browser.get("/api/me/profile", headers=both).status_code == 200
    assert doors.browser.get("/api/guest", headers=both).status_code == 403
    assert doors.browser.get("/api/guest?as=guest", headers=both).status_code == 200
    assert doors.browser.get("/api/guest", headers=both | {"X-Sparks-As": "guest"}).status_code == 200
    assert doors.browser.get("/api/me/profile?as=guest", headers=both).status_code == 403


def test_a_page_that_names_its_guest_is_nobody_once_another_link_was_opened(doors: Doors) -> None:
    link = doors.make("view", "upload")
    first = doors.open(link).json()
    named = CSRF | {"X-Sparks-As": f"guest {first['guestId']}"}
    assert doors.browser.get("/api/guest", headers=named).json()["linkId"] == link["linkId"]
    doors.open(doors.make("view", "upload"))
    assert refusal(doors.browser.get("/api/guest", headers=named))[0] == 401
    wish = {"filename": "IMG_1.jpg", "size": 5}
    assert refusal(doors.browser.post("/api/uploads", json=wish, headers=named))[0] == 401
    doors.browser.forget()
    signed_in = {**doors.host, **named}
    assert refusal(doors.browser.post("/api/uploads", json=wish, headers=signed_in))[0] == 401


def test_a_guests_cookie_changes_nothing_for_a_page_of_another_site(doors: Doors) -> None:
    doors.open(doors.make("view"))
    assert refusal(doors.browser.patch("/api/guest", json={"name": "Eve"}))[0] == 403
    elsewhere = CSRF | {"Origin": "https://evil.example"}
    assert refusal(doors.browser.patch("/api/guest", json={"name": "Eve"}, headers=elsewhere))[0] == 403
    assert doors.browser.patch("/api/guest", json={"name": "Eve"}, headers=CSRF).json()["name"] == "Eve"


def test_who_leaves_is_out(doors: Doors) -> None:
    guest = doors.come("view")
    assert doors.browser.delete("/api/guest", headers=guest).status_code == 204
    assert doors.browser.get("/api/guest", headers=guest).status_code == 401

"""Albums: made, filled, shared by roles, talked about, put in order and given up."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, portraits
from tests.browser.site import Account, Site
from tests.servers.process import wait_until

TAKEN: Final = datetime(2025, 6, 14, 15, 0, tzinfo=UTC)
BOTH_SIZES: Final = pytest.mark.parametrize("size", ["desktop", "phone"])
ALSO_ON_A_PHONE: Final = pytest.mark.parametrize("size", ["desktop", pytest.param("phone", marks=pytest.mark.long)])
SOMEBODY: Final = "C001103"
TITLE: Final = "Summer <b>2025</b>"

Given = Callable[..., list[str]]


@pytest.fixture
def given(site: Site, tmp_path: Path) -> Given:
    """`given(ann, 3)`: the ids of photos of theirs, the newest first."""

    def upload(account: Account, count: int, **more: str) -> list[str]:
        files = [
            drawn(tmp_path, f"{account.email[9:15]}-{at}.jpg", taken=TAKEN - timedelta(hours=at), size=(600, 400))
            for at in range(count)
        ]
        ids = site.upload(account, *files, **more)
        site.settle(account, ids)
        return ids

    return upload


def an_album(site: Site, owner: Account, photos: list[str], *, order: str = "taken", **members: Account) -> str:
    """The id of one with these photos, shared with members by their roles."""
    wish = {"title": TITLE, "order": order}
    album: str = site.ask(owner, "POST", "/api/albums", json=wish).json()["albumId"]
    if photos:
        put(site, owner, album, photos)
    for role, member in members.items():
        site.ask(owner, "PUT", f"/api/albums/{album}/members/{member.email}", json={"role": role})
    return album


def put(site: Site, account: Account, album: str, photos: list[str]) -> None:
    results = site.ask(account, "PUT", f"/api/albums/{album}/photos", json={"ids": photos}).json()["results"]
    assert [each["status"] for each in results] == ["added"] * len(photos)


def read(site: Site, account: Account, album: str) -> dict[str, Any]:
    told: dict[str, Any] = site.ask(account, "GET", f"/api/albums/{album}").json()
    return told


def photos_of(site: Site, account: Account, album: str) -> list[str]:
    told = site.ask(account, "GET", f"/api/albums/{album}/photos").json()
    return [each["imageId"] for each in told["images"]]


def tile(page: Page, image_id: str) -> Locator:
    return page.locator(f'[data-photo="{image_id}"]')


def pick(page: Page, *ids: str) -> None:
    for image_id in ids:
        box = tile(page, image_id).get_by_role("checkbox")
        box.click()
        expect(box).to_be_checked()


def choose(page: Page, entry: str) -> None:
    """From the menu of the photos that are picked."""
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name=entry).click()


def go_to(page: Page, place: str) -> None:
    """By the rail or, on a phone, the bar at the bottom."""
    nav = page.locator("nav[aria-label=Main], nav[aria-label=Menu]").locator("visible=true")
    nav.get_by_role("link", name=place).click()


def choose_for_album(page: Page, entry: str) -> None:
    page.locator("main header").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name=entry).click()


@BOTH_SIZES
def test_an_album_is_created_filled_from_the_timeline_and_deleted(
    visit: Visit, site: Site, given: Given, size: str
) -> None:
    ann = site.join()
    first, second, third = given(ann, 3)
    visitor = visit(ann, size=size)
    page = visitor.go("/albums")
    page.get_by_role("button", name="New album").click()
    assert barriers_in(visitor) == []
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Title").fill(TITLE)
    dialog.get_by_label("Description").fill("Two weeks,\nfour tents.")
    dialog.get_by_role("button", name="Make the album").click()
    expect(page.get_by_role("heading", name=TITLE, level=1)).to_be_visible()
    expect(page.get_by_text("There are no photos yet.")).to_be_visible()
    album = page.url.rpartition("/")[2]
    assert barriers_in(visitor) == []

    go_to(page, "Photos")
    page.get_by_role("checkbox", name="Select all of June 2025").click()
    page.get_by_role("button", name="Add to album").click()
    dialog.get_by_role("searchbox").fill("summer 20")
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    assert barriers_in(visitor, "light") == []
    dialog.get_by_role("button", name=f"{TITLE} 0 photos").click()
    expect(page.get_by_text("3 photos added to")).to_be_visible()
    expect(page.get_by_role("toolbar")).to_have_count(0)

    go_to(page, "Albums")
    page.get_by_role("link", name=TITLE).click()
    expect(tile(page, first)).to_be_visible()
    expect(page.locator("main header").get_by_text("3 photos · June 2025")).to_be_visible()
    assert barriers_in(visitor) == []

    page.get_by_role("checkbox", name="Select all of June 2025").click()
    tile(page, second).locator(".tick").click()
    choose(page, "Remove from the album")
    expect(tile(page, first)).to_have_count(0)
    expect(page.locator("main header").get_by_text("1 photo · June 2025")).to_be_visible()
    page.get_by_role("button", name="Undo").last.click()
    expect(tile(page, third)).to_be_visible()
    wait_until(lambda: read(site, ann, album)["photoCount"] == 3, what="the photos to be back")

    choose_for_album(page, "Delete the album")
    expect(dialog).to_contain_text("Its 3 photos stay with their owners.")
    assert barriers_in(visitor, "dark") == []
    dialog.get_by_role("button", name="Delete the album").click()
    page.wait_for_url("**/albums")
    expect(page.get_by_text("Collect photos in albums.")).to_be_visible()
    assert site.photo(ann, first)["imageId"] == first


def test_a_new_album_is_named_while_photos_are_added_and_undo_takes_them_out(
    visit: Visit, site: Site, given: Given
) -> None:
    ann = site.join()
    first, second = given(ann, 2)
    page = visit(ann).go("/feed")
    pick(page, first, second)
    expect(page.get_by_role("toolbar").get_by_role("button", name="More")).to_be_visible()
    page.keyboard.press("n")
    page.get_by_role("searchbox").fill("By the sea")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_text("2 photos added to “By the sea”")).to_be_visible()
    [album] = site.ask(ann, "GET", "/api/albums").json()["albums"]
    assert (album["title"], album["photoCount"]) == ("By the sea", 2)
    page.get_by_role("button", name="Undo").click()
    wait_until(lambda: read(site, ann, album["albumId"])["photoCount"] == 0, what="the photos to be out again")


def test_an_album_named_before_the_albums_are_loaded_is_found_and_not_made_again(
    visit: Visit, site: Site, given: Given
) -> None:
    ann = site.join()
    [photo] = given(ann, 1)
    album = an_album(site, ann, [])
    page = visit(ann).go("/feed")
    pick(page, photo)
    held: list[Route] = []
    page.route("**/api/albums?*", lambda route: held.append(route), times=1)
    page.get_by_role("toolbar").get_by_role("button", name="Add to album").click()
    page.get_by_role("searchbox").fill("summer")
    wait_until(lambda: page.evaluate("true") and bool(held), what="the albums to be asked for")
    page.get_by_role("searchbox").press("Enter")
    held[0].continue_()
    expect(page.get_by_text(f"1 photo added to “{TITLE}”")).to_be_visible()
    assert [each["albumId"] for each in site.ask(ann, "GET", "/api/albums").json()["albums"]] == [album]


@ALSO_ON_A_PHONE
def test_the_roles_of_an_album_say_who_removes_what(visit: Visit, site: Site, given: Given, size: str) -> None:
    ann, eve, cai, vic = (site.join(name) for name in ("Ann", "Eve", "Cai", "Vic"))
    [ann_one, ann_two], [own] = given(ann, 2), given(cai, 1)
    album = an_album(site, ann, [ann_one, ann_two], editor=eve, contributor=cai, viewer=vic)
    put(site, cai, album, [own])

    page = visit(vic, size=size).go(f"/albums/{album}")
    expect(tile(page, own)).to_be_visible()
    expect(page.get_by_text("by Ann")).to_be_visible()
    expect(page.get_by_role("button", name="Add photos")).to_have_count(0)
    page.get_by_role("checkbox", name="Select all of June 2025").click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    expect(page.get_by_role("menuitem", name="Download")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Remove from the album")).to_have_count(0)

    page = visit(cai, size=size).go(f"/albums/{album}")
    page.get_by_role("checkbox", name="Select all of June 2025").click()
    choose(page, "Remove from the album")
    expect(page.get_by_text("2 photos stayed as they were: you did not add this photo")).to_be_visible()
    expect(tile(page, own)).to_have_count(0)
    expect(tile(page, ann_one)).to_be_visible()
    assert set(photos_of(site, ann, album)) == {ann_one, ann_two}

    page = visit(eve, size=size).go(f"/albums/{album}")
    page.get_by_role("checkbox", name="Select all of June 2025").click()
    choose(page, "Remove from the album")
    expect(page.get_by_text("2 photos removed from the album")).to_be_visible()
    expect(page.get_by_text("There are no photos yet.")).to_be_visible()
    assert photos_of(site, ann, album) == []


@ALSO_ON_A_PHONE
def test_members_are_added_given_roles_and_leave(visit: Visit, site: Site, given: Given, size: str) -> None:
    ann, bob = site.join("Ann"), site.join("Roberta Zander")
    album = an_album(site, ann, given(ann, 1))
    visitor = visit(ann, size=size)
    page = visitor.go(f"/albums/{album}")
    page.get_by_role("button", name="Share it").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("searchbox").fill(f"zan {bob.email.split('@')[0]}")
    dialog.get_by_role("button", name="Roberta Zander").click()
    expect(page.get_by_text("Roberta Zander is a member now")).to_be_visible()
    expect(dialog.get_by_label("Role of Roberta Zander")).to_have_value("contributor")
    assert barriers_in(visitor) == []
    dialog.get_by_label("Role of Roberta Zander").select_option("viewer")
    wait_until(lambda: read(site, bob, album)["role"] == "viewer", what="the role to be given")

    theirs = visit(bob, size=size).go("/albums")
    theirs.get_by_role("link", name=TITLE).click()
    expect(theirs.get_by_role("button", name="2 members")).to_be_visible()
    choose_for_album(theirs, "Leave the album")
    expect(theirs.get_by_role("dialog")).to_contain_text("Only Ann can add you again.")
    theirs.get_by_role("dialog").get_by_role("button", name="Leave the album").click()
    expect(theirs.get_by_text("Collect photos in albums.")).to_be_visible()
    expect(dialog.get_by_label("Role of Roberta Zander")).to_have_count(0)

    site.ask(ann, "PUT", f"/api/albums/{album}/members/{bob.email}", json={"role": "editor"})
    expect(theirs.get_by_role("link", name=TITLE)).to_be_visible()
    theirs.get_by_role("link", name=TITLE).click()
    expect(theirs.get_by_role("heading", name=TITLE)).to_be_visible()
    dialog.get_by_role("button", name="Remove Roberta Zander").click()
    expect(page.get_by_role("dialog").last).to_contain_text("are removed from the album, too")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(theirs.get_by_text("you are not a member of it")).to_be_visible()


@ALSO_ON_A_PHONE
def test_members_like_and_comment_where_others_see_it_at_once(
    visit: Visit, site: Site, given: Given, size: str
) -> None:
    ann, bob = site.join("Ann"), site.join("Bob")
    [photo] = given(ann, 1, visibility="private")
    album = an_album(site, ann, [photo], viewer=bob)
    page = visit(ann, size=size).go(f"/albums/{album}/comments")
    expect(page.get_by_text("Open a photo to like it")).to_be_visible()

    visitor = visit(bob, size=size)
    theirs = visitor.go(f"/albums/{album}")
    tile(theirs, photo).get_by_role("button").first.click()
    theirs.get_by_role("button", name="Like", exact=True).locator("visible=true").click()
    theirs.get_by_role("button", name="Write a comment").locator("visible=true").click()
    theirs.get_by_role("textbox", name="Write a comment").fill("<i>lovely</i>\nlight")
    theirs.get_by_role("button", name="Send").click()
    expect(theirs.get_by_role("textbox", name="Write a comment")).to_have_value("")
    expect(theirs.get_by_role("button", name="1 like")).to_have_attribute("aria-pressed", "true")
    assert barriers_in(visitor) == []

    page.get_by_role("button", name="<i>lovely</i>").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("button", name="Write a comment").locator("visible=true").click()
    page.get_by_role("textbox", name="Write a comment").fill("Thank you")
    page.get_by_role("textbox", name="Write a comment").press("Enter")
    expect(theirs.get_by_text("Thank you")).to_be_visible()
    expect(theirs.get_by_role("button", name="Remove the comment of Ann")).to_have_count(0)
    page.get_by_role("button", name="Remove the comment of Bob").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(theirs.get_by_text("<i>lovely</i>")).to_have_count(0)
    page.get_by_role("button", name="Remove the comment of Ann").click()
    page.get_by_role("button", name="Undo").click()
    expect(theirs.get_by_text("Thank you")).to_be_visible()


def test_a_cover_is_chosen_and_words_are_changed(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join()
    first, second, third = given(ann, 3)
    album = an_album(site, ann, [first, second, third])
    visitor = visit(ann)
    page = visitor.go(f"/albums/{album}")
    page.get_by_role("button", name="Choose the cover").click()
    page.get_by_role("dialog").locator(f'[data-photo="{second}"] button').first.click()
    expect(page.get_by_text("The album has a new cover")).to_be_visible()
    assert read(site, ann, album)["cover"]["imageId"] == second
    pick(page, third)
    choose(page, "Use as cover")
    wait_until(lambda: read(site, ann, album)["cover"]["imageId"] == third, what="the cover to be another one")

    page.keyboard.press("Escape")
    choose_for_album(page, "Edit the album")
    assert barriers_in(visitor, "light") == []
    page.get_by_label("Title").fill("Winter")
    page.get_by_label("Order of the photos").select_option("By hand")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Winter", level=1)).to_be_visible()
    expect(page.locator("[data-photo]")).to_have_count(3)
    assert read(site, ann, album)["order"] == "hand"


def test_photos_are_put_in_order_by_hand(visit: Visit, site: Site, given: Given) -> None:
    ann, bob = site.join(), site.join("Bob")
    one, two, three, four = given(ann, 4)
    album = an_album(site, ann, [], order="hand", viewer=bob)
    for image_id in (one, two, three, four):
        put(site, ann, album, [image_id])
    before = photos_of(site, ann, album)
    visitor = visit(ann)
    page, theirs = visitor.go(f"/albums/{album}"), visit(bob).go(f"/albums/{album}")
    expect(tile(theirs, before[0])).to_be_visible()
    tile(page, before[3]).drag_to(tile(page, before[0]), target_position={"x": 10, "y": 50})
    expect(page.get_by_text("1 photo moved")).to_be_visible()
    assert photos_of(site, ann, album) == [before[3], *before[:3]]
    expect(theirs.locator("[data-photo]").first).to_have_attribute("data-photo", before[3])

    pick(page, before[3], before[0])
    choose(page, "Move before another photo")
    expect(page.get_by_text("Choose the photo that 2 photos go before")).to_be_visible()
    assert visitor.barriers() == []
    tile(page, before[2]).get_by_role("button").click()
    expect(page.get_by_text("2 photos moved")).to_be_visible()
    assert photos_of(site, ann, album) == [before[1], before[3], before[0], before[2]]
    pick(page, before[1])
    choose(page, "Move to the end")
    expect(page.locator("[data-photo]").last).to_have_attribute("data-photo", before[1])
    told = page.locator(".toast").last
    expect(told).to_contain_text("1 photo moved")
    told.get_by_role("button", name="Undo").click()
    wait_until(lambda: photos_of(site, ann, album)[0] == before[1], what="the photo to be back")


@ALSO_ON_A_PHONE
def test_uploads_are_added_to_the_album_that_is_open(visit: Visit, site: Site, tmp_path: Path, size: str) -> None:
    ann, bob = site.join(), site.join("Bob")
    album = an_album(site, ann, [], contributor=bob)
    page, theirs = visit(bob, size=size).go(f"/albums/{album}"), visit(ann, size=size).go(f"/albums/{album}")
    expect(theirs.get_by_text("There are no photos yet.")).to_be_visible()
    page.get_by_role("button", name="Add photos").first.click()
    expect(page.get_by_role("heading", name=f"Add to “{TITLE}”")).to_be_visible()
    page.get_by_role("radio", name="Only this album").check(force=True)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photos").click()
    chooser.value.set_files(drawn(tmp_path, "tent.jpg", taken=TAKEN))
    expect(theirs.locator("[data-photo]")).to_have_count(1)
    [photo] = photos_of(site, ann, album)
    assert site.photo(bob, photo)["visibility"] == "private"


@pytest.mark.long
@BOTH_SIZES
def test_the_people_of_an_album_lead_to_their_photos_in_it(visit: Visit, site: Site, given: Given, size: str) -> None:
    ann, chief = site.join(), site.join("Carol", admin=True)
    faces = site.upload(ann, *portraits(SOMEBODY)[:2], visibility="private")
    site.settle(ann, faces, faces=True)
    site.group_people(chief)
    album = an_album(site, ann, [*given(ann, 2), *faces])
    visitor = visit(ann, size=size)
    page = visitor.go(f"/albums/{album}")
    face = page.get_by_role("list", name="People in this album").get_by_role("button").first
    face.click()
    expect(page.locator("[data-photo]")).to_have_count(2)
    assert barriers_in(visitor) == []
    face.click()
    expect(page.locator("[data-photo]")).to_have_count(4)

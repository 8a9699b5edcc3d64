"""The timeline: months of photos, navigation to any of them, and actions on many at once."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from benchmarks.web_library import seed_web_library
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn
from tests.browser.site import Account, Site, serving
from tests.browser.visitor import visiting
from tests.servers.process import wait_until

SIZES = ((900, 600), (600, 900), (800, 800))
MOST_NODES = 600
MANY = 3000

Given = Callable[..., list[str]]


@pytest.fixture
def given(site: Site, tmp_path: Path) -> Given:
    """`given(account, "2024-06-14", "2024-06-15")` uploads a photo of each day, and waits for them."""

    def upload(account: Account, *days: str) -> list[str]:
        files = [
            drawn(
                tmp_path,
                f"{day}-{number}.jpg",
                taken=datetime.fromisoformat(f"{day}T12:{number:02}:00"),
                size=SIZES[number % len(SIZES)],
            )
            for number, day in enumerate(days)
        ]
        ids = site.upload(account, *files)
        site.settle(account, ids)
        return ids

    return upload


def tiles(page: Page) -> Locator:
    return page.locator("[data-photo]")


def tile(page: Page, image_id: str) -> Locator:
    return page.locator(f'[data-photo="{image_id}"]')


def tick(page: Page, image_id: str) -> Locator:
    return tile(page, image_id).get_by_role("checkbox")


def picked(page: Page) -> Locator:
    return page.locator('[data-photo] [role=checkbox][aria-checked="true"]')


def test_a_new_user_is_asked_to_add_photos(visit: Visit, site: Site) -> None:
    visitor = visit(site.join())
    page = visitor.go()
    expect(page.get_by_role("button", name="Add your photos")).to_be_visible()
    assert visitor.barriers() == []


def test_photos_stand_in_months_and_new_ones_come_by_themselves(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join("Ann")
    given(ann, "2024-06-14", "2024-06-15", "2024-05-02", "2023-12-24")
    visitor = visit(ann)
    page = visitor.go()
    expect(page.get_by_role("heading", level=2)).to_have_text(["June 2024", "May 2024", "December 2023"])
    expect(tiles(page)).to_have_count(4)
    expect(page.locator("[data-photo] img.shown")).to_have_count(4)
    assert visitor.barriers() == []
    page.emulate_media(color_scheme="dark")
    assert visitor.barriers() == []

    [new] = given(ann, "2024-06-20")
    expect(tile(page, new)).to_be_visible()
    expect(page.get_by_text("3 photos")).to_be_visible()

    page.get_by_role("link", name="Everyone").click()
    page.wait_for_url("**/?scope=community")
    expect(page.get_by_role("link", name="Everyone")).to_have_attribute("aria-current", "true")


def test_what_is_selected_by_shift_and_by_day_goes_to_the_trash_and_comes_back(
    visit: Visit, site: Site, given: Given
) -> None:
    ann = site.join("Ann")
    days = ("2024-06-15", "2024-06-15", "2024-06-14", "2024-05-03", "2024-05-02")
    second, first, third, fourth, fifth = given(ann, *days)
    visitor = visit(ann)
    page = visitor.go()
    expect(tiles(page)).to_have_count(5)
    tile(page, first).hover()
    tick(page, first).click()
    tick(page, fourth).click(modifiers=["Shift"])
    expect(picked(page)).to_have_count(4)
    expect(page.get_by_role("toolbar")).to_contain_text("4 selected")
    assert visitor.barriers() == []
    page.keyboard.press("Escape")
    expect(picked(page)).to_have_count(0)

    tile(page, second).hover()
    tick(page, second).click()
    page.keyboard.press("d")
    expect(picked(page)).to_have_count(2)
    page.get_by_role("button", name="Move to the trash").click()
    expect(tiles(page)).to_have_count(3)
    expect(page.get_by_role("status").filter(has_text="2 photos moved to the trash")).to_be_visible()
    assert {site.photo(ann, each).get("trashedAt") is None for each in (first, second)} == {False}

    with page.expect_response("**/api/photos/restore"):
        page.get_by_role("button", name="Undo").click()
    expect(tiles(page)).to_have_count(5)
    assert [site.photo(ann, each).get("trashedAt") for each in (first, second)] == [None, None]
    page.get_by_role("checkbox", name="Select all of May 2024").click()
    expect(picked(page)).to_have_count(2)
    expect(tick(page, fifth)).to_be_checked()
    expect(tick(page, third)).not_to_be_checked()


def test_many_photos_are_marked_tagged_and_hidden_at_once(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join("Ann")
    ids = given(ann, "2024-06-14", "2024-06-15", "2024-06-16")
    visitor = visit(ann)
    page = visitor.go()
    expect(tiles(page)).to_have_count(3)
    tile(page, ids[0]).hover()
    tick(page, ids[0]).click()
    page.keyboard.press("a")
    expect(picked(page)).to_have_count(3)
    page.get_by_role("button", name="Favourite", exact=True).click()
    expect(page.locator(".heart")).to_have_count(3)
    expect(page.get_by_text("3 photos are favourites now")).to_be_visible()
    assert all(site.photo(ann, each)["favorite"] for each in ids)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".heart")).to_have_count(0)

    page.keyboard.press("a")
    page.keyboard.press("t")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Tags").fill("sea, Summer")
    assert visitor.barriers() == []
    dialog.get_by_role("button", name="Add").click()
    expect(page.get_by_text("3 photos tagged")).to_be_visible()
    assert {tuple(site.photo(ann, each)["tags"]) for each in ids} == {("sea", "Summer")}

    page.keyboard.press("a")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Show to me only").click()
    expect(page.get_by_text("Only you see 3 photos now")).to_be_visible()
    assert {site.photo(ann, each)["visibility"] for each in ids} == {"private"}


def test_a_late_response_does_not_remove_a_newer_favorite(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join("Ann")
    ids = given(ann, "2024-06-14", "2024-06-15")
    page = visit(ann).go()
    expect(page.locator("[data-photo] img.shown")).to_have_count(2)
    held: list[Callable[[], None]] = []

    def hold(route: Route) -> None:
        answer = route.fetch()
        held.append(lambda: route.fulfill(response=answer))

    page.route("**/api/timeline/2024-06?*", hold, times=1)
    [new] = given(ann, "2024-06-20")
    wait_until(lambda: page.evaluate("true") and bool(held), what="the month to be told")
    tile(page, ids[0]).hover()
    tick(page, ids[0]).click()
    with page.expect_response("**/api/photos/change"):
        page.get_by_role("button", name="Favourite", exact=True).click()
    expect(page.get_by_text("1 photo is a favourite now")).to_be_visible()

    held.pop()()
    expect(tile(page, new)).to_be_visible()
    expect(tile(page, ids[0]).locator(".heart")).to_be_visible()


def test_photos_of_others_stay_as_they_are(visit: Visit, site: Site, given: Given) -> None:
    ann, ben = site.join("Ann"), site.join("Ben")
    [theirs] = given(ben, "1999-03-04")
    visitor = visit(ann)
    page = visitor.go("/?scope=community")
    expect(page.locator("[data-photo]").first).to_be_visible()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.get_by_role("region", name="March 1999")).to_be_visible()
    tile(page, theirs).hover()
    tick(page, theirs).click()
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.keyboard.press("Delete")
    expect(page.get_by_text("1 photo stayed as it was")).to_be_visible()
    expect(tile(page, theirs)).to_be_visible()


def test_the_timeline_needs_no_mouse(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join("Ann")
    third, second, first = given(ann, "2024-05-02", "2024-06-14", "2024-06-15")
    page = visit(ann).go()
    tile(page, first).get_by_role("button").focus()
    page.keyboard.press("ArrowRight")
    expect(tile(page, second).get_by_role("button")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(tile(page, third).get_by_role("button")).to_be_focused()
    page.keyboard.press("x")
    expect(picked(page)).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+X")
    expect(picked(page)).to_have_count(3)
    page.keyboard.press("Escape")
    expect(picked(page)).to_have_count(0)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/?photo={first}")


@pytest.mark.long
def test_a_large_library_is_drawn_near_the_window_alone(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        ann = site.join("Ann")
        seed_web_library(site.stores, site.running.data / "sparks.db", owner=ann.email, count=MANY, pictures=4)
        with visiting(browser, site, ann) as visitor:
            page = visitor.go()
            expect(page.locator("[data-photo] img.shown").first).to_be_visible()
            slider = page.get_by_role("slider", name="Months")
            expect(slider).to_have_attribute("aria-valuetext", "December 2024")

            box = slider.bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + 20, box["y"] + box["height"] / 2)
            expect(page.locator("[data-photo] img.shown").first).to_be_visible()
            expect(slider).to_have_attribute("aria-valuetext", "February 2020")
            slider.press("ArrowDown")
            expect(slider).to_have_attribute("aria-valuetext", "January 2020")
            expect(page.get_by_role("heading", name="January 2020")).to_be_in_viewport()
            assert visitor.barriers() == []

            page.get_by_role("link", name="People").click()
            page.wait_for_url("**/people")
            page.go_back()
            expect(slider).to_have_attribute("aria-valuetext", "January 2020")
            expect(page.get_by_role("heading", name="January 2020")).to_be_in_viewport()

            before, months = place_of_top_photo(page), slider.get_attribute("aria-valuemax")
            site.upload(ann, drawn(tmp_path, "new.jpg", taken=datetime.fromisoformat("2025-01-05T12:00:00")))
            expect(slider).not_to_have_attribute("aria-valuemax", str(months))
            assert place_of_top_photo(page) == before
            page.set_viewport_size({"width": 900, "height": 700})
            expect(tile(page, before[0])).to_be_in_viewport()
            page.set_viewport_size({"width": 1280, "height": 800})

            slider.press("End")
            expect(slider).to_have_attribute("aria-valuetext", "January 2015")
            slider.press("Home")
            expect(slider).to_have_attribute("aria-valuetext", "January 2025")
            most = page.evaluate(SCROLL_THROUGH)
            assert most <= MOST_NODES
            assert page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 1")


def place_of_top_photo(page: Page) -> tuple[str, float]:
    """The first one below the headings, and where it is."""
    found: tuple[str, float] = tuple(page.evaluate(TOP_PHOTO))
    return found


TOP_PHOTO = """() => {
  const tiles = [...document.querySelectorAll('[data-photo]')].map((each) => [each, each.getBoundingClientRect().top]);
  const [tile, top] = tiles.find(([, top]) => top >= 124);
  return [tile.dataset.photo, top];
}"""
SCROLL_THROUGH = """async () => {
  let most = 0;
  const step = (document.documentElement.scrollHeight - innerHeight) / 60;
  for (let at = 1; at <= 60; at++) {
    window.scrollTo(0, step * at);
    await new Promise(requestAnimationFrame);
    most = Math.max(most, document.querySelectorAll('*').length);
  }
  return most;
}"""


@pytest.mark.long
def test_a_long_press_selects_on_a_phone(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join("Ann")
    first, second = given(ann, "2024-06-14", "2024-06-15")
    visitor = visit(ann, size="phone")
    page = visitor.go()
    box = tile(page, first).bounding_box()
    assert box is not None
    touch = [{"x": box["x"] + 60, "y": box["y"] + 60}]
    cdp = visitor.context.new_cdp_session(page)
    cdp.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
    expect(page.get_by_role("toolbar")).to_contain_text("1 selected")
    cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(tick(page, first)).to_be_checked()
    tile(page, second).get_by_role("button").tap()
    expect(page.get_by_role("toolbar")).to_contain_text("2 selected")
    assert visitor.barriers() == []

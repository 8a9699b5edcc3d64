"""The viewer: one photo above any page, with its details."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.pictures import drawn
from tests.browser.site import Account, Site
from tests.browser.viewer_page import expect_position, middle, opened, show_info, some_drawn, tile, uploads_of, viewer
from tests.servers.process import wait_until

GPS: Final = 0x8825
KAP_ARKONA: Final = {1: "N", 2: (54.0, 40.0, 47.0), 3: "E", 4: (13.0, 26.0, 16.0)}
SOON: Final = 150  # milliseconds until a neighbour is seen
STEP: Final = """async (key) => {
    const before = document.querySelector('[data-open] .large').src;
    const start = performance.now();
    dispatchEvent(new KeyboardEvent('keydown', { key }));
    for (;;) {
        await new Promise(requestAnimationFrame);
        const large = document.querySelector('[data-open] .large.shown');
        if (large && large.complete && large.src !== before) return performance.now() - start;
        if (performance.now() - start > 10000) return Infinity;
    }
}"""

RUNNING: Final = "document.querySelector('.viewer').getAnimations({ subtree: true }).length"


@pytest.fixture(scope="module")
def hills(site: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[Account, list[str]]:
    """An account with three photos, newest first, for tests that only look at them."""
    account = site.join()
    return account, some_drawn(site, account, tmp_path_factory.mktemp("hills"))


@pytest.fixture(scope="module")
def cliff(site: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[Account, str]:
    """An account with one photo, larger than what is made of it, and with a place."""
    account = site.join()
    taken = datetime(2024, 6, 1, 12, tzinfo=UTC)
    file = drawn(tmp_path_factory.mktemp("cliff"), "cliff.jpg", taken=taken, size=(3200, 2400))
    with Image.open(file) as picture:
        exif = picture.getexif()
        exif.get_ifd(GPS).update(KAP_ARKONA)
        picture.save(file, exif=exif)
    ids = site.upload(account, file, visibility="private")
    site.settle(account, ids)
    return account, ids[0]


def scale_of(page: Page) -> float:
    return float(opened(page).get_attribute("data-scale") or 0)


def expect_scale(page: Page, least: float, most: float) -> None:
    wait_until(lambda: least <= scale_of(page) <= most, what=f"a scale from {least} to {most}", seconds=10)


def test_a_photo_opens_from_a_list_and_keys_walk_through_it(visit: Visit, hills: tuple[Account, list[str]]) -> None:
    account, (first, second, third) = hills
    page = visit(account).go(uploads_of(account))
    tile(page, second).click()
    expect_position(page, "Photo 2 of 3")
    expect(opened(page).locator(".large.shown")).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "dialog"
    expect(viewer(page).locator(".large.shown")).to_have_count(3)
    assert page.evaluate(STEP, "ArrowRight") < SOON
    expect_position(page, "Photo 3 of 3")
    page.keyboard.press("ArrowRight")
    expect_position(page, "Photo 3 of 3")
    assert f"photo={third}" in page.url
    page.keyboard.press("Escape")
    expect(viewer(page)).to_have_count(0)
    expect(tile(page, third)).to_be_focused()
    assert page.url.endswith(uploads_of(account))

    page.keyboard.press("Enter")
    expect_position(page, "Photo 3 of 3")
    page.keyboard.press("ArrowLeft")
    viewer(page).get_by_role("button", name="Previous photo").click()
    expect_position(page, "Photo 1 of 3")
    page.go_back()
    expect(viewer(page)).to_have_count(0)
    expect(tile(page, first)).to_be_focused()


def test_a_photo_is_zoomed_by_wheel_double_click_and_keys(visit: Visit, cliff: tuple[Account, str]) -> None:
    account, image_id = cliff
    page = visit(account).go(f"/feed?photo={image_id}")
    expect(opened(page).locator(".large.shown")).to_be_visible()
    x, y = middle(page)
    page.mouse.move(x + 100, y)
    page.mouse.wheel(0, -400)
    expect_scale(page, 2, 3)
    page.mouse.wheel(0, 4000)
    expect_scale(page, 1, 1)
    page.mouse.dblclick(x, y)
    expect_scale(page, 2, 4)
    expect(opened(page).locator(".original.shown")).to_be_visible()
    before, _ = middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y, steps=4)
    page.mouse.up()
    wait_until(lambda: middle(page)[0] < before - 100, what="the picture to be moved", seconds=10)
    page.mouse.dblclick(x, y)
    expect_scale(page, 1, 1)
    page.keyboard.press("+")
    expect_scale(page, 1.59, 1.61)
    page.keyboard.press("0")
    expect_scale(page, 1, 1)


def test_a_photo_is_thrown_away_and_taken_back(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    first, second, third = some_drawn(site, account, tmp_path)
    page = visit(account).go(uploads_of(account))
    tile(page, second).click()
    expect(viewer(page).get_by_role("button", name="Move to the trash")).to_be_visible()
    page.keyboard.press("Delete")
    expect_position(page, "Photo 2 of 2")
    assert third in page.url
    page.get_by_role("button", name="Undo").click()
    expect_position(page, "Photo 2 of 3")
    assert second in page.url
    assert "trashedAt" not in site.photo(account, second)
    expect(viewer(page).get_by_role("button", name="Move to the trash")).to_be_visible()
    page.keyboard.press("Delete")
    expect_position(page, "Photo 2 of 2")
    page.keyboard.press("Escape")
    expect(viewer(page)).to_have_count(0)
    page.reload()
    expect(tile(page, first)).to_be_visible()
    expect(tile(page, second)).to_have_count(0)


def test_the_viewer_shows_the_next_photo_after_one_is_deleted(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    _, second, third = some_drawn(site, account, tmp_path)
    visitor = visit(account)
    visitor.expect_complaint("404")
    page = visitor.go(uploads_of(account))
    tile(page, second).click()
    expect_position(page, "Photo 2 of 3")
    site.ask(account, "DELETE", f"/api/photos/{second}")
    expect(page.get_by_text("This photo is no longer there.")).to_be_visible(timeout=20_000)
    expect_position(page, "Photo 2 of 2")
    assert third in page.url


def test_a_link_shows_one_photo_or_says_that_it_is_not_there(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann, bob = site.join("Ann"), site.join("Bob")
    (secret,) = some_drawn(site, ann, tmp_path, 1)
    page = visit(ann, permissions=["clipboard-read", "clipboard-write"]).go(f"/feed?photo={secret}")
    expect(opened(page).locator(".large.shown")).to_be_visible()
    viewer(page).get_by_role("button", name="Share").click()
    expect(page.get_by_text("only you can open it")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    with page.expect_download() as download:
        page.keyboard.press("d")
    assert download.value.suggested_filename == "hill0.jpg"

    visitor = visit(bob)
    visitor.expect_complaint("404")
    other = visitor.go(f"/feed?photo={secret}")
    expect(other.get_by_text("you may not see it")).to_be_visible()
    viewer(other).get_by_role("alert").get_by_role("button", name="Close").click()
    expect(viewer(other)).to_have_count(0)
    assert other.url.endswith("/feed")


def test_a_thumb_swipes_pinches_and_closes(visit: Visit, hills: tuple[Account, list[str]]) -> None:
    account, (_, second, third) = hills
    visitor = visit(account, size="phone")
    page = visitor.go(uploads_of(account))
    tile(page, second).tap()
    expect_position(page, "Photo 2 of 3")
    expect(viewer(page).locator(".large.shown")).to_have_count(3)
    touch(page, [[(320, 400)], [(240, 402)], [(120, 404)], [(40, 404)]])
    expect_position(page, "Photo 3 of 3")
    assert third in page.url
    touch(page, [[(180, 400), (210, 400)], [(140, 400), (250, 400)], [(100, 400), (290, 400)]])
    expect_scale(page, 2, 10)
    page.keyboard.press("0")
    expect_scale(page, 1, 1)
    touch(page, [[(200, 500)], [(200, 420)], [(200, 340)]])
    expect(page.get_by_role("complementary", name="Info")).to_be_visible()
    assert visitor.barriers() == []
    page.get_by_role("button", name="Close the info").tap()
    touch(page, [[(200, 300)], [(200, 400)], [(200, 560)]])
    expect(viewer(page)).to_have_count(0)
    expect(tile(page, third)).to_be_focused()


def touch(page: Page, moves: list[list[tuple[float, float]]]) -> None:
    """Fingers on the screen: where they are, move by move; then they leave."""
    session = page.context.new_cdp_session(page)
    for at, points in enumerate(moves):
        told = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": "touchMove" if at else "touchStart", "touchPoints": told})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def test_the_keyboard_alone_reaches_everything(visit: Visit, hills: tuple[Account, list[str]]) -> None:
    account, (first, *_) = hills
    page = visit(account, reduced_motion="reduce").go(uploads_of(account))
    tile(page, first).focus()
    page.keyboard.press("Enter")
    expect_position(page, "Photo 1 of 3")
    expect(viewer(page).get_by_role("button", name="Move to the trash")).to_be_visible()
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        inside = "document.activeElement === document.body || !!document.activeElement.closest('.viewer, .toasts')"
        assert page.evaluate(inside)
    assert {"Close", "Next photo", "Share", "Info", "Move to the trash", "Play a slideshow"} <= reached
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Next photo")
    expect(keys).not_to_contain_text("Go to the feed")
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.keyboard.press("s")
    expect(viewer(page).get_by_role("button", name="Stop the slideshow")).to_be_attached()
    expect_position(page, "Photo 2 of 3", within=15)
    page.keyboard.press("Escape")
    expect(viewer(page).get_by_role("button", name="Play a slideshow")).to_be_visible()
    page.keyboard.press("Escape")
    expect(viewer(page)).to_have_count(0)


def test_a_tag_and_a_place_lead_to_the_photos_that_share_them(
    visit: Visit, site: Site, cliff: tuple[Account, str]
) -> None:
    account, image_id = cliff
    site.ask(account, "POST", "/api/photos/change", json={"ids": [image_id], "addTags": ["sea & <b>sky</b>"]})
    page = visit(account).go(f"{uploads_of(account)}?photo={image_id}")
    show_info(page)
    for name, query in (("sea & <b>sky</b>", "tag=sea+"), ("Photos near here", "near=54.6")):
        page.get_by_role("complementary", name="Info").get_by_role("link", name=name).click()
        page.wait_for_url(f"**/search?{query}*")
        expect(tile(page, image_id)).to_be_visible()
        expect(viewer(page)).to_have_count(0)
        page.go_back()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_has_no_barriers(visit: Visit, cliff: tuple[Account, str], scheme: str) -> None:
    account, image_id = cliff
    visitor = visit(account, color_scheme=scheme)
    page = visitor.go(uploads_of(account))
    tile(page, image_id).click()
    show_info(page)
    expect(page.get_by_role("img", name="Map of the world")).to_be_visible()
    assert visitor.barriers() == []
    page.keyboard.press("i")
    wait_until(lambda: page.evaluate(RUNNING) == 0, what="all to be still", seconds=10)
    assert visitor.barriers() == []

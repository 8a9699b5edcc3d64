"""The viewer: one photo above any page, with all that is known of it."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.pictures import SHARED, drawn, portraits
from tests.browser.site import Account, Site
from tests.media.clips import film
from tests.media.motions import motion_photo
from tests.servers.process import wait_until

MARKUP: Final = "<img src=x onerror=alert(1)>"
GPS: Final = 0x8825
KAP_ARKONA: Final = {1: "N", 2: (54.0, 40.0, 47.0), 3: "E", 4: (13.0, 26.0, 16.0)}
STRANGER: Final = "W000791"  # whom no other test knows
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


def some_drawn(
    site: Site, account: Account, folder: Path, count: int = 3, *, visibility: str = "private", **more: str
) -> list[str]:
    """Photos, the newest first, as lists have them. Other tests look at what all members see: these are not there."""
    files = [drawn(folder, f"hill{n}.jpg", taken=datetime(2024, 5, 1 + n, 12, 30, tzinfo=UTC)) for n in range(count)]
    ids = site.upload(account, *files, visibility=visibility, **more)
    site.settle(account, ids)
    return ids[::-1]


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


def shared(*path: str) -> Path:
    file = SHARED.joinpath(*path)
    if not file.is_file():
        missing = f"there is no test data at {file}"
        if "CI" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    return file


def uploads_of(account: Account) -> str:
    return f"/members/{quote(account.email)}"


def viewer(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Photo viewer")


def tile(page: Page, image_id: str) -> Locator:
    return page.locator(f'[data-photo="{image_id}"] button').first


def opened(page: Page) -> Locator:
    """The picture itself."""
    return viewer(page).locator("[data-open]")


def expect_position(page: Page, text: str, *, within: int = 5) -> None:
    expect(viewer(page).get_by_role("status").filter(has_text=text)).to_be_attached(timeout=within * 1000)


def show_info(page: Page) -> None:
    expect(opened(page)).to_be_visible()
    page.keyboard.press("i")
    expect(page.get_by_role("complementary", name="Info")).to_be_visible()


def scale_of(page: Page) -> float:
    return float(opened(page).get_attribute("data-scale") or 0)


def expect_scale(page: Page, least: float, most: float) -> None:
    wait_until(lambda: least <= scale_of(page) <= most, what=f"a scale from {least} to {most}", seconds=10)


def middle(page: Page) -> tuple[float, float]:
    box = opened(page).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


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


def test_two_editors_are_told_of_each_other(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    (image_id,) = some_drawn(site, account, tmp_path, 1, title="Hills")
    visitor = visit(account)
    visitor.expect_complaint("409")
    page = visitor.go(f"/feed?photo={image_id}")
    show_info(page)
    title = page.get_by_label("Title")
    expect(title).to_have_value("Hills")
    title.fill("Hills at noon")
    version = site.photo(account, image_id)["version"]
    site.ask(account, "PATCH", f"/api/photos/{image_id}", json={"version": version, "title": "Bare hills"})
    title.press("Enter")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("Somebody changed this")
    expect(told).to_contain_text("Bare hills")
    expect(told).to_contain_text("Hills at noon")
    assert visitor.barriers() == []
    told.get_by_role("button", name="Use mine").click()
    expect(told).to_have_count(0)
    wait_until(lambda: site.photo(account, image_id)["title"] == "Hills at noon", what="the title", seconds=10)

    description = page.get_by_label("Description")
    description.fill("What the wind does")
    now = site.photo(account, image_id)["version"]
    site.ask(account, "PATCH", f"/api/photos/{image_id}", json={"version": now, "tags": ["wind"]})
    description.press("Control+Enter")
    expect(page.get_by_role("list", name="Tags")).to_contain_text("wind")
    wait_until(lambda: "description" in site.photo(account, image_id), what="the description to be kept", seconds=20)
    made = site.photo(account, image_id)
    assert (made["description"], made["tags"]) == ("What the wind does", ["wind"])


def test_what_is_known_of_a_photo_is_edited_beside_it(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join("Ann")
    (image_id,) = some_drawn(site, account, tmp_path, 1)
    page = visit(account).go(f"/feed?photo={image_id}")
    show_info(page)
    for field in ("Title", "Description", "Alternative text"):
        page.get_by_label(field, exact=True).fill(f"{field} {MARKUP}")
        page.get_by_label(field, exact=True).press("Tab")
    add = page.get_by_label("Add a tag")
    add.fill(f"sea, {MARKUP}")
    add.press("Enter")
    expect(page.get_by_role("list", name="Tags")).to_contain_text(MARKUP)
    page.get_by_role("button", name="Remove the tag sea").click()
    expect(page.get_by_text("sea", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Edit the date").click()
    page.get_by_label("Taken").fill("2023-02-03T04:05:06")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("3 February 2023")).to_be_visible()
    for state in ("true", "false"):
        page.get_by_role("switch").click()
        expect(page.get_by_role("switch")).to_have_attribute("aria-checked", state)
    page.keyboard.press("f")
    expect(viewer(page).get_by_role("button", name="Remove from favourites")).to_be_visible()

    def saved() -> bool:
        photo = site.photo(account, image_id)
        return (photo["favorite"], photo["visibility"], photo["tags"]) == (True, "private", [MARKUP])

    wait_until(saved, what="all of it to be saved", seconds=10)
    photo = site.photo(account, image_id)
    assert photo["title"] == f"Title {MARKUP}"
    assert photo["altText"] == f"Alternative text {MARKUP}"
    assert photo["takenAt"].startswith("2023-02-03T04:05:06")
    page.reload()
    expect(page.get_by_label("Description", exact=True)).to_have_value(f"Description {MARKUP}")
    assert opened(page).locator(".large").get_attribute("alt") == f"Alternative text {MARKUP}"


def test_others_read_what_the_owner_wrote(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann, bob = site.join("Ann"), site.join("Bob")
    (image_id,) = some_drawn(site, ann, tmp_path, 1, visibility="community", title=MARKUP)
    visitor = visit(bob)
    page = visitor.go(f"/feed?photo={image_id}")
    show_info(page)
    expect(page.get_by_role("complementary").get_by_text(MARKUP)).to_be_visible()
    assert visitor.barriers() == []
    expect(page.get_by_role("complementary").get_by_role("link", name="Ann")).to_have_attribute(
        "href", f"/members/{quote(ann.email)}"
    )
    expect(page.get_by_label("Add a tag")).to_have_count(0)
    expect(viewer(page).get_by_role("button", name="Move to the trash")).to_have_count(0)
    site.ask(ann, "DELETE", f"/api/photos/{image_id}")


def test_faces_are_named_rejected_and_drawn_with_a_way_back(visit: Visit, site: Site) -> None:
    account = site.join()
    ids = site.upload(account, portraits(STRANGER)[0], visibility="private")
    site.settle(account, ids, faces=True)
    visitor = visit(account)
    page = visitor.go(f"/feed?photo={ids[0]}")
    show_info(page)
    page.get_by_role("button", name="Add a name").click()
    page.get_by_role("combobox", name="Who is this?").fill("Alma <b>")
    page.keyboard.press("Enter")
    people = page.get_by_role("complementary")
    expect(people.get_by_role("link", name="Alma <b>")).to_be_visible()
    expect(page.get_by_text("This is Alma <b>")).to_be_visible()
    page.keyboard.press("b")
    box = viewer(page).get_by_role("button", name="Alma <b>", exact=True)
    expect(box).to_be_visible()
    assert visitor.barriers() == []
    face, picture = box.bounding_box(), opened(page).bounding_box()
    assert face is not None
    assert picture is not None
    assert picture["x"] < face["x"] < picture["x"] + picture["width"]
    page.keyboard.press("b")
    expect(box).to_have_count(0)
    page.mouse.move(face["x"] + face["width"] / 2, face["y"] + face["height"] / 2)
    expect(viewer(page).get_by_text("Alma <b>")).to_have_count(2)

    page.get_by_role("button", name="More about Alma <b>").click()
    page.get_by_role("menuitem", name="This is not Alma <b>").click()
    expect(people.get_by_role("link", name="Alma <b>")).to_have_count(0)
    page.get_by_role("button", name="Undo").last.click()
    expect(people.get_by_role("link", name="Alma <b>")).to_be_visible()

    page.get_by_role("button", name="Mark a face").click()
    page.mouse.move(picture["x"] + 10, picture["y"] + picture["height"] - 100)
    page.mouse.down()
    page.mouse.move(picture["x"] + 90, picture["y"] + picture["height"] - 20, steps=4)
    page.mouse.up()
    page.get_by_role("combobox", name="Who is this?").fill("Bo")
    page.keyboard.press("Enter")
    expect(people.get_by_role("link", name="Bo", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo").last.click()
    expect(people.get_by_role("link", name="Bo", exact=True)).to_have_count(0)


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


def test_a_photo_that_goes_away_makes_room_for_the_next(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    _, second, third = some_drawn(site, account, tmp_path)
    visitor = visit(account)
    visitor.expect_complaint("404")
    page = visitor.go(uploads_of(account))
    tile(page, second).click()
    expect_position(page, "Photo 2 of 3")
    site.ask(account, "DELETE", f"/api/photos/{second}")
    expect(page.get_by_text("This photo is not there any more.")).to_be_visible(timeout=20_000)
    expect_position(page, "Photo 2 of 2")
    assert third in page.url


def test_a_video_plays(visit: Visit, site: Site) -> None:
    account = site.join()
    ids = site.upload(account, shared("media", "video", "bikes.mp4"), visibility="private")
    site.settle(account, ids)
    visitor = visit(account)
    page = visitor.go(f"/feed?photo={ids[0]}")
    video = viewer(page).locator("video")
    expect(video).to_be_visible()
    video.evaluate("video => { video.muted = true; return video.play(); }")
    wait_until(lambda: float(video.evaluate("video => video.currentTime")) > 0.2, what="the video to play", seconds=20)
    assert visitor.barriers() == []


def live_photo(site: Site, account: Account, folder: Path, *, seconds: float = 2) -> str:
    """A photo with a film behind it, once that was made."""
    still = drawn(folder, "live.jpg", taken=datetime(2024, 7, 1, 12, tzinfo=UTC), size=(960, 720))
    frames = film("mp4", "libx264", size=(640, 480), frames=round(seconds * 10), rate=10, sound="aac")
    still.write_bytes(motion_photo(frames, before=still.read_bytes()))
    (live,) = site.upload(account, still, visibility="private")
    wait_until(lambda: "motion" in site.photo(account, live)["urls"], what="the film to be made", seconds=60)
    return live


def expect_moving(page: Page, *, moves: bool, within: int = 10) -> None:
    expect(opened(page).locator("video.moving")).to_have_count(int(moves), timeout=within * 1000)


def test_a_live_photo_moves_when_asked_and_is_a_still_again(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    live = live_photo(site, account, tmp_path)
    visitor = visit(account)
    page = visitor.go("/")
    expect(page.locator(f'[data-photo="{live}"]').get_by_text("LIVE")).to_be_visible()
    tile(page, live).click()
    mark = viewer(page).get_by_role("button", name="LIVE", exact=True)
    expect(mark).to_be_visible()
    expect(opened(page).locator("video")).to_have_count(0)
    assert visitor.barriers() == []

    mark.hover()
    expect_moving(page, moves=True)
    assert opened(page).locator("video").evaluate("film => [film.muted, film.paused]") == [True, False]
    expect(mark).to_have_attribute("aria-pressed", "true")
    page.mouse.move(*middle(page))
    expect_moving(page, moves=False)
    assert opened(page).locator("video").evaluate("film => film.paused")

    page.keyboard.press("Space")
    expect_moving(page, moves=True)
    expect_moving(page, moves=False)  # at its end
    sound = viewer(page).get_by_role("button", name="Sound of the live photo")
    sound.focus()
    page.keyboard.press("Space")
    expect(sound).to_have_attribute("aria-pressed", "true")
    expect_moving(page, moves=False)
    assert not opened(page).locator("video").evaluate("film => film.muted")
    assert visitor.barriers() == []
    page.keyboard.press("?")
    expect(page.get_by_text("Play or stop the video or live photo")).to_be_visible()


def test_a_live_photo_moves_under_a_finger_that_stays(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    live = live_photo(site, account, tmp_path, seconds=6)
    page = visit(account, size="phone", reduced_motion="reduce").go(f"/feed?photo={live}")
    mark = viewer(page).get_by_role("button", name="LIVE", exact=True)
    expect(mark).to_be_visible()
    fingers = page.context.new_cdp_session(page)
    x, y = middle(page)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    expect_moving(page, moves=True)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect_moving(page, moves=False, within=3)
    mark.tap()
    expect_moving(page, moves=True)
    mark.tap()
    expect_moving(page, moves=False, within=3)


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
    expect(other.get_by_text("not for you to see")).to_be_visible()
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(visit: Visit, cliff: tuple[Account, str], scheme: str) -> None:
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

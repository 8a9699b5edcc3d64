"""Motion in the viewer: videos and live photos."""

from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, shared
from tests.browser.site import Account, Site
from tests.browser.viewer_page import middle, opened, tile, viewer
from tests.media.clips import make_clip
from tests.media.motion_photos import motion_photo
from tests.servers.process import wait_until


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
    frames = make_clip("mp4", "libx264", size=(640, 480), frames=round(seconds * 10), rate=10, sound="aac")
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

"""Uploads: chosen, dropped and pasted files, also with interruptions."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import CDPSession, Locator, Page, Request, expect

from sparks.uploads.upload_urls import PART_SIZE
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, shared
from tests.browser.site import COOKIE, Account, Site
from tests.browser.visitor import Visitor
from tests.servers.process import wait_until

MB: Final = 1_000_000
TAKEN: Final = datetime(2025, 5, 1, 12, 0, tzinfo=UTC)
FAST: Final = -1
ALSO_ON_A_PHONE: Final = pytest.mark.parametrize("size", ["desktop", pytest.param("phone", marks=pytest.mark.long)])
UNREACHABLE: Final = "ERR_INTERNET_DISCONNECTED"


def pictures(folder: Path, count: int, *, seed: int = 0) -> list[Path]:
    return [drawn(folder, f"IMG_{seed}{at:03}.jpg", taken=TAKEN, size=(600, 400), seed=at) for at in range(count)]


def large_picture(folder: Path, size: int) -> Path:
    """A JPEG with noise behind its end, as phones put films there."""
    path = drawn(folder, "panorama.jpg", taken=TAKEN)
    drawing = path.read_bytes()
    path.write_bytes(drawing + os.urandom(size - len(drawing)))
    return path


def choose(page: Page, *files: Path) -> None:
    page.get_by_role("button", name="Upload", exact=True).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photos").click()
    chooser.value.set_files(files)


def panel(page: Page) -> Locator:
    return page.get_by_role("region", name="Uploads", exact=True)


def unfold(page: Page) -> None:
    """On a phone the list is folded at first."""
    expect(panel(page)).to_be_visible()
    if (closed := panel(page).get_by_role("button", name="Show the list")).is_visible():
        closed.click()


def rows(page: Page, *states: str) -> Locator:
    return page.locator(", ".join(f"[data-upload={state}]" for state in states))


def row(page: Page, name: str) -> Locator:
    return panel(page).get_by_role("listitem").filter(has_text=name)


def own(site: Site, account: Account) -> list[dict[str, Any]]:
    images: list[dict[str, Any]] = site.ask(account, "GET", "/api/me/photos").json()["images"]
    return images


def names(site: Site, account: Account) -> list[str]:
    return sorted(image["originalFilename"] for image in own(site, account))


def left(site: Site, account: Account) -> int:
    found: int = site.ask(account, "GET", "/api/me/limit").json()["limit"]
    return found


def put_part(site: Site, account: Account, path: str, file: Path, number: int) -> None:
    (part,) = site.ask(account, "POST", path, json={"partNumbers": [number]}).json()["parts"]
    start = (number - 1) * PART_SIZE
    address = part["url"].removeprefix(site.url)
    site.ask(account, "PUT", address, content=file.read_bytes()[start : start + part["size"]])


@contextmanager
def line(visitor: Visitor) -> Iterator[Callable[[int], None]]:
    """The network of this page, at so many bytes a second."""
    session: CDPSession = visitor.context.new_cdp_session(visitor.page)

    def set_speed(speed: int) -> None:
        rates = {"downloadThroughput": FAST, "uploadThroughput": speed}
        session.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, **rates})

    session.send("Network.enable")
    yield set_speed
    session.detach()


@ALSO_ON_A_PHONE
def test_a_first_picture_comes_through_the_chooser(visit: Visit, site: Site, tmp_path: Path, size: str) -> None:
    ann = site.join(photos=5)
    visitor = visit(ann, size=size, reduced_motion="reduce")
    page = visitor.go()
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_visible()
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("5 photos left")
    expect(dialog.get_by_label("Everyone here")).to_be_checked()
    assert visitor.barriers() == []
    dialog.get_by_label("Only me").check()
    dialog.get_by_label("Tags").fill("lake, summer")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Choose photos").click()
    chooser.value.set_files(pictures(tmp_path, 1))
    expect(dialog).to_be_hidden()
    expect(panel(page)).to_contain_text("1 photo uploaded")
    expect(panel(page)).to_contain_text("4 photos left")
    if size == "desktop":
        expect(page.get_by_role("navigation", name="Main")).to_contain_text("4 photos left")
    unfold(page)
    assert visitor.barriers() == []
    page.emulate_media(color_scheme="dark")
    assert visitor.barriers() == []
    (image,) = own(site, ann)
    assert (image["visibility"], sorted(image["tags"])) == ("private", ["lake", "summer"])
    panel(page).get_by_role("button", name="IMG_0000.jpg").click()
    page.wait_for_url(f"**/?photo={image['imageId']}")
    page.go_back()
    panel(page).get_by_role("button", name="Close").click()
    expect(panel(page)).to_be_hidden()


@ALSO_ON_A_PHONE
def test_twenty_mixed_files_arrive_once_through_a_cut_and_a_reload(
    visit: Visit, site: Site, tmp_path: Path, size: str
) -> None:
    kinds = ("formats/IMG_2682.heic", "formats/denali.webp", "formats/density_plot.png", "video/bikes.mp4")
    formats = [shared("media", kind) for kind in kinds]
    drawings = pictures(tmp_path, 14)
    notes, again = tmp_path / "notes.txt", tmp_path / "again.jpg"
    notes.write_text("not a photo")
    again.write_bytes(drawings[0].read_bytes())
    ann = site.join()
    visitor = visit(ann, size=size)
    for expected in (UNREACHABLE, "415"):
        visitor.expect_complaint(expected)
    page = visitor.go()
    with line(visitor) as set_speed:
        set_speed(MB // 4)
        choose(page, *formats, *drawings, notes, again)
        expect(panel(page)).to_contain_text("of 20")
        unfold(page)
        expect(rows(page, "making", "done").nth(2)).to_be_visible()
        visitor.context.set_offline(True)
        expect(panel(page)).to_contain_text("Weak connection: it continues automatically")
        assert len(own(site, ann)) < 18
        visitor.context.set_offline(False)
    page.reload()
    expect(panel(page)).to_contain_text("1 file needs attention", timeout=60_000)
    unfold(page)
    expect(rows(page, "done")).to_have_count(18)
    expect(row(page, "notes.txt")).to_contain_text("text/plain")
    assert rows(page, "duplicate").count() == 1
    expect(rows(page, "duplicate")).to_contain_text("You have this one already")
    arrived = names(site, ann)
    assert len(arrived) == len(set(arrived)) == 18
    assert {"again.jpg", "IMG_0000.jpg"} - set(arrived) != set()
    assert left(site, ann) == 500 - 18


def test_folders_are_dropped_and_pictures_pasted(visit: Visit, site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "holiday"
    (folder / "day 2").mkdir(parents=True)
    pictures(folder, 2)
    pictures(folder / "day 2", 1, seed=7)
    (folder / "list.json").write_text("{}")
    ann = site.join()
    visitor = visit(ann)
    page = visitor.go()
    session = visitor.context.new_cdp_session(page)

    def drag(kind: str) -> None:
        data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 640, "y": 400, "data": data})

    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_visible()
    drop_target = page.get_by_role("heading", name="Drop to upload")

    def is_held() -> bool:
        drag("dragOver")  # a hand that holds files tells so again and again
        return drop_target.is_visible()

    drag("dragEnter")
    wait_until(is_held, what="the page to see what is held above it", seconds=20)
    drag("drop")
    expect(drop_target).to_be_hidden()
    expect(page.get_by_text("1 file was skipped")).to_be_visible()
    expect(panel(page)).to_contain_text("3 photos uploaded")
    page.evaluate(
        """async () => {
          const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 200 });
          canvas.getContext('2d').fillRect(40, 40, 100, 100);
          const clipboardData = new DataTransfer();
          const blob = await new Promise((made) => canvas.toBlob(made));
          clipboardData.items.add(new File([blob], 'image.png', { type: 'image/png' }));
          document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        }"""
    )
    expect(panel(page)).to_contain_text("1 photo uploaded")
    *_, last = names(site, ann)
    assert len(own(site, ann)) == 4
    assert names(site, ann)[0].endswith(".png")
    assert last == "IMG_7000.jpg"


def test_uploads_are_paused_and_go_on_from_another_tab(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join()
    visitor = visit(ann)
    page = visitor.go()
    with line(visitor) as set_speed:
        set_speed(10_000)
        choose(page, *pictures(tmp_path, 4))
        expect(rows(page, "sending")).to_have_count(3)
        panel(page).get_by_role("button", name="Pause all").click()
        expect(panel(page)).to_contain_text("Paused at 1 of 4")
        expect(rows(page, "sending")).to_have_count(0)
        set_speed(FAST)
        row(page, "IMG_0003.jpg").get_by_role("button", name="Resume IMG_0003.jpg").click()
        expect(row(page, "IMG_0003.jpg")).to_contain_text("Done")
    row(page, "IMG_0002.jpg").get_by_role("button", name="Cancel IMG_0002.jpg").click()
    expect(row(page, "IMG_0002.jpg")).to_be_hidden()
    other = visitor.open()
    other.goto(site.url)
    expect(panel(other)).to_contain_text("Paused at 2 of 3")
    choose(other, *pictures(tmp_path, 1, seed=5))
    expect(row(page, "IMG_5000.jpg")).to_contain_text("Done")
    panel(other).get_by_role("button", name="Resume", exact=True).click()
    for tab in (page, other):
        expect(panel(tab)).to_contain_text("4 photos uploaded")
    assert names(site, ann) == ["IMG_0000.jpg", "IMG_0001.jpg", "IMG_0003.jpg", "IMG_5000.jpg"]
    assert left(site, ann) == 496


def test_chosen_files_are_kept_when_a_script_does_not_load(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join()
    visitor = visit(ann, reduced_motion="reduce")
    visitor.expect_complaint("ERR_FAILED")
    page = visitor.go()
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_visible()
    page.evaluate("() => sessionStorage.setItem('sparks.reloaded', String(Date.now()))")
    page.route("**/assets/UploadDialog-*.js", lambda asked: asked.abort())
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_text("Sparks cannot be reached")).to_be_visible()
    page.unroute("**/assets/UploadDialog-*.js")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.evaluate("() => sessionStorage.removeItem('sparks.reloaded')")
    page.route("**/assets/UploadPanel-*.js", lambda asked: asked.abort())
    choose(page, *pictures(tmp_path, 2))
    stuck = page.get_by_role("alert").filter(has_text="Your files are kept")
    expect(stuck).to_be_visible()
    assert visitor.barriers() == []
    assert loads == []
    with page.expect_event("load"):  # nothing is lost by that any more
        stuck.get_by_role("button", name="Try again").click()
    expect(stuck).to_be_visible()
    page.unroute("**/assets/UploadPanel-*.js")
    stuck.get_by_role("button", name="Try again").click()
    expect(panel(page)).to_contain_text("2 photos uploaded")
    assert len(own(site, ann)) == 2


def test_uploads_are_not_sent_to_another_account(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann, ben = site.join(), site.join("Ben")
    visitor = visit(ann)
    page = visitor.go()
    visitor.expect_complaint("404")  # of a place that is not Ben's

    def sign_in(account: Account) -> None:
        visitor.context.add_cookies([{"name": COOKIE, "value": account.session, "url": site.url}])

    with line(visitor) as set_speed:
        set_speed(10_000)
        choose(page, *pictures(tmp_path, 4))
        expect(rows(page, "sending")).to_have_count(3)
        panel(page).get_by_role("button", name="Pause all").click()
        expect(rows(page, "sending")).to_have_count(0)
        set_speed(FAST)
    sign_in(ben)
    panel(page).get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_text(f"The uploads of {ann.email} are paused")).to_be_visible()
    expect(panel(page)).to_contain_text("Paused at 1 of 4")
    assert left(site, ben) == 500
    sign_in(ann)
    panel(page).get_by_role("button", name="Resume", exact=True).click()
    expect(panel(page)).to_contain_text("4 photos uploaded")
    assert (len(own(site, ann)), own(site, ben), left(site, ann)) == (4, [], 496)


def test_what_is_beyond_the_limit_waits_for_room(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join(photos=3)
    visitor = visit(ann)
    visitor.expect_complaint("404")  # what is deleted may have changed just before, and be looked for
    page = visitor.go("/profile/uploads")
    expect(page.get_by_text("Your uploads appear here")).to_be_visible()
    assert visitor.barriers() == []
    choose(page, *pictures(tmp_path, 5))
    expect(panel(page)).to_contain_text("2 files exceed your limit")
    expect(panel(page)).to_contain_text("Your limit is reached")
    expect(rows(page, "done")).to_have_count(3)
    expect(row(page, "IMG_0004.jpg")).to_contain_text("No room in your limit")
    assert visitor.barriers() == []
    assert len(own(site, ann)) == 3
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Your upload limit is used up")
    page.keyboard.press("Escape")
    panel(page).get_by_role("button", name="Hide the list").click()
    page.get_by_role("list", name="Your uploads").get_by_role("button", name="Delete IMG_0000.jpg for good").click()
    expect(page.get_by_role("dialog")).to_contain_text("IMG_0000.jpg will be deleted for everyone")
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    panel(page).get_by_role("button", name="Show the list").click()
    expect(row(page, "IMG_0003.jpg")).to_contain_text("Done")
    wait_until(lambda: names(site, ann) == [f"IMG_000{at}.jpg" for at in (1, 2, 3)], what="the fourth photo")


@ALSO_ON_A_PHONE
def test_a_large_file_goes_on_with_its_missing_parts_after_a_reload(
    visit: Visit, site: Site, tmp_path: Path, size: str
) -> None:
    ann = site.join()
    visitor = visit(ann, size=size)
    page = visitor.go()
    file = large_picture(tmp_path, 26 * MB)
    sent: list[int] = []

    def note_part(request: Request) -> None:
        if request.method == "PUT" and "&part=" in request.url:
            sent.append(int(request.url.partition("&part=")[2].partition("&")[0]))

    page.on("request", note_part)
    with line(visitor) as set_speed:
        set_speed(10_000)
        with page.expect_request("**/parts") as asked, page.expect_request(lambda each: "&part=3&" in each.url):
            choose(page, file)
        unfold(page)
        expect(row(page, file.name)).to_contain_text("Sending")
        put_part(site, ann, urlsplit(asked.value.url).path, file, 2)  # the one that had the time to arrive
        sent.clear()
        page.reload()
    unfold(page)
    expect(row(page, file.name)).to_contain_text("Done")
    assert sorted(sent) == [1, 3, 4]
    (image,) = own(site, ann)
    assert site.ask(ann, "GET", f"/api/photos/{image['imageId']}").json()["fileSize"] == 26 * MB


def test_my_uploads_tell_what_failed_and_try_again(visit: Visit, site: Site, tmp_path: Path) -> None:
    broken = shared("media", "odd/truncated_jpeg.jpg")
    ann = site.join(photos=9)
    site.settle(ann, site.upload(ann, *pictures(tmp_path, 2), broken))
    visitor = visit(ann, reduced_motion="reduce")
    page = visitor.go("/profile/uploads")
    mine = page.get_by_role("list", name="Your uploads")
    item = mine.get_by_role("listitem").filter(has_text=broken.name)
    expect(item).to_contain_text("This JPEG ends too early: a part of it is missing.")
    expect(page.get_by_role("region", name="My uploads")).to_contain_text("6 photos left")
    assert visitor.barriers() == []
    with page.expect_response("**/retry") as tried:
        item.get_by_role("button", name=f"Try {broken.name} again").click()
    assert tried.value.ok
    expect(item).to_contain_text("This JPEG ends too early")
    site.upload(ann, *pictures(tmp_path, 1, seed=3))
    expect(mine.get_by_role("listitem").first).to_contain_text("IMG_3000.jpg")
    expect(mine.get_by_role("button", name="Show IMG_3000.jpg")).to_be_visible()
    item.get_by_role("button", name=f"Delete {broken.name} for good").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"{broken.name} will be deleted for everyone")
    assert visitor.barriers() == []
    dialog.get_by_role("button", name="Delete for good").click()
    expect(item).to_be_hidden()
    expect(page.get_by_role("region", name="My uploads")).to_contain_text("6 photos left")
    page.emulate_media(color_scheme="dark")
    assert visitor.barriers() == []


def test_on_a_phone_uploads_stand_above_the_tabs(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join()
    visitor = visit(ann, size="phone", color_scheme="dark", reduced_motion="reduce")
    page = visitor.go()
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("button", name="Use the camera")).to_be_visible()
    assert visitor.barriers() == []
    page.keyboard.press("Escape")
    choose(page, *pictures(tmp_path, 3))
    expect(panel(page)).to_contain_text("3 photos uploaded")
    expect(panel(page).get_by_role("listitem")).to_have_count(0)
    panel(page).get_by_role("button", name="Show the list").click()
    expect(panel(page).get_by_role("listitem")).to_have_count(3)
    place, tabs = panel(page).bounding_box(), page.get_by_role("navigation", name="Menu").bounding_box()
    assert place is not None
    assert tabs is not None
    assert place["y"] + place["height"] <= tabs["y"]
    assert visitor.barriers() == []
    page.emulate_media(color_scheme="light")
    assert visitor.barriers() == []

"""The guest app: from the link to the album, with uploads that survive interruptions, until the guest leaves."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from sparks.api.web import APP
from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, portraits, shared
from tests.browser.site import Account, Site
from tests.browser.visitor import Visitor
from tests.servers.process import wait_until

MOST_BYTES: Final = 40_000
TAKEN: Final = datetime(2025, 6, 14, 15, 0, tzinfo=UTC)
EVIL: Final = '<img src=x onerror="alert(1)">'
PASSWORD: Final = "sunflower"
SELF, OTHER = "N000188", "T000475"
SLOW: Final = 30_000  # bytes a second
UNREACHABLE: Final = "ERR_INTERNET_DISCONNECTED"
NOTHING_KEPT: Final = "async () => !(await indexedDB.databases()).some(({ name }) => name.includes('guest'))"
ALSO_AT_A_DESK: Final = pytest.mark.parametrize("size", ["phone", pytest.param("desktop", marks=pytest.mark.long)])


@dataclass(frozen=True)
class Party:
    """An album, its host, and links to it."""

    site: Site
    host: Account
    album_id: str

    def link(self, *allow: str, **wish: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.ask("POST", "/links", json={"allow": allow, **wish}).json()
        return made

    def ask(self, method: str, path: str = "", **options: Any) -> Any:
        return self.site.ask(self.host, method, f"/api/albums/{self.album_id}{path}", **options)

    def add(self, *files: Path, faces: bool = False) -> list[str]:
        ids = self.site.upload(self.host, *files, albumId=self.album_id, visibility="private")
        self.site.settle(self.host, ids, faces=faces)
        return ids

    def photos(self) -> list[dict[str, Any]]:
        images: list[dict[str, Any]] = self.ask("GET", "/photos").json()["images"]
        return images


Throw = Callable[..., Party]


@pytest.fixture
def throw(site: Site) -> Throw:
    def make(title: str = "Our wedding") -> Party:
        host = site.join("Olive")
        album = site.ask(host, "POST", "/api/albums", json={"title": title}).json()
        return Party(site, host, album["albumId"])

    return make


def pictures(folder: Path, count: int, *, size: tuple[int, int] = (600, 400)) -> list[Path]:
    at = [TAKEN - timedelta(hours=hour) for hour in range(count)]
    return [drawn(folder, f"IMG_{n}.jpg", taken=taken, size=size, seed=n) for n, taken in enumerate(at)]


def come(visitor: Visitor, link: dict[str, Any]) -> Page:
    return visitor.go(f"/g#{link['secret']}")


def add_photos(page: Page, *files: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add photos").click()
    chooser.value.set_files(files)


def tiles(page: Page) -> Locator:
    return page.locator("[data-photo]")


def uploads(page: Page) -> Locator:
    return page.get_by_role("region", name="Uploads")


def test_the_page_is_small() -> None:
    """All that it loads until the album is seen and photos go there, in the longest of its languages."""
    manifest = json.loads((APP / ".vite/guest.json").read_text())
    scripts = re.findall(r"/(assets/[^\"]+\.js)", (APP / "guest.html").read_text())
    words = [chunk["file"] for name, chunk in manifest.items() if "i18n/guest" in name]
    assert (len(scripts), len(words)) == (1, 4)

    def weight(name: str) -> int:
        return (APP / f"{name}.gz").stat().st_size

    assert sum(map(weight, scripts)) + max(map(weight, words)) <= MOST_BYTES


@ALSO_AT_A_DESK
def test_a_guest_says_who_they_are_brings_a_photo_and_deletes_it(
    visit: Visit, throw: Throw, tmp_path: Path, size: str
) -> None:
    party = throw(EVIL)
    link = party.link("view", "upload", password=PASSWORD, askName=True, moderated=True)
    visitor = visit(None, size=size)
    visitor.expect_complaint("401")
    scripts: list[str] = []
    visitor.page.on("request", lambda asked: scripts.append(asked.url) if asked.url.endswith(".js") else None)
    page = come(visitor, link)
    expect(page.get_by_role("heading", name=EVIL)).to_be_visible()
    assert barriers_in(visitor) == []
    page.get_by_label("Your name").fill(EVIL)
    page.get_by_label("Password").fill("moonflower")
    page.get_by_role("button", name="Open the album").click()
    expect(page.get_by_text("This is not the password")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"You are here as {EVIL}")).to_be_visible()
    expect(page.get_by_text("No photos yet")).to_be_visible()

    add_photos(page, *pictures(tmp_path, 1))
    mine = tiles(page)
    expect(mine).to_contain_text("Waiting for the host")
    expect(uploads(page)).to_contain_text("1 photo added")
    assert len(set(scripts)) == 2  # the page and its words, whose size is tested above
    assert barriers_in(visitor) == []
    assert party.photos() == []
    (image,) = party.ask("GET", "/queue").json()["images"]
    assert image["uploaderTag"] == EVIL
    party.ask("POST", "/queue", json={"approve": [image["imageId"]]})
    expect(mine).not_to_contain_text("Waiting")  # without a reload

    page.reload()  # as the same guest, who is asked nothing
    page.get_by_role("button", name="Mine").click()
    mine.get_by_role("button").click()
    viewer = page.get_by_role("dialog")
    expect(viewer).to_contain_text(f"from {EVIL}")
    viewer.get_by_role("button", name="Favourite").click()
    viewer.get_by_role("button", name="Like").click()
    expect(viewer.get_by_role("button", name="Like, 1 so far")).to_have_attribute("aria-pressed", "true")
    assert barriers_in(visitor) == []
    viewer.get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog", name="Delete this photo?")
    assert visitor.barriers() == []
    question.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(mine).to_have_count(0)
    assert party.photos() == []


@ALSO_AT_A_DESK
def test_uploads_go_on_by_themselves_after_a_cut_and_a_reload(
    visit: Visit, site: Site, throw: Throw, tmp_path: Path, size: str
) -> None:
    party = throw()
    link = party.link("view", "upload", caps={"guestPhotos": 5, "types": ["image"]})
    visitor = visit(None, size=size)
    for expected in (UNREACHABLE, "403", "415"):
        visitor.expect_complaint(expected)
    page = come(visitor, link)
    expect(page.get_by_text("You may add 5 more.")).to_be_visible()
    notes = tmp_path / "notes.jpg"
    notes.write_text("not a photo")
    session = visitor.context.new_cdp_session(page)
    line = {"offline": False, "latency": 0, "downloadThroughput": -1}
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {**line, "uploadThroughput": SLOW})
    files = pictures(tmp_path, 5, size=(900, 600))
    add_photos(page, *files)
    expect(uploads(page)).to_contain_text("of 5")
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", re.compile("^[1-9]"))
    visitor.context.set_offline(True)
    expect(uploads(page)).to_contain_text("Weak connection: it continues automatically")
    expect(page.get_by_text("You are offline")).to_be_visible()
    assert visitor.barriers() == []
    assert len(party.photos()) < len(files)
    visitor.context.set_offline(False)
    session.send("Network.emulateNetworkConditions", {**line, "uploadThroughput": -1})
    page.reload()
    expect(uploads(page)).to_contain_text("photos added")
    page.get_by_role("button", name="Mine").click()
    expect(tiles(page)).to_have_count(5)
    wait_until(lambda: len(party.photos()) == 5, what="the album to list what has come")
    expect(page.get_by_text("You cannot add more photos to this album.")).to_be_visible()

    image = party.photos()[0]["imageId"]
    page.locator(f'[data-photo="{image}"] button').click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this photo?").get_by_role("button", name="Delete").click()
    expect(tiles(page)).to_have_count(4)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    add_photos(page, notes)
    expect(uploads(page)).to_contain_text("This album does not accept this type of file")
    add_photos(page, next(file for file in files if file.stem != "IMG_0"))
    expect(uploads(page)).to_contain_text("You had added 1 already.")


@ALSO_AT_A_DESK
def test_a_selfie_finds_the_photos_of_the_guest_and_those_that_come(
    visit: Visit, site: Site, throw: Throw, tmp_path: Path, size: str
) -> None:
    first, second, selfie = portraits(SELF)
    party = throw()
    album = party.add(first, second, *portraits(OTHER)[:2], faces=True)
    site.group_people(site.join("Carol", admin=True))
    visitor = visit(None, size=size)
    page = come(visitor, party.link("find"))
    expect(page.get_by_text("Take a selfie to see")).to_be_visible()
    assert tiles(page).count() == 0
    page.get_by_role("button", name="Find me").click()
    dialog = page.get_by_role("dialog", name="Find photos of me")
    expect(dialog).to_contain_text("The picture is compared and not stored")
    expect(dialog.get_by_role("button", name="Choose a picture")).to_be_disabled()
    assert barriers_in(visitor) == []
    dialog.get_by_label("I agree").check()

    def show(file: Path) -> None:
        with page.expect_file_chooser() as chooser:
            dialog.get_by_role("button", name="Choose a picture").click()
        chooser.value.set_files(file)

    show(drawn(tmp_path, "nobody.jpg", taken=TAKEN))
    expect(dialog).to_contain_text("No face was found")
    show(selfie)
    expect(dialog).to_be_hidden()
    expect(tiles(page)).to_have_count(2)
    shown = {tile.get_attribute("data-photo") for tile in tiles(page).all()}
    assert shown == set(album[:2])
    party.add(selfie, faces=True)
    expect(tiles(page)).to_have_count(3)  # without a reload


@ALSO_AT_A_DESK
def test_a_link_that_is_revoked_closes_the_page_that_is_open(
    visit: Visit, site: Site, throw: Throw, tmp_path: Path, size: str
) -> None:
    party = throw()
    party.add(*pictures(tmp_path, 3))
    link = party.link("view", "upload", "download")
    visitor = visit(party.host, size=size)  # who is signed in, too, and a guest here all the same
    for expected in ("401", "404"):
        visitor.expect_complaint(expected)
    page = come(visitor, link)
    expect(tiles(page)).to_have_count(3)
    with page.expect_download() as taken:
        page.get_by_role("button", name="Download all").click()
    assert taken.value.suggested_filename.endswith(".zip")
    tiles(page).first.get_by_role("button").click()
    viewer = page.get_by_role("dialog")
    expect(viewer).to_have_accessible_name("Photo 1 of 3")
    page.keyboard.press("ArrowRight")
    expect(viewer).to_have_accessible_name("Photo 2 of 3")
    with page.expect_download() as one:
        viewer.get_by_role("link", name="Download").click()
    assert one.value.suggested_filename
    page.go_back()
    expect(viewer).to_have_count(0)
    party.add(drawn(tmp_path, "late.jpg", taken=TAKEN + timedelta(days=1)))
    expect(tiles(page)).to_have_count(4)  # without a reload
    secret, _, _ = link["secret"].partition(".")
    page.goto(f"{site.url}/g")  # as from the home screen
    expect(tiles(page)).to_have_count(4)

    party.ask("DELETE", f"/links/{secret}")
    expect(page.get_by_role("heading", name="This album is closed")).to_be_visible()
    assert page.locator("img").count() == 0
    page.wait_for_function(NOTHING_KEPT)
    assert barriers_in(visitor) == []
    page.goto(f"{site.url}/g#{link['secret']}")
    page.reload()
    expect(page.get_by_role("heading", name="This album is closed")).to_be_visible()


def test_a_guest_who_may_only_look_plays_a_video_as_it_came(visit: Visit, throw: Throw) -> None:
    party = throw()
    party.add(shared("media", "video", "bikes.mp4"))
    page = come(visit(None, size="phone"), party.link("view"))
    tiles(page).first.get_by_role("button").click()
    video = page.get_by_role("dialog").locator("video")
    video.evaluate("video => { video.muted = true; return video.play(); }")
    wait_until(lambda: float(video.evaluate("video => video.currentTime")) > 0.2, what="the video to play", seconds=20)


def test_a_link_that_is_opened_beside_another_takes_over_nothing_of_it(
    visit: Visit, throw: Throw, tmp_path: Path
) -> None:
    wedding, birthday = throw("Our wedding"), throw("A birthday")
    visitor = visit(None, size="phone")
    visitor.expect_complaint("401")
    page = come(visitor, wedding.link("view", "upload"))
    files = pictures(tmp_path, 3)
    held: list[Route] = []
    page.route("**/api/uploads", lambda asked: held.append(asked))
    add_photos(page, *files)
    wait_until(lambda: page.evaluate("1") == 1 and len(held) == 3, what="the photos to ask for their places")
    beside = visitor.context.new_page()
    beside.goto(f"{visitor.site.url}/g#{birthday.link('view', 'upload')['secret']}")
    expect(beside.get_by_role("heading", name="A birthday")).to_be_visible()

    for asked in held:
        asked.continue_()
    page.unroute("**/api/uploads")
    expect(page.get_by_role("heading", name="You left this album")).to_be_visible()
    assert barriers_in(visitor) == []
    page.get_by_role("button", name="Open the album").click()
    expect(uploads(page)).to_contain_text("3 photos added")
    wait_until(lambda: len(wedding.photos()) == 3, what="the album to list what has come")
    assert birthday.photos() == []


def test_a_failed_request_of_the_guest_page_is_repeated(visit: Visit, throw: Throw, tmp_path: Path) -> None:
    party = throw()
    party.add(*pictures(tmp_path, 2))
    visitor = visit(None, size="phone")
    visitor.expect_complaint("ERR_FAILED")
    page = visitor.page
    again = page.get_by_role("button", name="Try again")
    words = re.compile(r"/assets/(en|de|fr|es)-[^/]+\.js$")
    page.route(words, lambda asked: asked.abort())
    come(visitor, party.link("view"))
    expect(page.get_by_role("heading", name="The album could not be opened")).to_be_visible()
    assert visitor.barriers() == []
    page.unroute(words)
    page.route("**/api/albums/*/photos?*", lambda asked: asked.abort())
    again.click()
    expect(page.get_by_role("heading", name="Our wedding")).to_be_visible()
    expect(again).to_be_visible()
    assert tiles(page).count() == 0
    assert barriers_in(visitor) == []
    page.unroute("**/api/albums/*/photos?*")
    again.click()
    expect(tiles(page)).to_have_count(2)
    expect(again).to_have_count(0)


def test_the_question_about_a_photo_that_goes_meanwhile_goes_with_it(
    visit: Visit, throw: Throw, tmp_path: Path
) -> None:
    party = throw()
    page = come(visit(None, size="phone"), party.link("view", "upload"))
    add_photos(page, *pictures(tmp_path, 2))
    expect(uploads(page)).to_contain_text("2 photos added")
    expect(tiles(page)).to_have_count(2)
    asked = tiles(page).first.get_attribute("data-photo")
    tiles(page).first.get_by_role("button").click()
    page.get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog", name="Delete this photo?")
    expect(question).to_be_visible()
    party.site.ask(party.host, "DELETE", f"/api/photos/{asked}")
    expect(question).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_accessible_name("Photo 1 of 1")
    (other,) = party.photos()
    assert other["imageId"] != asked

"""Search by chips and words, and downloads of results, selections and albums."""

import base64
import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from playwright.sync_api import Download, Locator, Page, Route, expect

from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn
from tests.browser.site import Account, Site
from tests.servers.process import wait_until

ALSO_ON_A_PHONE: Final = pytest.mark.parametrize("size", ["desktop", pytest.param("phone", marks=pytest.mark.long)])
NAME: Final = "Zoë <i>Kaur</i>"
TAG: Final = "sea <b>side</b>"
A_FACE: Final = {"Left": 0.3, "Top": 0.3, "Width": 0.2, "Height": 0.3}
HUGE: Final = 10**9

Given = Callable[..., list[str]]

PICKER: Final = """() => {
  window.showSaveFilePicker = async ({ suggestedName }) => {
    window.suggestedName = suggestedName;
    return (await navigator.storage.getDirectory()).getFileHandle('saved.zip', { create: true });
  };
}"""
SAVED: Final = """async () => {
  const handle = await (await navigator.storage.getDirectory()).getFileHandle('saved.zip');
  const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
}"""


@pytest.fixture
def given(site: Site, tmp_path: Path) -> Given:
    """`given(ann, "a", "b")`: the ids of photos of theirs alone, called so, each a month older than the one before."""

    def upload(account: Account, *titles: str) -> list[str]:
        files = [
            drawn(tmp_path, f"{title}.jpg", taken=datetime(2025, 9 - at, 14, 15, tzinfo=UTC), size=(360, 240))
            for at, title in enumerate(titles)
        ]
        ids = site.upload(account, *files, visibility="private")
        site.settle(account, ids)
        return ids

    return upload


def tag(site: Site, account: Account, *ids: str) -> None:
    site.ask(account, "POST", "/api/photos/change", json={"ids": list(ids), "addTags": [TAG]})


def meet(site: Site, account: Account, first: str, *others: str) -> None:
    """Gives a name to the person in these photos."""
    path = "/api/photos/{}/faces"
    named = {"bbox": A_FACE, "displayName": NAME, "sameName": True}
    person = site.ask(account, "POST", path.format(first), json=named).json()["decisions"][0]["personId"]
    for image_id in others:
        site.ask(account, "POST", path.format(image_id), json={"bbox": A_FACE, "personId": person})


def until_found(site: Site, account: Account, query: dict[str, Any], count: int) -> None:
    def is_found() -> bool:
        return len(site.ask(account, "GET", "/api/search", params=query).json()["images"]) == count

    wait_until(is_found, what=f"a search for {query} to find {count}")


def box(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Search photos")


def shown(page: Page) -> list[str | None]:
    return [each.get_attribute("data-photo") for each in page.locator("[data-photo]").all()]


def pick_both(page: Page) -> None:
    for month in ("September", "August"):
        page.get_by_role("button", name=f"Select all {month} 2025").click()


def files_in(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return sorted(archive.namelist())


def downloaded(page: Page) -> tuple[str, list[str]]:
    """The file that the browser saves after the dialog's button: its name, and the files in it."""
    with page.expect_download() as waiting:
        page.get_by_role("dialog").get_by_role("button", name="Download").click()
    saved: Download = waiting.value
    return saved.suggested_filename, files_in(Path(saved.path()).read_bytes())


@ALSO_ON_A_PHONE
def test_photos_are_found_by_person_tag_and_words_and_the_address_keeps_them(
    visit: Visit, site: Site, given: Given, size: str
) -> None:
    ann = site.join()
    beach, sunset, forest = given(ann, "beach", "sunset", "forest")
    tag(site, ann, beach, forest)
    meet(site, ann, beach, sunset)
    until_found(site, ann, {"q": "zoe"}, 2)
    visitor = visit(ann, size=size)
    page = visitor.go("/")
    page.locator("[data-photo]").first.wait_for()
    page.keyboard.press("/")
    expect(box(page)).to_be_focused()
    expect(page.get_by_role("button", name=TAG)).to_be_visible()
    assert barriers_in(visitor, "light") == []

    page.keyboard.type("zo")
    expect(page.get_by_role("option", name=NAME)).to_be_visible()
    assert barriers_in(visitor, "dark") == []
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name=NAME)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Without {NAME}")).to_be_visible()
    expect(page.locator("[data-photo]")).to_have_count(2)
    expect(page.get_by_role("heading", name="September 2025")).to_be_visible()

    page.keyboard.type("beach sea")
    page.get_by_role("option", name=TAG).click()
    expect(box(page)).to_have_value("beach ")
    expect(page.locator("[data-photo]")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?q=beach&person=person\d+&tag=sea"))
    assert barriers_in(visitor) == []

    page.reload()
    expect(page.get_by_role("button", name=f"Without {NAME}")).to_be_visible()
    expect(page.locator("[data-photo]")).to_have_count(1)
    page.locator(f'[data-photo="{beach}"] .open').click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("button", name=f"Without {TAG}")).to_have_count(0)

    page.goto(f"{site.url}/search?tag={TAG}")
    expect(page.locator("[data-photo]")).to_have_count(2)
    tag(site, ann, sunset)
    expect(page.locator("[data-photo]")).to_have_count(3)
    assert shown(page) == [beach, sunset, forest]
    box(page).press("Backspace")
    expect(page.get_by_role("heading", name="People")).to_be_visible()


def test_a_search_that_finds_nothing_says_what_to_leave_out(visit: Visit, site: Site, given: Given) -> None:
    ann = site.join()
    [beach] = given(ann, "beach")
    tag(site, ann, beach)
    until_found(site, ann, {"tag": TAG}, 1)
    visitor = visit(ann)
    page = visitor.go("/search")
    box(page).fill("2019")
    page.get_by_role("option", name="2019").click()
    box(page).fill("beach")
    expect(page.get_by_text("There are results if you leave something out")).to_be_visible()
    assert barriers_in(visitor, "dark") == []
    expect(page.get_by_role("button", name="Without “beach”")).to_have_count(0)
    page.locator("main").get_by_role("button", name="Without 2019").last.click()
    expect(page.locator(f'[data-photo="{beach}"]')).to_be_visible()
    page.get_by_role("button", name="Best match").click()
    expect(page).to_have_url(re.compile("sort=relevance"))
    expect(page.locator(f'[data-photo="{beach}"]')).to_be_visible()
    visitor.expect_complaint("404")
    visitor.go("/search?album=of-nobody")
    expect(page.get_by_text("does not exist, or you may not see it")).to_be_visible()


@ALSO_ON_A_PHONE
def test_what_is_found_picked_or_in_an_album_is_downloaded(visit: Visit, site: Site, given: Given, size: str) -> None:
    ann = site.join()
    beach, sunset, _ = given(ann, "beach", "sunset", "forest")
    tag(site, ann, beach, sunset)
    until_found(site, ann, {"tag": TAG}, 2)
    visitor = visit(ann, size=size)
    page = visitor.go(f"/search?tag={TAG}")
    page.get_by_role("button", name="Download").click()
    expect(page.get_by_role("dialog")).to_contain_text(re.compile(r"2 photos, [\d.]+ kB, as one zip file"))
    assert barriers_in(visitor) == []
    assert downloaded(page) == ("Photos.zip", ["beach.jpg", "sunset.jpg"])
    expect(page.get_by_text("Your browser downloads 2 photos")).to_be_visible()

    pick_both(page)
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Download").click()
    page.get_by_role("radio", name="Large").check()
    assert downloaded(page)[1] == ["beach.webp", "sunset.webp"]

    album = site.ask(ann, "POST", "/api/albums", json={"title": "Summer ☀"}).json()["albumId"]
    site.ask(ann, "PUT", f"/api/albums/{album}/photos", json={"ids": [sunset]})
    visitor.go(f"/albums/{album}")
    page.locator("main header").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Download").click()
    expect(page.get_by_role("radio", name="Large")).to_be_checked()
    assert downloaded(page) == ("Summer ☀.zip", ["sunset.webp"])


def test_a_large_download_is_written_by_the_page_and_goes_on_after_a_break(
    visit: Visit, site: Site, given: Given
) -> None:
    ann = site.join()
    given(ann, "beach", "sunset")
    visitor = visit(ann)
    visitor.context.add_init_script(f"({PICKER})()")
    until_found(site, ann, {"uploader": ann.email}, 2)
    page = visitor.go(f"/search?uploader={quote(ann.email)}")
    breaks = iter([True, True])

    def call_huge(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "bytes": HUGE})

    page.route("**/api/archives", call_huge)
    page.route("**/api/archives/*", lambda route: route.abort() if next(breaks, False) else route.continue_())
    visitor.expect_complaint("ERR_FAILED")
    pick_both(page)
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Download").click()
    page.get_by_role("dialog").get_by_role("button", name="Download").click()
    panel = page.get_by_role("region", name="Downloads")
    expect(panel).to_contain_text("Weak connection: it continues automatically")
    panel.get_by_role("button", name="Pause the download").click()
    expect(panel).to_contain_text("Paused")
    assert barriers_in(visitor, "dark") == []
    page.get_by_role("link", name="Members").first.click()
    panel.get_by_role("button", name="Resume the download").click()
    expect(panel).to_contain_text("Saved")
    assert page.evaluate("window.suggestedName") == "Photos.zip"
    assert files_in(base64.b64decode(page.evaluate(SAVED))) == ["beach.jpg", "sunset.jpg"]
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)


@pytest.mark.parametrize(("language", "label"), [("de-DE", "Fotos suchen"), ("fr-FR", "Rechercher des photos")])
@pytest.mark.long
def test_the_search_speaks_the_readers_language(visit: Visit, site: Site, language: str, label: str) -> None:
    page = visit(site.join(), locale=language).go("/search")
    expect(page.get_by_role("combobox", name=label)).to_be_focused()

"""Lists of photos: the feed, members, favourites, the trash."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.pictures import drawn
from tests.browser.site import Account, Site

TAKEN = datetime(2025, 6, 14, 15, 0, tzinfo=UTC)
XSS = "<img src=x onerror=alert(1)>"


def uploaded(site: Site, account: Account, folder: Path, *names: str) -> list[str]:
    ids = site.upload(account, *(drawn(folder, f"{name}.jpg", taken=TAKEN) for name in names))
    site.settle(account, ids)
    return ids


def tile(page: Page, image_id: str) -> str:
    return f'[data-photo="{image_id}"]'


def test_the_feed_shows_who_uploaded_and_fills_by_itself(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann, bob = site.join("Ann"), site.join(XSS[:20])
    first = uploaded(site, ann, tmp_path, "one", "two")
    visitor = visit(ann)
    page = visitor.go("/feed")
    for image_id in first:
        expect(page.locator(tile(page, image_id))).to_be_visible()
    [second] = uploaded(site, bob, tmp_path, "three")
    expect(page.locator(tile(page, second))).to_be_visible()
    expect(page.get_by_role("link", name=XSS[:20]).first).to_be_visible()
    assert visitor.barriers() == []


def test_the_page_of_a_member_shows_the_photos_that_they_share(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann, bob = site.join("Ann"), site.join("Bobby")
    [shared] = uploaded(site, bob, tmp_path, "shared")
    visitor = visit(ann)
    page = visitor.go("/members")
    page.locator(f'a[href*="{bob.email.split("@")[0]}"]').click()
    expect(page.get_by_role("heading", name="Bobby", level=1)).to_be_visible()
    expect(page.locator(tile(page, shared))).to_be_visible()
    assert visitor.barriers() == []


def test_the_page_of_an_unknown_member_says_so(visit: Visit, site: Site) -> None:
    visitor = visit(site.join())
    visitor.expect_complaint("404")
    page = visitor.go("/members/nobody@example.com")
    expect(page.get_by_role("heading", name="There is nothing at this address.")).to_be_attached()
    assert visitor.barriers() == []


@pytest.mark.parametrize("size", ["desktop", pytest.param("phone", marks=pytest.mark.long)])
def test_photos_in_the_trash_are_restored_or_deleted(visit: Visit, site: Site, tmp_path: Path, size: str) -> None:
    ann = site.join()
    kept, gone = uploaded(site, ann, tmp_path, "kept", "gone")
    site.ask(ann, "POST", "/api/photos/trash", json={"ids": [kept, gone]})
    visitor = visit(ann, size=size)
    page = visitor.go("/trash")
    page.locator(tile(page, kept)).get_by_role("button").first.click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("1 photo is back")).to_be_visible()
    expect(page.locator(tile(page, kept))).to_have_count(0)
    page.get_by_role("button", name="Empty the trash").click()
    assert visitor.barriers() == []
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("The trash is empty.")).to_be_visible()
    assert site.photo(ann, kept)["imageId"] == kept
    assert [image["imageId"] for image in site.ask(ann, "GET", "/api/me/photos").json()["images"]] == [kept]


def test_favorites_are_listed(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join()
    visitor = visit(ann, color_scheme="dark")
    page = visitor.go("/favorites")
    expect(page.get_by_text("Mark a photo with the heart")).to_be_visible()
    assert visitor.barriers() == []
    [marked] = uploaded(site, ann, tmp_path, "marked")
    site.ask(ann, "PUT", f"/api/photos/{marked}/favorite")
    page = visitor.go("/favorites")
    expect(page.locator(tile(page, marked))).to_be_visible()
    assert visitor.barriers() == []

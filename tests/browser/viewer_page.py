"""The viewer as browser tests see it: the open photo, and photos to open."""

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

from tests.browser.pictures import drawn
from tests.browser.site import Account, Site


def some_drawn(
    site: Site, account: Account, folder: Path, count: int = 3, *, visibility: str = "private", **more: str
) -> list[str]:
    """Photos, the newest first, as lists have them. Other tests look at what all members see: these are not there."""
    files = [drawn(folder, f"hill{n}.jpg", taken=datetime(2024, 5, 1 + n, 12, 30, tzinfo=UTC)) for n in range(count)]
    ids = site.upload(account, *files, visibility=visibility, **more)
    site.settle(account, ids)
    return ids[::-1]


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


def middle(page: Page) -> tuple[float, float]:
    box = opened(page).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

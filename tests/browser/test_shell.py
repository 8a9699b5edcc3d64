"""The shell around every page."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.pictures import drawn
from tests.browser.site import Site
from tests.servers.process import wait_until

TAKEN = datetime(2025, 6, 14, 15, 0, tzinfo=UTC)


def test_a_visitor_without_a_session_is_led_to_sign_in(visit: Visit) -> None:
    visitor = visit(None)
    visitor.expect_complaint("401")
    page = visitor.go("/people")
    page.wait_for_url(re.compile(r"/(setup|signin\?next=%2Fpeople)$"))


def test_the_shell_leads_from_page_to_page_without_a_reload(visit: Visit, site: Site) -> None:
    visitor = visit(site.join())
    page = visitor.go()
    page.evaluate("window.stays = true")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="People").click()
    page.wait_for_url("**/people")
    expect(page.get_by_role("heading", name="People", level=1)).to_be_visible()
    assert page.evaluate("window.stays")


@pytest.mark.parametrize("path", ["/", "/?scope=community", "/people"])
def test_a_preloaded_response_is_requested_once(visit: Visit, site: Site, tmp_path: Path, path: str) -> None:
    ann = site.join()
    site.settle(ann, site.upload(ann, drawn(tmp_path, "one.jpg", taken=TAKEN)))
    visitor = visit(ann)
    asked: Counter[str] = Counter()
    visitor.page.on("request", lambda request: asked.update([request.url.removeprefix(site.url)]))
    with visitor.page.expect_response(f"{site.url}{path}") as page:
        visitor.go(path)
    visitor.page.wait_for_load_state("networkidle")
    told = re.findall(r"<(/api/[^>]+)>", page.value.headers["link"])
    assert len(told) == 3
    paths = {urlsplit(each).path for each in told}
    alike = {each: times for each, times in asked.items() if urlsplit(each).path in paths and "few=true" not in each}
    assert alike == dict.fromkeys(told, 1)


def test_all_tabs_of_a_browser_share_one_stream_of_events(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join()
    visitor = visit(ann)
    streams: list[str] = []
    visitor.context.on("request", lambda request: streams.append(request.url) if "/api/events" in request.url else None)
    first = visitor.go("/feed")
    wait_until(lambda: first.evaluate("true") and bool(streams), what="the first tab to listen")
    second = visitor.open()
    second.goto(f"{site.url}/feed")
    expect(second.get_by_role("heading", name="Feed", level=1)).to_be_visible()
    [shown] = site.upload(ann, drawn(tmp_path, "both.jpg", taken=TAKEN))
    for page in (first, second):
        expect(page.locator(f'[data-photo="{shown}"]')).to_be_visible()
    assert len(streams) == 1
    first.close()
    [after] = site.upload(ann, drawn(tmp_path, "one.jpg", taken=TAKEN))
    expect(second.locator(f'[data-photo="{after}"]')).to_be_visible()
    assert len(streams) == 2


def test_an_offline_visitor_reads_so(visit: Visit, site: Site) -> None:
    visitor = visit(site.join())
    page = visitor.go()
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()
    visitor.expect_complaint("ERR_INTERNET_DISCONNECTED")
    visitor.context.set_offline(True)
    expect(page.get_by_text("You are offline.")).to_be_visible()
    visitor.context.set_offline(False)
    expect(page.get_by_text("You are offline.")).to_be_hidden()


def test_the_keys_are_shown_by_a_key(visit: Visit, site: Site) -> None:
    visitor = visit(site.join())
    page = visitor.go()
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Upload photos")
    assert visitor.barriers() == []
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.wait_for_url("**/people")


def test_a_page_that_is_read_from_right_to_left_does_not_break(visit: Visit, site: Site) -> None:
    visitor = visit(site.join(), size="phone")
    page = visitor.go("/profile")
    expect(page.get_by_role("heading", name="Profile", level=1)).to_be_visible()
    page.evaluate("document.documentElement.dir = 'rtl'")
    wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= window
    assert visitor.barriers() == []

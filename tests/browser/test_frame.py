"""What stands around every page."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.site import Site


def test_a_stranger_is_shown_the_way_in(visit: Visit) -> None:
    visitor = visit(None)
    visitor.expect_complaint("401")
    page = visitor.go("/people")
    page.wait_for_url(re.compile(r"/(setup|signin\?next=%2Fpeople)$"))


def test_the_frame_leads_from_page_to_page_without_loading_anew(visit: Visit, site: Site) -> None:
    visitor = visit(site.join())
    page = visitor.go()
    page.evaluate("window.stays = true")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="People").click()
    page.wait_for_url("**/people")
    expect(page.get_by_role("heading", name="People", level=1)).to_be_visible()
    assert page.evaluate("window.stays")

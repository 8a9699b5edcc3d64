"""A visitor with a browser context of their own, and the complaints of their pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.browser.site import COOKIE, Account, Site

SIZES: Final[dict[str, dict[str, Any]]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
}
PATIENCE: Final = 20_000  # milliseconds that a page may take for anything: the machine may be busy
WCAG: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

AT_REST: Final = """() => document.getAnimations().every((each) => {
  const isEndless = each.effect?.getComputedTiming().iterations === Infinity;
  return isEndless || each.playState !== 'running';
})"""


class Visitor:
    """`expect_complaint` names what a page may say on its console; anything else fails the test."""

    def __init__(self, site: Site, context: BrowserContext) -> None:
        self.site = site
        self.context = context
        self.complaints: list[str] = []
        self._expected: list[str] = []
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.complaints.append(f"{error.error}"))
        self.page = self.open()

    def open(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        return page

    def go(self, path: str = "/") -> Page:
        self.page.goto(f"{self.site.url}{path}")
        return self.page

    def expect_complaint(self, text: str) -> None:
        self._expected.append(text)

    def unexpected(self) -> list[str]:
        return [each for each in self.complaints if not any(text in each for text in self._expected)]

    def barriers(self) -> list[str]:
        """Findings of axe on the page once nothing moves: rules, with the elements that break them."""
        self.page.wait_for_function(AT_REST)
        found = Axe().run(self.page, options={"runOnly": WCAG}).response["violations"]
        return [f"{each['id']}: {[node['html'][:200] for node in each['nodes']]}" for each in found]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")


@contextmanager
def visiting(
    browser: Browser, site: Site, account: Account | None, *, size: str = "desktop", **options: Any
) -> Iterator[Visitor]:
    """With an account, the visitor is signed in. The context takes `options` as playwright does."""
    context = browser.new_context(**{"locale": "en-GB", **SIZES[size], **options})
    if account is not None:
        context.add_cookies([{"name": COOKIE, "value": account.session, "url": site.url}])
    visitor = Visitor(site, context)
    try:
        yield visitor
        complaints = visitor.unexpected()
        assert complaints == [], f"the console says: {complaints}"
    finally:
        context.close()

"""The web app in Chromium, against a real server with 100,000 and 1,000,000 photos: medians of five runs."""

import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, CDPSession, Page, expect, sync_playwright

from benchmarks.frame import Figure, run
from benchmarks.library import MONTHS
from benchmarks.lighthouse import Scores, scores_of
from benchmarks.web_library import seed_web_library
from sparks.api.web import APP
from sparks.auth.sessions import open_session
from sparks.library.accounts.lifecycle import create_user
from sparks.model import times
from sparks.model.account import User
from sparks.model.share import LinkPermission
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.browser.conftest import FLAGS, find_chromium
from tests.browser.site import COOKIE, SPAN, Account, Site, serving
from tests.browser.visitor import Visitor, visiting

RUNS: Final = 5
MANY: Final = 100_000
MOST: Final = 1_000_000
FRAMES: Final = 900  # in which all of it is scrolled through
OWNER: Final = "ann@example.org"
IN_ALBUM: Final = 300  # photos

# Whether every picture in the window is loaded: these are what the user waits for.
SHOWN: Final = """() => {
  const images = [...document.querySelectorAll('[data-photo] img:not(.hash)')].filter((image) => {
    const { top, bottom } = image.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  return images.length > 0 && images.every((image) => image.complete && image.naturalWidth > 0);
}"""
FIRST_ROW: Final = """() => {
  const tiles = [...document.querySelectorAll('[data-photo]')];
  const top = Math.min(...tiles.map((tile) => tile.getBoundingClientRect().top));
  const row = tiles.filter((tile) => tile.getBoundingClientRect().top === top);
  const isLoaded = (image) => image.complete && image.naturalWidth > 0;
  const isShown = (tile) => [...tile.querySelectorAll('img:not(.hash)')].some(isLoaded);
  return row.length > 0 && row.every(isShown) && performance.now();
}"""
SCROLL: Final = """(frames) => new Promise((finished) => {
  const step = (document.documentElement.scrollHeight - innerHeight) / frames;
  const taken = [];
  let nodes = 0;
  let before = performance.now();
  const next = () => {
    const now = performance.now();
    taken.push(now - before);
    before = now;
    nodes = Math.max(nodes, document.getElementsByTagName('*').length);
    if (taken.length >= frames) return finished({ taken, nodes });
    scrollBy(0, step);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""
AT_THE_END: Final = """() => {
  const { ariaValueNow, ariaValueMax } = document.querySelector('[role=slider]');
  return ariaValueNow === ariaValueMax;
}"""
SINCE: Final = "() => addEventListener('keydown', () => (window.began = performance.now()), { capture: true })"


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name, opened() as browser:
        with library(Path(name) / "many", MANY) as (site, account):
            looks = [look(browser, site, account) for _ in range(RUNS)]
            scores = {each.name: lit(site, each) for each in pages(site, account)}
        with library(Path(name) / "most", MOST) as (site, account):
            opening = statistics.median(first_row(browser, site, account) for _ in range(RUNS))
            scrolling = scroll_some(browser, site, account)
    return [*weights(looks), *speeds(looks), *million(opening, scrolling), *lighthouse(scores)]


@contextmanager
def opened() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        flags = [*FLAGS, "--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def library(folder: Path, count: int) -> Iterator[tuple[Site, Account]]:
    """A server with so many photos of one account, who is signed in."""
    data = folder / "data"
    data.mkdir(parents=True)
    settings = load_settings({"data": data}, {})
    with open_stores(settings) as stores:
        user = User(email=OWNER, username="Ann", created_at=times.now())
        create_user(user, photos=count, bytes=10**12, table=stores.table)
        seed_web_library(stores, settings.database, owner=OWNER, count=count)
        session = open_session(user, span=SPAN, at=times.now(), table=stores.table).text
    with serving(folder) as site:
        yield site, Account(user, session)


# -- Pages that Lighthouse looks at


@dataclass(frozen=True, slots=True)
class LitPage:
    """`cookie` tells who looks; None is a stranger."""

    name: str
    path: str
    cookie: str | None = None


def pages(site: Site, account: Account) -> list[LitPage]:
    """The last two are of one album: as a member sees it, and as a guest does who came by a link."""
    member = f"{COOKIE}={account.session}"
    album = site.ask(account, "POST", "/api/albums", json={"title": "Our wedding"}).json()["albumId"]
    month = site.ask(account, "GET", f"/api/timeline/{MONTHS[-1]}?scope=mine").json()
    ids = month["ids"][:IN_ALBUM]
    site.ask(account, "PUT", f"/api/albums/{album}/photos", json={"ids": ids})
    wish = {"allow": [allowed.value for allowed in LinkPermission]}
    secret = site.ask(account, "POST", f"/api/albums/{album}/links", json=wish).json()["secret"]
    opened_link = httpx.post(f"{site.url}/api/links/open", json={"secret": secret}, headers={"X-Sparks-CSRF": "1"})
    guest = "; ".join(f"{name}={value}" for name, value in opened_link.raise_for_status().cookies.items())
    return [
        LitPage("sign-in", "/signin"),
        LitPage("timeline", "/", member),
        LitPage("people", "/people", member),
        LitPage("album", f"/albums/{album}", member),
        LitPage("guest", "/g", guest),
    ]


# -- One visit


@dataclass(frozen=True, slots=True)
class Seen:
    js_kb: float
    css_kb: float
    first_row_ms: float
    frame_p95_ms: float
    nodes: int
    heap_mb: float
    jump_ms: float
    step_ms: float


def look(browser: Browser, site: Site, account: Account) -> Seen:
    with visiting(browser, site, account) as visitor:
        asked: list[str] = []
        visitor.page.on("request", lambda request: asked.append(request.url.removeprefix(site.url)))
        began = arrive(visitor)
        visitor.page.wait_for_load_state("networkidle")
        files = list(asked)
        jump = jumped(visitor.page)
        step = stepped(visitor.page)
        scrolled = visitor.page.evaluate(SCROLL, FRAMES)
        heap = heap_of(visitor.context.new_cdp_session(visitor.page))
    return Seen(
        js_kb=compressed(files, ".js"),
        css_kb=compressed(files, ".css"),
        first_row_ms=began,
        frame_p95_ms=statistics.quantiles(scrolled["taken"][1:], n=20)[18],
        nodes=scrolled["nodes"],
        heap_mb=heap,
        jump_ms=jump,
        step_ms=step,
    )


def arrive(visitor: Visitor) -> float:
    """Milliseconds from the click on the link until the first row of pictures is there."""
    page = visitor.go()
    return float(page.wait_for_function(FIRST_ROW).json_value())


def jumped(page: Page) -> float:
    """To the oldest month, by the scrubber: until all pictures in the window are there."""
    page.evaluate(SINCE)
    page.get_by_role("slider").press("End")
    page.wait_for_function(AT_THE_END)
    page.wait_for_function(SHOWN)
    return float(page.evaluate("performance.now() - window.began"))


def stepped(page: Page) -> float:
    """From one open photo to the next, which is loaded already: until it is on the screen."""
    page.locator("[data-photo] button").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.wait_for_load_state("networkidle")
    before = page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url != before)
    page.wait_for_function(LARGE_SHOWN)
    taken = float(page.evaluate("performance.now() - window.began"))
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    return taken


LARGE_SHOWN: Final = """() => {
  const id = new URLSearchParams(location.search).get('photo');
  return [...document.querySelectorAll('[role=dialog] img')].some((image) => {
    const { left, right } = image.getBoundingClientRect();
    const isLarge = image.src.includes(`/media/${id}/large`);
    return isLarge && image.complete && image.naturalWidth && left < innerWidth && right > 0;
  });
}"""


def heap_of(cdp: CDPSession) -> float:
    cdp.send("HeapProfiler.collectGarbage")
    cdp.send("Performance.enable")
    metrics: list[dict[str, Any]] = cdp.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize")) / 1e6


def compressed(asked: list[str], ending: str) -> float:
    """Kilobytes of these files, by gzip."""
    names = {path.lstrip("/") for path in asked if path.endswith(ending)}
    return sum((APP / f"{name}.gz").stat().st_size for name in names) / 1000


def first_row(browser: Browser, site: Site, account: Account) -> float:
    with visiting(browser, site, account) as visitor:
        return arrive(visitor)


def scroll_some(browser: Browser, site: Site, account: Account) -> float:
    with visiting(browser, site, account) as visitor:
        arrive(visitor)
        taken: list[float] = visitor.page.evaluate(SCROLL, FRAMES)["taken"]
    return statistics.quantiles(taken[1:], n=20)[18]


# -- Figures


def middle(looks: list[Seen], of: Callable[[Seen], float]) -> float:
    return statistics.median(map(of, looks))


def weights(looks: list[Seen]) -> list[Figure]:
    guests = compressed([f"assets/{path.name}" for path in APP.glob("assets/guest-*.js")], ".js")
    return [
        Figure("js_kb", middle(looks, lambda seen: seen.js_kb), "scripts of the timeline, gzip, kB", "<= 60"),
        Figure("css_kb", middle(looks, lambda seen: seen.css_kb), "its styles, gzip, kB", "<= 15"),
        Figure("guest_js_kb", guests, "script of the guests' page, without its words, gzip, kB", "<= 40"),
    ]


def speeds(looks: list[Seen]) -> list[Figure]:
    return [
        Figure("first_row_ms", middle(looks, lambda seen: seen.first_row_ms), "100,000 photos: first row", "< 1000"),
        Figure("frame_p95_ms", middle(looks, lambda seen: seen.frame_p95_ms), "a frame while scrolling, p95", "< 34"),
        Figure("dom_nodes", max(seen.nodes for seen in looks), "elements in the page at the most", "<= 600"),
        Figure("heap_mb", middle(looks, lambda seen: seen.heap_mb), "heap after all of it, MB", "< 60"),
        Figure("jump_ms", middle(looks, lambda seen: seen.jump_ms), "to the oldest month, with pictures", "< 300"),
        Figure("step_ms", middle(looks, lambda seen: seen.step_ms), "to the next photo in the viewer", "< 150"),
    ]


def million(opening: float, scrolling: float) -> list[Figure]:
    return [
        Figure("first_row_1m_ms", opening, "1,000,000 photos: first row", "< 2000"),
        Figure("frame_1m_p95_ms", scrolling, "a frame while scrolling, p95"),
    ]


def lit(site: Site, page: LitPage) -> list[Scores]:
    return [scores_of(site.url + page.path, cookie=page.cookie) for _ in range(RUNS)]


def lighthouse(scores: dict[str, list[Scores]]) -> list[Figure]:
    """The lowest of the pages, each by its median."""
    speed = {name: statistics.median(each.performance for each in runs) for name, runs in scores.items()}
    pages_seen = ", ".join(f"{name} {score:.0f}" for name, score in speed.items())
    accessibility = min(each.accessibility for runs in scores.values() for each in runs)
    practices = min(each.best_practices for runs in scores.values() for each in runs)
    return [
        Figure("lighthouse_min", min(speed.values()), f"lowest of {pages_seen}", ">= 95"),
        Figure("lighthouse_accessibility_min", accessibility, "lowest of them", "100"),
        Figure("lighthouse_practices_min", practices, "lowest of them", "100"),
    ]


if __name__ == "__main__":
    run("web", measure)

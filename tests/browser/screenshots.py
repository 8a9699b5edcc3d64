"""Pictures of every page, in both sizes and themes: `python -m tests.browser.screenshots FOLDER [NAME ..]`.

What is on them may be shown anywhere: landscapes are drawn, portraits (where the test data is there) are public domain.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Final

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import FLAGS, find_chromium
from tests.browser.pictures import SHARED, drawn
from tests.browser.site import Account, Site, serving
from tests.browser.visitor import visiting

SHAPES: Final = ((1200, 800), (800, 1200), (1000, 1000), (1600, 900), (1200, 800), (900, 1200))
NEWEST: Final = datetime(2026, 9, 20, 17, 30, tzinfo=UTC)
PHOTOS: Final = 64
PEOPLE: Final = 9
NAMES: Final = ("Ada", "Ben", "Clara", "David", "Elif")
THEMES: Final = ("light", "dark")
SIZES: Final = ("desktop", "phone")
SETUP: Final = "setup"

PICTURES_SHOWN: Final = """() => [...document.images].every((image) => {
  const { top, bottom } = image.getBoundingClientRect();
  return image.complete || bottom < 0 || top > innerHeight;
})"""

Look = Callable[[Page], None]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, help="where they go")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which pages (default: all of {', '.join(PAGES)})")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, opened_browser() as browser, serving(Path(place)) as site:
        names = arguments.names or list(PAGES)
        if SETUP in names:  # which is not shown once there is an account
            take(browser, site, SETUP, None, {"setup": setup_token(site)}, arguments.folder)
        album = Album(site, Path(place))
        for name in names:
            account = None if name in DOORS else album.ann
            if name != SETUP:
                take(browser, site, name, account, album.known, arguments.folder)


def setup_token(site: Site) -> str:
    return (site.running.data / "setup-link").read_text().strip().partition("#")[2]


class Album:
    """A site with photos of two years, and people in them."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site = site
        self.ann = site.join("Ann Winter", admin=True)
        self.bob = site.join("Bob Sommer")
        self.portraits = self._share_portraits()
        self.photos = self._share(self.ann, folder, PHOTOS, NEWEST)
        self._share(self.bob, folder, 9, NEWEST - timedelta(days=40))
        for image_id in self.photos[2:9:3]:
            site.ask(self.ann, "PUT", f"/api/photos/{image_id}/favorite")
        site.ask(self.ann, "POST", "/api/photos/trash", json={"ids": self.photos[-4:]})
        self.persons = self._name_people()
        self.shared = self._share_albums()
        self.secret = self._invite_guests(folder)
        self.invitation: str = site.ask(self.ann, "POST", "/api/invitations", json={}).json()["invitation"]

    @property
    def known(self) -> dict[str, str]:
        """Ids that addresses name."""
        return {
            "album": self.shared,
            "photo": self.photos[0],
            "person": (self.persons or [""])[0],
            "member": self.bob.email,
            "secret": self.secret,
            "invitation": self.invitation,
        }

    def _share(self, account: Account, folder: Path, count: int, newest: datetime) -> list[str]:
        times = [newest - timedelta(days=6 * number + number % 3, hours=5 * (number % 4)) for number in range(count)]
        files = [
            drawn(folder, f"{account.user.username[:3]}-{number}.jpg", taken=taken, size=SHAPES[number % len(SHAPES)])
            for number, taken in enumerate(times)
        ]
        ids = self.site.upload(account, *files)
        self.site.settle(account, ids)
        return ids

    def _share_portraits(self) -> list[str]:
        folders = sorted((SHARED / "faces" / "congress").glob("*"))[:PEOPLE]
        files = [file for folder in folders for file in sorted(folder.iterdir())]
        ids = self.site.upload(self.ann, *files, takenAt="2026-03-14T12:00:00Z")
        self.site.settle(self.ann, ids, faces=True)
        if ids:
            self.site.group_people(self.ann)
        return ids

    def _name_people(self) -> list[str]:
        found = self.site.ask(self.ann, "GET", "/api/persons?few=true").json()["persons"]
        for person, name in zip(found, NAMES, strict=False):
            self.site.ask(self.ann, "PATCH", f"/api/persons/{person['personId']}", json={"displayName": name})
        return [person["personId"] for person in found]

    def _share_albums(self) -> str:
        """Some own albums, and one of another user; the id of the largest one."""
        self._share_album(self.bob, "Sailing", [], viewer=self.ann)
        self._share_album(self.ann, "Nothing yet", [])
        self._share_album(self.ann, "The garden", self.photos[20:27])
        shared = self._share_album(self.ann, "Summer at the lake", self.photos[:24] + self.portraits, editor=self.bob)
        about = {"description": "Two weeks, four tents, one canoe."}
        self.site.ask(self.ann, "PATCH", f"/api/albums/{shared}", json=about)
        said = f"/api/albums/{shared}/photos/{self.photos[0]}"
        for account, text in ((self.bob, "This light! Where was it?"), (self.ann, "Behind the old mill.")):
            self.site.ask(account, "PUT", f"{said}/like")
            self.site.ask(account, "POST", f"{said}/comments", json={"text": text})
        return shared

    def _invite_guests(self, folder: Path) -> str:
        """Two of them have brought photos, which wait; the secret of the link that they came by."""
        wish = {"allow": ["view", "upload", "find", "download"], "moderated": True, "askName": True}
        secret: str = self.site.ask(self.ann, "POST", f"/api/albums/{self.shared}/links", json=wish).json()["secret"]
        for number, name in enumerate(("Eve", "Onkel Jürgen")):
            opened = httpx.post(f"{self.site.url}/api/links/open", json={"secret": secret, "name": name})
            token = opened.raise_for_status().json()["token"]
            for seed in range(2):
                file = drawn(folder, f"guest-{number}-{seed}.jpg", taken=NEWEST, seed=100 + 2 * number + seed)
                httpx.post(
                    f"{self.site.url}/api/photos?filename={file.name}",
                    content=file.read_bytes(),
                    headers={"Authorization": f"Bearer {token}"},
                ).raise_for_status()
        return secret

    def _share_album(self, account: Account, title: str, photos: list[str], **members: Account) -> str:
        album: str = self.site.ask(account, "POST", "/api/albums", json={"title": title}).json()["albumId"]
        if photos:
            self.site.ask(account, "PUT", f"/api/albums/{album}/photos", json={"ids": photos})
        for role, member in members.items():
            self.site.ask(account, "PUT", f"/api/albums/{album}/members/{member.email}", json={"role": role})
        return album


@contextmanager
def opened_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def take(browser: Browser, site: Site, name: str, account: Account | None, known: dict[str, str], folder: Path) -> None:
    address, look = PAGES[name]
    for theme, size in product(THEMES, SIZES):
        options = {"size": size, "color_scheme": theme, "reduced_motion": "reduce"}
        with visiting(browser, site, account, **options) as visitor:
            visitor.expect_complaint("401")
            visitor.context.add_init_script("localStorage.setItem('sparks.font', '1')")  # as one who was here before
            page = visitor.go(address.format(**known))
            look(page)
            page.wait_for_load_state("load")
            page.wait_for_function(PICTURES_SHOWN)
            page.wait_for_function("document.fonts.status === 'loaded'")
            path = folder / f"{name}-{size}-{theme}.png"
            page.screenshot(path=path)
            print(path, flush=True)  # noqa: T201


def headed(page: Page) -> None:
    expect(page.get_by_role("heading").first).to_be_attached()


def with_photos(page: Page) -> None:
    expect(page.locator("[data-photo] img").first).to_be_visible()


def viewed(page: Page) -> None:
    expect(page.get_by_role("dialog").locator("img").first).to_be_visible()


def spoken_of(page: Page) -> None:
    viewed(page)
    page.get_by_role("button", name="Write a comment").locator("visible=true").click()
    expect(page.get_by_text("Behind the old mill.")).to_be_visible()


def with_members(page: Page) -> None:
    with_photos(page)
    page.get_by_role("button", name="2 members").click()
    expect(page.get_by_role("dialog").get_by_text("Bob Sommer")).to_be_visible()


def with_links(page: Page) -> None:
    with_photos(page)
    page.get_by_role("button", name="Share by link").first.click()
    expect(page.get_by_role("dialog").get_by_text("2 guests")).to_be_visible()


def with_new_link(page: Page) -> None:
    with_links(page)
    page.get_by_role("button", name="New link").click()
    expect(page.get_by_role("dialog").get_by_role("radio").first).to_be_visible()


def with_cards(page: Page) -> None:
    with_new_link(page)
    page.get_by_role("button", name="Make the link").click()
    page.get_by_role("link", name="Print table cards").click()
    expect(page.get_by_role("list", name="Table cards").get_by_role("img").first).to_be_visible()


def taking_home(page: Page) -> None:
    with_photos(page)
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Download").click()
    expect(page.get_by_role("dialog").get_by_text("as one zip file")).to_be_visible()


def came_in(page: Page) -> None:
    page.get_by_label("Your name").fill("Aunt Maud")
    page.get_by_role("button", name="Open the album").click()
    expect(page.get_by_role("button", name="Add photos")).to_be_visible()


DOORS: Final = frozenset({"signin", "register", "guest-door", "guest"})
PAGES: Final[dict[str, tuple[str, Look]]] = {
    SETUP: ("/setup#{setup}", headed),
    "signin": ("/signin", headed),
    "register": ("/register#{invitation}", headed),
    "timeline": ("/", with_photos),
    "feed": ("/feed", with_photos),
    "viewer": ("/?photo={photo}", viewed),
    "albums": ("/albums", headed),
    "album": ("/albums/{album}", with_photos),
    "album-members": ("/albums/{album}", with_members),
    "album-comments": (
        "/albums/{album}/comments",
        lambda page: expect(page.get_by_text("Behind the old mill.")).to_be_visible(),
    ),
    "album-viewer": ("/albums/{album}?photo={photo}", spoken_of),
    "album-links": ("/albums/{album}", with_links),
    "album-new-link": ("/albums/{album}", with_new_link),
    "album-download": ("/albums/{album}", taking_home),
    "cards": ("/albums/{album}", with_cards),
    "album-waiting": ("/albums/{album}/waiting", with_photos),
    "wall": ("/albums/{album}/wall", lambda page: expect(page.locator("img").first).to_be_visible()),
    "guest-door": ("/g#{secret}", lambda page: expect(page.get_by_label("Your name")).to_be_visible()),
    "guest": ("/g#{secret}", came_in),
    "search": ("/search", headed),
    "search-found": ("/search?person={person}", with_photos),
    "search-album": ("/search?album={album}&from=2026-07-01&to=2026-09-30", with_photos),
    "people": ("/people", headed),
    "person": ("/people/{person}", headed),
    "with-me": ("/with-me", headed),
    "members": ("/members", headed),
    "member": ("/members/{member}", with_photos),
    "favourites": ("/favorites", with_photos),
    "trash": ("/trash", with_photos),
    "profile": ("/profile", headed),
    "uploads": ("/profile/uploads", headed),
    "consent": ("/profile/faces", headed),
    "sessions": ("/profile/sessions", headed),
    "keys": ("/profile/keys", headed),
    "admin": ("/admin", headed),
    "admin-invitations": ("/admin/invitations", headed),
    "admin-jobs": ("/admin/jobs", headed),
    "admin-storage": ("/admin/storage", headed),
    "admin-faces": ("/admin/faces", headed),
    "admin-audit": ("/admin/audit", headed),
    "admin-health": ("/admin/health", headed),
    "nowhere": ("/people/none/at/all", headed),
}

if __name__ == "__main__":
    main()

"""Share links for hosts: created, printed, changed and revoked; moderation of uploads; and the wall."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, portraits
from tests.browser.site import Account, Site
from tests.servers.process import wait_until

TAKEN: Final = datetime(2026, 6, 13, 18, 0, tzinfo=UTC)
ALSO_ON_A_PHONE: Final = pytest.mark.parametrize("size", ["desktop", pytest.param("phone", marks=pytest.mark.long)])
TITLE: Final = "Mia & Jon"
SOMEBODY: Final = "C001103"
MODERATED: Final = {"allow": ["upload", "view"], "moderated": True, "askName": True}


class Guest:
    """A guest with a phone, who opened a link."""

    def __init__(self, site: Site, secret: str, folder: Path, *, name: str, password: str | None = None) -> None:
        wish = {"secret": secret, "name": name} | ({} if password is None else {"password": password})
        opened = httpx.post(f"{site.url}/api/links/open", json=wish, timeout=60)
        assert opened.status_code == 200, opened.text
        self._site, self._folder, self._name = site, folder, name
        self._headers = {"Authorization": f"Bearer {opened.json()['token']}"}

    def upload(self, name: str) -> str:
        file = drawn(self._folder, f"{self._name}-{name}.jpg", taken=TAKEN, size=(600, 400))
        answer = httpx.post(
            f"{self._site.url}/api/photos",
            params={"filename": file.name},
            content=file.read_bytes(),
            headers=self._headers,
            timeout=60,
        )
        assert answer.status_code < 400, answer.text
        image_id: str = answer.json()["imageId"]
        return image_id


Invited = Callable[..., Guest]


@pytest.fixture
def invited(site: Site, tmp_path: Path) -> Invited:
    """`invited(secret, name="Mia")`: a guest who came by the link."""

    def come(secret: str, *, name: str = "Mia", password: str | None = None) -> Guest:
        return Guest(site, secret, tmp_path, name=name, password=password)

    return come


def an_album(site: Site, owner: Account, **members: Account) -> str:
    album: str = site.ask(owner, "POST", "/api/albums", json={"title": TITLE}).json()["albumId"]
    for role, member in members.items():
        site.ask(owner, "PUT", f"/api/albums/{album}/members/{member.email}", json={"role": role})
    return album


def a_link(site: Site, owner: Account, album: str, **wish: Any) -> str:
    """The secret of a new one."""
    secret: str = site.ask(owner, "POST", f"/api/albums/{album}/links", json=wish).json()["secret"]
    return secret


def links_of(site: Site, owner: Account, album: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.ask(owner, "GET", f"/api/albums/{album}/links").json()["links"]
    return found


def photos_of(site: Site, owner: Account, album: str) -> list[str]:
    told = site.ask(owner, "GET", f"/api/albums/{album}/photos").json()
    return [each["imageId"] for each in told["images"]]


def on_wall(page: Page) -> Locator:
    """The newest photos, beside the large one."""
    return page.get_by_role("list", name="The newest photos").get_by_role("img", name="Photo of Mia")


def card_of(page: Page, image_id: str) -> Locator:
    """A photo that waits, with what can be done with it."""
    return page.locator("li").filter(has=page.locator(f'[data-photo="{image_id}"]'))


@ALSO_ON_A_PHONE
def test_a_link_is_made_printed_used_changed_and_revoked(visit: Visit, site: Site, invited: Invited, size: str) -> None:
    ann = site.join()
    album = an_album(site, ann)
    visitor = visit(ann, size=size)
    page = visitor.go(f"/albums/{album}")
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name="Share by link").click()
    expect(dialog).to_contain_text("A link lets people in as guests")
    assert barriers_in(visitor, "light") == []
    dialog.get_by_role("button", name="New link").click()
    expect(dialog.get_by_role("radio", name="Guests add photos and find themselves")).to_be_checked()
    expect(dialog.get_by_role("radio", name="Photos of certain people")).to_have_count(0)
    dialog.get_by_text("More options").click()
    dialog.get_by_role("switch", name="Ask for a password").click()
    dialog.get_by_label("Password", exact=True).fill("abc")
    dialog.get_by_role("button", name="Make the link").click()
    expect(dialog.get_by_role("alert")).to_have_text("The password needs at least 4 characters.")
    assert barriers_in(visitor) == []
    dialog.get_by_label("Password", exact=True).fill("apple pie")
    dialog.get_by_label("Photos in all").fill("40")
    dialog.get_by_role("button", name="Make the link").click()

    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    address = dialog.locator("code").inner_text()
    assert address.startswith(f"{site.url}/g#")
    assert barriers_in(visitor) == []
    with page.expect_download() as saved:
        dialog.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == f"{TITLE}.svg"

    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.url} {request.post_data or ''}"))
    dialog.get_by_role("link", name="Print table cards").click()
    cards = page.get_by_role("list", name="Table cards").get_by_role("listitem")
    expect(cards.first).to_contain_text(TITLE)
    expect(cards.first).to_contain_text("Password: apple pie")
    assert barriers_in(visitor) == []
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(cards.nth(7)).to_be_visible()
    page.emulate_media(media="screen")
    page.reload()
    expect(cards.first).to_contain_text(TITLE)
    secret = address.partition("#")[2]
    assert not [each for each in [*asked, page.url] if secret in each]

    mia = invited(secret, password="apple pie")
    mia.upload("cake")
    page.get_by_role("link", name="Back to the album").click()
    page.get_by_role("button", name="Share by link").click()
    expect(dialog.get_by_role("listitem")).to_contain_text("1 guest · 1 photo")
    expect(dialog.get_by_role("listitem")).to_contain_text("Room for 39 photos")
    dialog.get_by_role("button", name="Edit").click()
    dialog.get_by_text("More options").click()
    dialog.get_by_role("switch", name="Approve photos first").click()
    dialog.get_by_label("Ends").fill("2031-01-31T12:00")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("listitem")).to_contain_text("You approve photos")
    expect(dialog.get_by_role("listitem")).to_contain_text("Ends 31 Jan 2031")
    assert barriers_in(visitor, "dark") == []
    [link] = links_of(site, ann, album)
    assert (link["hasPassword"], link["moderated"], link["caps"]) == (True, True, {"photos": 40})

    dialog.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("dialog").last).to_contain_text("1 guest loses access at once")
    page.get_by_role("dialog").last.get_by_role("button", name="Revoke").click()
    expect(dialog).to_have_count(1)
    expect(dialog).to_contain_text("A link lets people in as guests")
    assert links_of(site, ann, album) == []


@ALSO_ON_A_PHONE
def test_approved_photos_appear_on_the_wall(visit: Visit, site: Site, invited: Invited, size: str) -> None:
    ann, vic = site.join("Ann"), site.join("Vic")
    album = an_album(site, ann, viewer=vic)
    mia = invited(a_link(site, ann, album, **MODERATED))
    host, screen = visit(ann, size=size), visit(vic)
    page, wall = host.go(f"/albums/{album}"), screen.go(f"/albums/{album}/wall")
    expect(wall.get_by_text("The first photos will appear here.")).to_be_visible()
    page.get_by_role("link", name="Waiting").click()
    expect(page.get_by_text("No photos wait.")).to_be_visible()

    cake, dance, kiss = (mia.upload(name) for name in ("cake", "dance", "kiss"))
    site.settle(ann, [cake, dance, kiss])
    expect(page.get_by_role("link", name="Waiting · 3")).to_be_visible()
    expect(card_of(page, cake)).to_contain_text("Mia")
    assert barriers_in(host) == []
    card_of(page, cake).get_by_role("button", name="Approve the photo of Mia").click()
    expect(card_of(page, cake)).to_have_count(0)
    expect(wall.locator("figure").get_by_role("img", name="Photo of Mia")).to_be_visible()
    card_of(page, dance).get_by_role("button", name="Reject the photo of Mia").click()
    expect(page.get_by_text("1 photo rejected: it is in your trash")).to_be_visible()
    wait_until(lambda: "trashedAt" in site.photo(ann, dance), what="the photo to be in the trash")
    assert photos_of(site, ann, album) == [cake]

    page.get_by_role("button", name="Approve instead").click()
    wait_until(lambda: set(photos_of(site, ann, album)) == {cake, dance}, what="the photo to be in the album")
    card_of(page, kiss).get_by_role("button", name="Photo", exact=False).first.click()
    page.get_by_role("dialog", name="Photo viewer").get_by_role("button", name="Approve").click()
    expect(page.get_by_text("No photos wait.")).to_be_visible()
    expect(on_wall(wall)).to_have_count(3)
    assert barriers_in(screen) == []

    site.ask(ann, "POST", "/api/photos/trash", json={"ids": [cake, kiss]})
    expect(wall.locator("figure")).to_have_count(1)
    expect(wall.get_by_role("list", name="The newest photos")).to_be_hidden()


def test_many_uploads_are_moderated_with_the_keyboard(visit: Visit, site: Site, invited: Invited) -> None:
    ann = site.join()
    album = an_album(site, ann)
    mia = invited(a_link(site, ann, album, **MODERATED))
    ids = [mia.upload(str(number)) for number in range(4)]
    site.settle(ann, ids)
    page = visit(ann).go(f"/albums/{album}/waiting")
    expect(page.locator("[data-photo]")).to_have_count(4)
    page.keyboard.press("a")
    expect(page.get_by_text("4 selected")).to_be_visible()
    card_of(page, ids[0]).get_by_role("checkbox").click()
    page.keyboard.press("y")
    expect(page.locator("[data-photo]")).to_have_count(1)
    wait_until(lambda: set(photos_of(site, ann, album)) == set(ids[1:]), what="three photos to be approved")
    card_of(page, ids[0]).get_by_role("checkbox").click()
    page.keyboard.press("x")
    expect(page.get_by_text("No photos wait.")).to_be_visible()
    wait_until(lambda: "trashedAt" in site.photo(ann, ids[0]), what="one to be rejected")


def test_a_wall_shows_a_code_of_its_own_and_goes_on_without_a_network(
    visit: Visit, site: Site, invited: Invited
) -> None:
    ann = site.join()
    album = an_album(site, ann)
    mia = invited(a_link(site, ann, album, allow=["upload"], askName=True))
    site.settle(ann, [mia.upload("cake"), mia.upload("dance")])
    visitor = visit(ann)
    page = visitor.go(f"/albums/{album}/wall")
    expect(on_wall(page)).to_have_count(2)
    page.get_by_role("button", name="Show a QR code here").click()
    assert barriers_in(visitor) == []
    page.get_by_role("dialog").get_by_role("button", name="Guests only add photos").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    assert barriers_in(visitor) == []
    page.reload()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    tools = page.get_by_role("group", name="Wall controls")
    expect(tools).to_have_css("opacity", "0")
    page.mouse.move(300, 300)
    expect(tools).to_have_css("opacity", "1")

    visitor.expect_complaint("ERR_INTERNET_DISCONNECTED")
    visitor.context.set_offline(True)
    kiss = mia.upload("kiss")
    site.settle(ann, [kiss])
    expect(on_wall(page)).to_have_count(2)
    visitor.context.set_offline(False)
    expect(page.get_by_role("list", name="The newest photos").locator(f'[data-photo="{kiss}"]')).to_be_visible()

    [own] = [each for each in links_of(site, ann, album) if each["guests"] == 0]
    site.ask(ann, "DELETE", f"/api/albums/{album}/links/{own['linkId']}")
    expect(page.get_by_role("img", name="QR code")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Share by link")).to_be_visible()


def test_only_the_owner_sees_links_and_the_moderation_queue(visit: Visit, site: Site, invited: Invited) -> None:
    ann, eve = site.join("Ann"), site.join("Eve")
    album = an_album(site, ann, editor=eve)
    site.settle(ann, [invited(a_link(site, ann, album, **MODERATED)).upload("cake")])
    page = visit(eve).go(f"/albums/{album}/waiting")
    expect(page.get_by_text("There are no photos yet.")).to_be_visible()
    expect(page.get_by_role("link", name="Comments")).to_be_visible()
    expect(page.get_by_role("link", name="Waiting")).to_have_count(0)
    expect(page.get_by_role("button", name="Share by link")).to_have_count(0)
    page.locator("main header").get_by_role("button", name="More").click()
    expect(page.get_by_role("menuitem", name="Share by link")).to_have_count(0)
    page.get_by_role("menuitem", name="Show the wall").click()
    expect(page.get_by_text("The first photos will appear here.")).to_be_visible()
    expect(page.get_by_role("button", name="Show a QR code here")).to_have_count(0)


@pytest.mark.long
def test_a_link_leads_to_the_photos_of_a_person(visit: Visit, site: Site) -> None:
    ann, chief = site.join(), site.join("Carol", admin=True)
    faces = site.upload(ann, *portraits(SOMEBODY)[:2], visibility="private")
    site.settle(ann, faces, faces=True)
    site.group_people(chief)
    album = an_album(site, ann)
    site.ask(ann, "PUT", f"/api/albums/{album}/photos", json={"ids": faces})
    visitor = visit(ann)
    page = visitor.go(f"/albums/{album}")
    expect(page.get_by_role("list", name="People in this album")).to_be_visible()
    page.get_by_role("button", name="Share by link").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="New link").click()
    dialog.get_by_role("radio", name="Photos of certain people").check()
    dialog.get_by_role("button", name="Make the link").click()
    expect(dialog.get_by_role("alert")).to_have_text("Choose the people whose photos the link shows.")
    dialog.get_by_role("group", name="Who is in the photos").get_by_role("button").first.click()
    assert barriers_in(visitor) == []
    dialog.get_by_role("button", name="Make the link").click()
    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    [link] = links_of(site, ann, album)
    assert len(link["persons"]) == 1

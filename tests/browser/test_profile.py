"""One's own profile: name and picture, credentials, and consent about one's face."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, portraits
from tests.browser.site import PASSWORD, Account, Site
from tests.browser.visitor import PATIENCE
from tests.factories import NOON
from tests.servers.process import wait_until

SOMEBODY = "P000609"
PARTS = ("", "/sessions", "/keys", "/faces")


def show_picture(page: Page, path: str) -> None:
    page.locator("input[type=file][accept^=image]").set_input_files(path)
    page.get_by_role("button", name="Use this picture").click()


def test_a_name_and_a_picture_are_changed_for_all_to_see(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann = site.join("Ann")
    visitor = visit(ann)
    page = visitor.go("/profile")
    page.get_by_label("Name").fill("Ann <i>Other</i>")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You are Ann <i>Other</i> now.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Name")).to_have_value("Ann")
    picture = drawn(tmp_path, "me.jpg", taken=NOON)
    page.locator("input[type=file][accept^=image]").set_input_files(picture)
    canvas = page.get_by_label("Drag the picture, or use the arrow keys.")
    before = canvas.evaluate("each => each.toDataURL()")
    canvas.press("ArrowRight")
    page.get_by_role("slider", name="Zoom").fill("2")
    assert canvas.evaluate("each => each.toDataURL()") != before
    assert barriers_in(visitor) == []
    page.get_by_role("button", name="Use this picture").click()
    expect(page.get_by_text("It matches no person in the photos yet")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("header img")).to_be_visible()
    page.get_by_role("button", name="Remove it").click()
    expect(page.locator("header img")).to_have_count(0)


def test_a_key_is_shown_once_works_and_is_revoked(visit: Visit, site: Site) -> None:
    visitor = visit(site.join("Ann"))
    page = visitor.go("/profile/keys")
    page.get_by_role("button", name="New key").click()
    page.get_by_role("textbox", name="Name").fill("Backup")
    page.get_by_role("checkbox", name="Add photos").uncheck()
    page.get_by_label("Expires").select_option("never")
    assert barriers_in(visitor) == []
    page.get_by_role("button", name="Make the key").click()
    card = page.get_by_role("region", name="Copy the key")
    key = card.locator("code").inner_text()
    expect(page.get_by_role("row", name="Backup")).to_contain_text("read")
    asked = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{site.url}/api/me/limit", headers=asked).status_code == 200
    page.reload()
    expect(page.get_by_role("row", name="Backup")).to_contain_text("in the last minutes")
    expect(card).to_have_count(0)
    page.get_by_role("button", name="Revoke: Backup").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("You have no keys yet.")).to_be_visible()
    assert httpx.get(f"{site.url}/api/me/limit", headers=asked).status_code == 401


def test_a_session_that_was_ended_elsewhere_is_over(visit: Visit, site: Site) -> None:
    ann = site.join("Ann")
    elsewhere = visit(None)
    elsewhere.expect_complaint("401")
    other = elsewhere.go("/signin")
    other.get_by_label("E-mail address").fill(ann.email)
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_role("button", name="Sign in", exact=True).click()
    expect(other.get_by_role("button", name="Upload")).to_be_visible()
    page = visit(ann).go("/profile/sessions")
    page.get_by_role("button", name="Sign out: Chrome on Linux").click()
    expect(page.get_by_text("Chrome on Linux is signed out.")).to_be_visible()
    other.get_by_role("button", name="Your account").click()
    other.get_by_role("menuitem", name="Profile").click()
    other.wait_for_url("**/signin?next=%2Fprofile")


def test_a_new_password_ends_all_other_sessions(visit: Visit, site: Site) -> None:
    ann = site.join("Ann")
    visitor = visit(ann)
    visitor.expect_complaint("403")
    page = visitor.go("/profile/sessions")
    page.get_by_label("Old password").fill("not this one")
    page.get_by_label("New password").fill("a much better password")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_role("alert")).to_contain_text("old password is wrong")
    page.get_by_label("Old password").fill(PASSWORD)
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_text("The password is changed")).to_be_visible()
    gone = httpx.get(f"{site.url}/api/me/limit", headers={"Cookie": f"sparks_session={ann.session}"})
    assert gone.status_code == 401
    expect(page.get_by_text("this browser")).to_be_visible()


@pytest.fixture
def known(site: Site) -> Account:
    """A user whose face is on three photos, and whose person has a picture."""
    ann = site.join("Ann")
    ids = site.upload(ann, *portraits(SOMEBODY)[:3])
    site.settle(ann, ids, faces=True)
    wait_until(lambda: has_picture_of_person(site, ann, ids[0]), what="a person with a picture")
    return ann


def has_picture_of_person(site: Site, user: Account, image_id: str) -> bool:
    persons = site.ask(user, "GET", f"/api/photos/{image_id}").json()["persons"]
    return bool(persons) and "s3Key" in site.ask(user, "GET", f"/api/persons/{persons[0]}").json()


def test_ones_own_face_is_recognized_and_erased_with_a_receipt(visit: Visit, site: Site, known: Account) -> None:
    visitor = visit(known)
    page = visitor.go("/profile")
    show_picture(page, str(portraits(SOMEBODY)[0]))
    expect(page.get_by_text("Sparks knows you now")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="Faces").click()
    page.get_by_role("button", name="Forget my face…").click()
    expect(page.get_by_text("This cannot be undone.")).to_be_visible()
    assert barriers_in(visitor) == []
    page.get_by_role("dialog").get_by_role("button", name="Forget my face").click()
    receipt = page.get_by_role("region", name="Receipt")
    row = receipt.get_by_role("row").filter(has_text="Pictures of faces")
    expect(row.get_by_role("cell")).to_have_text(["4", "0"], timeout=PATIENCE)
    expect(receipt).to_contain_text("The photos themselves stay")
    assert barriers_in(visitor) == []
    page.reload()
    expect(receipt).to_contain_text("Your face is erased")
    expect(page.get_by_text("Must not be recognised")).to_be_visible()
    page.get_by_role("button", name="Be recognised again").click()
    expect(page.get_by_text("May be recognised again")).to_be_visible()
    expect(page.get_by_text("Sparks does not know which person you are")).to_be_visible()


def test_faces_in_ones_photos_are_switched_off_and_on(visit: Visit, site: Site) -> None:
    visitor = visit(site.join("Ann"))
    page = visitor.go("/profile/faces")
    switch = page.get_by_role("switch", name="Find faces in my photos")
    expect(switch).to_be_checked()
    switch.click()
    page.get_by_role("dialog").get_by_role("button", name="Switch off").click()
    expect(switch).not_to_be_checked()
    expect(page.get_by_role("region", name="Receipt")).to_be_visible()
    expect(page.get_by_text("No faces may be looked for")).to_be_visible()
    switch.click()
    expect(switch).to_be_checked()


def test_a_profile_fits_a_phone_and_has_no_barriers(visit: Visit, site: Site) -> None:
    visitor = visit(site.join("Ann"), size="phone")
    for part in PARTS:
        page = visitor.go(f"/profile{part}")
        page.get_by_role("heading", level=2).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), part
        assert barriers_in(visitor, "dark") == [], part


@pytest.mark.long
@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_a_profile_speaks_every_language(visit: Visit, site: Site, language: str) -> None:
    visitor = visit(site.join("Ann"), size="phone", locale=language)
    for part in PARTS:
        page = visitor.go(f"/profile{part}")
        page.get_by_role("heading", level=2).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), part
        assert barriers_in(visitor) == [], part

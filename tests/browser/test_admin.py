"""Administration: accounts, invitations, jobs, faces and the audit log."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sparks.jobs.port import Job, Jobs
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn, portraits
from tests.browser.site import PASSWORD, Account, Site, serving
from tests.browser.visitor import PATIENCE, visiting
from tests.cli.processes import READY, start
from tests.factories import NOON
from tests.servers.process import wait_until

PARTS = ("users", "invitations", "jobs", "storage", "faces", "audit", "health")


@contextmanager
def without_workers(folder: Path) -> Iterator[Site]:
    """Its jobs stay where they are."""
    with start(folder / "data", "serve", "--port", "0", "--workers", "0") as running:
        wait_until(lambda: READY in running.out, what="sparks serve to be ready")
        with open_stores(load_settings({"data": running.data, "public_url": running.url}, {})) as stores:
            yield Site(running, stores)


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Of one's own: what is switched here is switched for all."""
    with serving(tmp_path_factory.mktemp("own_site")) as opened:
        yield opened


@pytest.fixture
def root(own_site: Site) -> Account:
    return own_site.join("Root", admin=True)


def fail_for_good(jobs: Jobs, *failing: Job) -> None:
    """Makes these jobs dead letters; other jobs of the server are finished."""
    for job in failing:
        jobs.send(job)
    while len(jobs.dead()) < len(failing):
        for delivery in jobs.receive(most=1, wait=0):
            if delivery.job in failing:
                jobs.retry_later(delivery, delay=0, reason="the bridge is <down>")
            else:
                jobs.done(delivery)


def turn_to(page: Page, part: str) -> None:
    page.get_by_role("navigation", name="Administration").get_by_role("link", name=part).click()


def dialog_button(page: Page, name: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()


def test_a_user_is_invited_given_a_higher_limit_and_removed_with_their_photos(
    browser: Browser, own_site: Site, root: Account, tmp_path: Path
) -> None:
    with visiting(browser, own_site, root) as visitor, visiting(browser, own_site, None) as newcomer:
        newcomer.expect_complaint("401")
        page = visitor.go("/admin")
        page.get_by_role("button", name="Invite someone").click()
        page.get_by_role("button", name="Invite someone").click()
        page.get_by_label("For whom").fill("Mia <b>M</b>")
        page.get_by_label("Photos to upload").fill("3")
        assert barriers_in(visitor) == []
        dialog_button(page, "Make the link")
        card = page.get_by_role("region", name="Send this link to Mia <b>M</b>")
        door = newcomer.page
        door.goto(card.locator("code").inner_text())
        door.get_by_label("E-mail address").fill("mia@example.com")
        door.get_by_label("Name").fill("Mia")
        door.get_by_label("Password", exact=True).fill(PASSWORD)
        door.get_by_role("button", name="Make my account").click()
        expect(door.get_by_text("3 photos left")).to_be_visible()

        turn_to(page, "Users")
        page.get_by_role("button", name="Change: mia@example.com").click()
        page.get_by_label("Photos left to upload").fill("7")
        assert barriers_in(visitor) == []
        dialog_button(page, "Save")
        expect(page.get_by_text("mia@example.com is changed.")).to_be_visible()
        picture = drawn(tmp_path, "mia.jpg", taken=NOON).read_bytes()
        sent = {"X-Sparks-CSRF": "1"}
        assert door.request.post(f"{own_site.url}/api/photos?filename=a.jpg", data=picture, headers=sent).status == 201
        assert door.request.get(f"{own_site.url}/api/me/limit").json()["limit"] == 6

        page.get_by_role("button", name="Change: mia@example.com").click()
        dialog_button(page, "Remove")
        expect(page.get_by_role("dialog")).to_contain_text("1 photo, all albums and all links")
        expect(page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True)).to_be_disabled()
        page.get_by_label("Type mia@example.com to confirm").fill("Mia@example.com")
        assert barriers_in(visitor) == []
        visitor.expect_complaint("404")
        dialog_button(page, "Remove")
        expect(page.get_by_text("mia@example.com is removed.")).to_be_visible(timeout=PATIENCE)
        expect(page.get_by_role("row", name="Mia")).to_have_count(0)

        turn_to(page, "Audit trail")
        trail = page.get_by_role("listitem")
        for told in (
            "removed the account mia@example.com",
            "changed what mia@example.com may still upload: 7 photos",
            "made the account mia@example.com (member)",
            "made an invitation (member, one person)",
        ):
            expect(trail.filter(has_text=told)).to_be_visible()
        page.get_by_role("button", name="Month before").click()
        expect(page.get_by_text("Nothing happened in this month.")).to_be_visible()


def test_an_account_is_added_made_an_administrator_and_given_another_password(
    browser: Browser, own_site: Site, root: Account
) -> None:
    with visiting(browser, own_site, root) as visitor:
        visitor.expect_complaint("409")
        page = visitor.go("/admin/users")
        page.get_by_role("button", name="Add a user").click()
        page.get_by_label("E-mail address").fill(root.email)
        dialog_button(page, "Add a user")
        expect(page.get_by_role("alert")).to_contain_text("account with this e-mail address already")
        page.get_by_label("E-mail address").fill("bob@example.com")
        assert barriers_in(visitor) == []
        dialog_button(page, "Add a user")
        expect(page.get_by_text("bob@example.com has an account now.")).to_be_visible()
        page.get_by_role("button", name="Change: bob@example.com").click()
        page.get_by_label("Role").select_option("administrator")
        page.get_by_label("New password, if it was forgotten").fill("a much better password")
        dialog_button(page, "Save")
        expect(page.get_by_role("row", name="bob@example.com")).to_contain_text("administrator")
        new = {"email": "bob@example.com", "password": "a much better password"}
        assert page.request.post(f"{own_site.url}/api/session", data=new, headers={"X-Sparks-CSRF": "1"}).status == 200


def test_a_job_that_failed_is_tried_again_or_dropped_and_faces_are_switched_off(
    browser: Browser, tmp_path: Path
) -> None:
    with without_workers(tmp_path) as site:
        root = site.join("Root", admin=True)
        jobs = site.stores.jobs
        fail_for_good(jobs, Job("make_renditions", {"image_id": "sea", "owner": root.email}), Job("walk", {}))
        with visiting(browser, site, root) as visitor:
            page = visitor.go("/admin/jobs")
            expect(page.get_by_role("row", name="make_renditions")).to_contain_text("the bridge is <down>")
            assert barriers_in(visitor) == []
            page.get_by_role("button", name="Try again: make_renditions").click()
            expect(page.get_by_text("1 job is tried again.")).to_be_visible()
            page.get_by_role("button", name="Drop: walk").click()
            dialog_button(page, "Drop")
            expect(page.get_by_text("No job has failed.")).to_be_visible()
            assert "make_renditions" in [each.job.kind for each in jobs.receive(most=10, wait=0)]

            turn_to(page, "Faces")
            switch = page.get_by_role("switch", name="Find faces in all photos")
            switch.click()
            expect(page.get_by_text("all people with their names")).to_be_visible()
            assert barriers_in(visitor) == []
            dialog_button(page, "Switch off")
            expect(switch).not_to_be_checked()
            expect(page.get_by_role("region", name="Receipt")).to_be_visible()
            expect(page.get_by_text("No faces may be looked for")).to_be_visible()
            switch.click()
            expect(switch).to_be_checked()
            page.get_by_role("button", name="Group all faces again").click()
            expect(page.get_by_text("grouped again in the background").first).to_be_visible()

            turn_to(page, "Audit trail")
            for told in ("tried 1 failed job again", "dropped 1 failed job", "switched faces off for everyone"):
                expect(page.get_by_role("listitem").filter(has_text=told)).to_be_visible()


def test_the_administration_is_for_administrators(visit: Visit, site: Site) -> None:
    visitor = visit(site.join("Ann"))
    page = visitor.go("/admin/audit")
    expect(page.get_by_text("This page is for administrators.")).to_be_visible()
    assert barriers_in(visitor) == []
    expect(page.get_by_role("navigation", name="Administration")).to_have_count(0)


def test_an_administrator_confirms_a_person_claim(browser: Browser, own_site: Site, root: Account) -> None:
    ann = own_site.join("Ann")
    own_site.settle(ann, own_site.upload(ann, *portraits("P000611")[:3]), faces=True)
    wait_until(lambda: own_site.ask(ann, "GET", "/api/persons").json()["persons"], what="a person")
    [person] = own_site.ask(ann, "GET", "/api/persons").json()["persons"]
    claim = {"personId": person["personId"]}
    assert own_site.ask(ann, "PUT", "/api/me/person", json=claim).status_code == 202
    with visiting(browser, own_site, root) as visitor:
        page = visitor.go("/admin")
        card = page.get_by_role("region", name="Ann claims to be this person")
        expect(card.locator("img")).to_be_visible()
        assert barriers_in(visitor) == []
        card.get_by_role("button", name="That is right").click()
        expect(page.get_by_text("Ann is confirmed.")).to_be_visible()
        expect(card).to_have_count(0)
    assert own_site.ask(ann, "GET", "/api/me/profile").json()["personId"] == person["personId"]


@pytest.mark.long
@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_the_administration_has_no_barriers_in_any_language(
    browser: Browser, own_site: Site, root: Account, language: str, size: str
) -> None:
    own_site.ask(root, "POST", "/api/invitations", json={"note": "Grandma"})
    with visiting(browser, own_site, root, size=size, locale=language) as visitor:
        for part in PARTS:
            page = visitor.go(f"/admin/{part}")
            page.get_by_role("heading", level=2).first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), part
            assert barriers_in(visitor) == [], part

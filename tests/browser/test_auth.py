"""The ways in: first run, sign-in, invitations."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sparks.api.accounts.oidc_routes import CODES
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.browser.accessibility import barriers_in
from tests.browser.conftest import Visit
from tests.browser.pictures import drawn
from tests.browser.site import PASSWORD, Site, serving
from tests.browser.visitor import PATIENCE, Visitor, visiting
from tests.cli.processes import start_serve
from tests.factories import NOON

SETUP = "setup-link"
DOORS = {
    "en": ("Sign in", "Join Sparks", "Open your invitation"),
    "de": ("Anmelden", "Komm zu Sparks", "Öffne deine Einladung"),
    "fr": ("Se connecter", "Rejoindre Sparks", "Ouvrez votre invitation"),
    "es": ("Iniciar sesión", "Únete a Sparks", "Abre tu invitación"),
}


@pytest.fixture
def stranger(visit: Visit, site: Site) -> Visitor:
    """At a Sparks that is set up."""
    site.join("Root", admin=True)
    visitor = visit(None)
    visitor.expect_complaint("401")
    return visitor


@contextmanager
def provided(folder: Path) -> Iterator[Site]:
    """With a provider that is away, and open to everyone."""
    provider = {"ISSUER": "http://127.0.0.1:9", "CLIENT_ID": "sparks", "NAME": "Example <ID>"}
    more = {f"SPARKS_OIDC_{name}": value for name, value in provider.items()} | {"SPARKS_REGISTRATION": "open"}
    with (
        start_serve(folder / "data", **more) as running,
        open_stores(load_settings({"data": running.data, "public_url": running.url}, {})) as stores,
    ):
        yield Site(running, stores)


def fill_in(page: Page, email: str, password: str = PASSWORD) -> None:
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password", exact=True).fill(password)


def test_the_operator_gets_from_the_setup_link_to_a_first_photo(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as site, visiting(browser, site, None) as visitor:
        visitor.expect_complaint("401")
        page = visitor.go("/people")
        expect(page.get_by_role("heading", name="Open the setup link")).to_be_visible()
        assert barriers_in(visitor) == []
        link = (site.running.data / SETUP).read_text().strip()
        page.goto(link)
        expect(page.get_by_role("heading", name="Welcome to Sparks")).to_be_visible()
        expect(page).to_have_url(f"{site.url}/setup")
        page.reload()
        fill_in(page, "ann@example.com", "short")
        expect(page.get_by_text("At least 10 characters", exact=True)).to_be_visible()
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        expect(page.get_by_text("Good", exact=True)).to_be_visible()
        assert barriers_in(visitor) == []
        page.get_by_role("button", name="Start with Sparks").click()
        expect(page).to_have_url(f"{site.url}/")
        page.get_by_role("button", name="Add your photos").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose photos").click()
        chooser.value.set_files(drawn(tmp_path, "first.jpg", taken=NOON))
        expect(page.get_by_role("main").locator("img").first).to_be_visible(timeout=PATIENCE)
        page.goto(link)
        expect(page.get_by_role("heading", name="Sparks is set up")).to_be_visible()


def test_a_wrong_password_is_reported_and_the_right_one_leads_to_the_requested_page(
    stranger: Visitor, site: Site
) -> None:
    ann = site.join("Ann")
    page = stranger.go("/profile/keys?x=1")
    page.wait_for_url("**/signin?next=*")
    assert barriers_in(stranger) == []
    fill_in(page, ann.email, "not this one")
    page.get_by_role("button", name="Show the password").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("type", "text")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("password is wrong")
    fill_in(page, ann.email)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    expect(page).to_have_url(f"{site.url}/profile/keys?x=1")


def test_sign_in_leads_to_no_other_site_and_a_signed_in_user_skips_it(visit: Visit, site: Site) -> None:
    visitor = visit(site.join("Ann"))
    expect(visitor.go().get_by_role("button", name="Upload")).to_be_visible()
    page = visitor.go("/signin?next=//evil.example/people")
    expect(page).to_have_url(f"{site.url}/")
    page = visitor.go("/signin?next=/people")
    expect(page).to_have_url(f"{site.url}/people")


def test_the_keyboard_alone_signs_in(stranger: Visitor, site: Site) -> None:
    ann = site.join("Ann")
    page = stranger.go("/signin")
    expect(page.get_by_label("E-mail address")).to_be_focused()
    page.keyboard.type(ann.email)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/")


def test_a_user_who_tries_too_often_reads_how_long_to_wait(stranger: Visitor, site: Site) -> None:
    stranger.expect_complaint("429")
    ann = site.join("Ann")
    page = stranger.go("/signin")
    for _ in range(10):
        wrong = {"email": ann.email, "password": "not this one"}
        page.request.post(f"{site.url}/api/session", data=wrong, headers={"X-Sparks-CSRF": "1"})
    fill_in(page, ann.email)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text(re.compile(r"Wait (\d minutes|\d+ seconds), then try again"))


def test_every_error_of_the_provider_has_a_sentence(stranger: Visitor) -> None:
    page = stranger.go("/signin?error=NO_SUCH_CODE")
    other = page.get_by_role("alert").inner_text()
    told = set()
    for code in CODES.values():
        stranger.go(f"/signin?error={code}")
        told.add(page.get_by_role("alert").inner_text())
    assert other not in told
    assert len(told) == len(CODES)


def test_an_invitation_makes_an_account_once_at_a_phone(visit: Visit, site: Site) -> None:
    carol = site.join("Carol", admin=True)
    made = site.ask(carol, "POST", "/api/invitations", json={"note": "Mia", "limit": 7}).json()
    visitor = visit(None, size="phone")
    visitor.expect_complaint("40")
    page = visitor.go("/register")
    expect(page.get_by_role("heading", name="Open your invitation")).to_be_visible()
    page.goto(made["url"])
    fill_in(page, carol.email)
    expect(page).to_have_url(f"{site.url}/register")
    assert barriers_in(visitor) == []
    page.get_by_role("button", name="Make my account").click()
    expect(page.get_by_role("alert")).to_contain_text("account with this e-mail address already")
    email = f"mia.{made['id'][:8].lower()}@example.com"
    fill_in(page, email)
    page.get_by_label("Name").fill("Mia <b>M</b>")
    page.get_by_role("button", name="Make my account").click()
    expect(page).to_have_url(f"{site.url}/")
    visitor.go("/profile")
    expect(page.get_by_text("Mia <b>M</b>").first).to_be_visible()
    expect(page.get_by_text("7 left")).to_be_visible()
    page.goto(made["url"])
    fill_in(page, f"second.{email}")
    page.get_by_role("button", name="Make my account").click()
    expect(page.get_by_role("alert")).to_contain_text("This invitation was used")


def test_the_language_and_the_theme_can_be_chosen_before_sign_in(stranger: Visitor) -> None:
    page = stranger.go("/signin")
    page.get_by_label("E-mail address").fill("ann@example.com")
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitem", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
    expect(page.get_by_label("E-Mail-Adresse")).to_have_value("ann@example.com")
    page.get_by_role("button", name="Aussehen").click()
    page.get_by_role("menuitem", name="Dunkel").click()
    expect(page.locator(":root[data-theme=dark]")).to_be_attached()
    page.reload()
    expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
    expect(page.locator(":root[data-theme=dark]")).to_be_attached()


def test_a_provider_is_a_button_and_open_registration_needs_no_invitation(browser: Browser, tmp_path: Path) -> None:
    """No server answers at the provider's address; the page says so, too."""
    with provided(tmp_path) as site, visiting(browser, site, None) as visitor:
        site.join("Root", admin=True)
        visitor.expect_complaint("401")
        page = visitor.go("/signin?next=/people")
        button = page.get_by_role("link", name="Sign in with Example <ID>")
        expect(button).to_have_attribute("href", "/api/oidc/login?next=%2Fpeople")
        assert barriers_in(visitor) == []
        button.click()
        expect(page.get_by_role("alert")).to_contain_text("The provider cannot be reached.")
        page.get_by_role("link", name="Make an account").click()
        fill_in(page, "ann@example.com")
        page.get_by_role("button", name="Make my account").click()
        expect(page).to_have_url(f"{site.url}/")
        visitor.go("/signin?error=ALREADY_THERE")
        expect(page).to_have_url(f"{site.url}/profile/sessions?error=ALREADY_THERE")
        expect(page.get_by_role("alert")).to_contain_text("This identity belongs to another account.")
        expect(page.get_by_role("button", name="Link Example <ID>")).to_be_visible()
        assert barriers_in(visitor) == []


@pytest.mark.long
@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("language", DOORS)
def test_the_sign_in_pages_speak_every_language(visit: Visit, site: Site, language: str, size: str) -> None:
    carol = site.join("Carol", admin=True)
    made = site.ask(carol, "POST", "/api/invitations", json={}).json()
    visitor = visit(None, size=size, locale=language)
    visitor.expect_complaint("401")
    sign_in, join, no_invitation = DOORS[language]
    for address, heading in (
        ("/signin", sign_in),
        ("/register", no_invitation),
        (f"/register#{made['invitation']}", join),
    ):
        visitor.go("/")
        page = visitor.go(address)
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert barriers_in(visitor) == []

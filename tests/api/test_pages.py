"""The pages: how they are served, that no code is inside them, and that they fit the API that they call."""

import re
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Final

import pytest

from sparks import __version__
from sparks.api import pages
from sparks.api.oidc import CODES, SIGN_IN_PAGE
from sparks.library.audit import Deed
from sparks.model.credential import KeyScope
from tests.api.client import Client

BROWSER: Final = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
ADDRESSES: Final = ("/", *(f"/{name}" for name in pages.PAGES))
HTML: Final = {path.name: path.read_text() for path in sorted((pages.HERE / "html").iterdir())}
STATIC: Final = {path.name: path.read_text() for path in sorted((pages.HERE / "static").iterdir())}
SCRIPTS: Final = {name: text for name, text in STATIC.items() if name.endswith(".js")}
CODE_FROM_TEXT: Final = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|eval|Function|document\.write)\b")


@dataclass
class Tag:
    name: str
    attributes: dict[str, str | None]
    text: str = ""


class Page(HTMLParser):
    """All tags of a page, each with the text right behind it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[Tag] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(Tag(tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags:
            self.tags[-1].text += data

    def values(self, attribute: str) -> list[str]:
        return [value for tag in self.tags if (value := tag.attributes.get(attribute)) is not None]


PAGES: Final = {name: Page(text) for name, text in HTML.items()}


# -- Serving


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_is_html_that_browsers_ask_for_again(client: Client, address: str) -> None:
    answer = client.get(address, headers=BROWSER)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "<h1" in answer.text or address == "/"


@pytest.mark.parametrize("name", STATIC)
def test_a_static_file_has_its_type(client: Client, name: str) -> None:
    answer = client.get(f"/static/{name}")
    kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == kinds[name.rpartition(".")[2]]
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.text == STATIC[name]


@pytest.mark.parametrize("address", [*ADDRESSES, "/static/sparks.css"])
def test_what_a_browser_has_is_not_sent_again(client: Client, address: str) -> None:
    etag = client.get(address, headers=BROWSER).headers["ETag"]
    again = client.get(address, headers={**BROWSER, "If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert client.get(address, headers={**BROWSER, "If-None-Match": '"another"'}).status_code == 200


def test_no_two_files_have_the_same_etag(client: Client) -> None:
    etags = [client.get(f"/static/{name}").headers["ETag"] for name in STATIC]
    assert len(set(etags)) == len(etags)
    assert all(re.fullmatch('"[0-9a-f]{32}"', etag) for etag in etags)


@pytest.mark.parametrize(
    "name",
    ["nothing.js", "setup.html", "__init__.py", "", "..%2F__init__.py", "%2e%2e/html/setup.html", "../html/setup.html"],
)
def test_no_other_file_can_be_read(client: Client, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert answer.json()["error"] == "NOT_FOUND"


@pytest.mark.parametrize("address", [*ADDRESSES, "/static/sparks.css"])
def test_pages_are_only_read(client: Client, address: str) -> None:
    assert client.request("POST", address).status_code == 405
    assert client.request("HEAD", address, headers=BROWSER).status_code == 200


# -- The front door


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_programs_are_told_where_things_are(client: Client, accept: str) -> None:
    answer = client.get("/", headers={"Accept": accept})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {
        "name": "Sparks",
        "version": __version__,
        "api": "/openapi.json",
        "health": "/healthz",
        "ready": "/readyz",
        "metrics": "/metrics",
    }


@pytest.mark.parametrize("cookie", ["sparks_session", "__Host-sparks"])
def test_a_browser_with_a_session_goes_to_its_account(client: Client, cookie: str) -> None:
    answer = client.get("/", headers={**BROWSER, "Cookie": f"{cookie}=abc"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert answer.headers["Vary"] == "Accept, Cookie"


def test_no_cache_takes_one_front_door_for_another(client: Client) -> None:
    assert client.get("/", headers=BROWSER).headers["Vary"] == "Accept, Cookie"
    assert client.get("/").headers["Vary"] == "Accept, Cookie"


# -- What is inside


@pytest.mark.parametrize("name", HTML)
def test_no_code_or_style_is_inside_a_page(name: str) -> None:
    for tag in PAGES[name].tags:
        assert tag.name != "style"
        assert tag.name != "script" or (tag.attributes.get("src") and not tag.text.strip())
        assert not [attribute for attribute in tag.attributes if attribute.startswith("on") or attribute == "style"]


@pytest.mark.parametrize("name", HTML)
def test_a_page_points_nowhere_but_here(name: str) -> None:
    addresses = [address for attribute in ("src", "href", "action") for address in PAGES[name].values(attribute)]
    assert [address for address in addresses if re.match(r"(/(?!/)|#)", address) is None] == []


@pytest.mark.parametrize("name", HTML)
def test_no_two_elements_of_a_page_have_the_same_id(name: str) -> None:
    assert [each for each, times in Counter(PAGES[name].values("id")).items() if times > 1] == []


@pytest.mark.parametrize("name", HTML)
def test_password_managers_know_each_password(name: str) -> None:
    passwords = [tag.attributes for tag in PAGES[name].tags if tag.attributes.get("type") == "password"]
    assert {each.get("autocomplete") for each in passwords} <= {"current-password", "new-password"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_markup_or_code_from_text(name: str) -> None:
    assert CODE_FROM_TEXT.findall(SCRIPTS[name]) == []


def test_every_file_is_used_and_every_file_that_is_used_is_there() -> None:
    linked = {
        address.removeprefix("/static/")
        for page in PAGES.values()
        for address in (*page.values("src"), *page.values("href"))
        if address.startswith("/static/")
    }
    imported = {name for text in SCRIPTS.values() for name in re.findall(r'from "\./([^"]+)"', text)}
    drawn = set(re.findall(r'url\("([^"]+)"\)', STATIC["sparks.css"]))
    assert linked | imported | drawn == set(STATIC)


def test_what_scripts_look_for_is_in_a_page() -> None:
    wanted = {each for text in SCRIPTS.values() for each in re.findall(r'byId\("([^"]+)"\)', text)}
    assert wanted - {each for page in PAGES.values() for each in page.values("id")} == set()


# -- How they fit the rest


def test_every_call_of_a_script_is_a_route_of_the_api(client: Client) -> None:
    routes = {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path))
        for path, methods in client.get("/openapi.json").json()["paths"].items()
        for method in methods
    }
    text = "\n".join(SCRIPTS.values())
    calls = re.findall(r"""\bcall\("([A-Z]+)", ["`](/api/[^"`?]+)""", text)
    assert len(calls) == len(re.findall(r"\bcall\(", text)) - 1  # but for its definition
    assert {(method, re.sub(r"\$\{.+?\}", "{}", path)) for method, path in calls} - routes == set()


def test_the_button_of_the_provider_leads_to_a_route_of_the_api(client: Client) -> None:
    links = {link.partition("?")[0] for link in PAGES["signin.html"].values("href") if link.startswith("/api/")}
    assert links == {"/api/oidc/login"}
    assert links <= client.get("/openapi.json").json()["paths"].keys()


def test_all_calls_go_through_the_one_that_sends_the_header_against_forgery() -> None:
    assert [name for name, text in SCRIPTS.items() if "fetch(" in text or "XMLHttpRequest" in text] == ["api.js"]
    assert '"X-Sparks-CSRF"' in SCRIPTS["api.js"]


def test_the_sign_in_page_has_a_sentence_for_every_error_of_the_provider() -> None:
    assert f"/{SIGN_IN_PAGE.strip('/')}" in ADDRESSES
    assert [code for code in CODES.values() if f"  {code}: " not in SCRIPTS["signin.js"]] == []


def test_the_audit_trail_has_words_for_every_deed() -> None:
    assert [deed for deed in Deed if f'  "{deed}": ' not in SCRIPTS["audit.js"]] == []


def test_every_scope_of_a_key_can_be_chosen() -> None:
    boxes = [tag.attributes for tag in PAGES["account.html"].tags if tag.attributes.get("name") == "scopes"]
    assert [box["value"] for box in boxes] == [scope.value for scope in KeyScope]

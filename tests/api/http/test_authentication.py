"""Authentication of requests: credentials, the CSRF check, actions and rate limits."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Mount, Route

from sparks.api.http.authentication import FORGED, NO_HEADER, PublicRoute, action_of, refuse_undeclared
from sparks.auth.api_keys import BAD_KEY
from sparks.auth.callers import MAX_TOKEN_LENGTH, UNKNOWN_TOKEN
from sparks.auth.link_sessions import CLOSED
from sparks.auth.sessions import SESSION_OVER
from sparks.model.access import SIGN_IN, Action
from sparks.model.credential import KeyScope
from sparks.model.secret import Secret, new_secret
from sparks.model.share import LinkPermission
from tests.api.client import SITE, Client, refusal
from tests.api.community import CSRF, HERE, Community, Headers, as_bearer, as_cookie
from tests.factories import ANN, BOB

PROFILE = "/api/me/profile"
NEW_NAME = {"username": "Annie"}
UNKNOWN = Secret("unknown", "x" * 43).text

Page = tuple[str | None, str | None]  # its Origin and Sec-Fetch-Site


# -- Credentials


def test_a_caller_without_a_credential_is_asked_to_sign_in(browser: Client) -> None:
    answer = browser.get(PROFILE)
    assert refusal(answer) == (401, "NOT_SIGNED_IN", SIGN_IN)
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Sparks"'


def test_a_session_cookie_identifies_the_caller(community: Community, browser: Client) -> None:
    assert browser.get(PROFILE, headers=community.session_of(community.ann)).json()["email"] == ANN


def test_an_api_key_identifies_the_caller(community: Community, browser: Client) -> None:
    headers = community.key_of(community.ann)
    assert browser.get(PROFILE, headers=headers).json()["email"] == ANN
    lower_case = {"Authorization": headers["Authorization"].replace("Bearer", "bearer")}
    assert browser.get(PROFILE, headers=lower_case).json()["email"] == ANN


def test_a_cookie_that_is_no_session_is_refused(browser: Client) -> None:
    for cookie in ("", "x", UNKNOWN, f"{UNKNOWN}x", "é" * 30):
        answer = browser.get(PROFILE, headers={"Cookie": f"sparks_session={cookie}".encode()})
        assert refusal(answer) == (401, "NOT_SIGNED_IN", SESSION_OVER), cookie


TOKENS = {
    "": SIGN_IN,
    "Basic YW5uOnNlY3JldA==": SIGN_IN,
    "sk_a.b": SIGN_IN,
    "Bearer": UNKNOWN_TOKEN,
    "Bearer ": UNKNOWN_TOKEN,
    "Bearer x": UNKNOWN_TOKEN,
    f"Bearer {UNKNOWN}": UNKNOWN_TOKEN,
    "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.": UNKNOWN_TOKEN,
    f"Bearer sk_{'x' * MAX_TOKEN_LENGTH}": UNKNOWN_TOKEN,
    "Bearer sk_": BAD_KEY,
    "Bearer sk_x.y": BAD_KEY,
    f"Bearer sk_{UNKNOWN}": BAD_KEY,
    "Bearer gt_": CLOSED,
    f"Bearer gt_link_{UNKNOWN}": CLOSED,
    "Bearer gt_#_#": CLOSED,
}


def test_a_bad_token_is_refused(browser: Client) -> None:
    answers = {shown: refusal(browser.get(PROFILE, headers={"Authorization": shown})) for shown in TOKENS}
    assert answers == {shown: (401, "NOT_SIGNED_IN", message) for shown, message in TOKENS.items()}


def test_the_id_of_a_session_with_another_secret_is_refused(community: Community, browser: Client) -> None:
    session = community.session_of(community.ann)["Cookie"].partition("=")[2]
    forged = f"{session.partition('.')[0]}.{new_secret().random}"
    assert browser.get(PROFILE, headers=as_cookie(forged)).status_code == 401


def test_a_session_is_no_bearer_token_and_a_key_no_cookie(community: Community, browser: Client) -> None:
    session = community.session_of(community.ann)["Cookie"].partition("=")[2]
    key = community.key_of(community.ann)["Authorization"].removeprefix("Bearer ")
    assert browser.get(PROFILE, headers=as_bearer(session)).status_code == 401
    assert browser.get(PROFILE, headers=as_cookie(key)).status_code == 401


def test_a_bearer_token_takes_precedence_over_a_cookie(community: Community, browser: Client) -> None:
    cookie, key = community.session_of(community.ann), community.key_of(community.bob)
    assert browser.get(PROFILE, headers=cookie | key).json()["email"] == BOB
    for token in ("sk_x.y", "x", ""):
        assert browser.get(PROFILE, headers=cookie | as_bearer(token)).status_code == 401


def test_another_authorization_scheme_is_ignored(community: Community, browser: Client) -> None:
    cookie = community.session_of(community.ann) | {"Authorization": "Basic YW5uOnNlY3JldA=="}
    assert browser.get(PROFILE, headers=cookie).json()["email"] == ANN
    without_header = {"Cookie": cookie["Cookie"], "Authorization": cookie["Authorization"]}
    answer = browser.patch(PROFILE, json=NEW_NAME, headers=without_header)
    assert refusal(answer) == (403, "NOT_ALLOWED", NO_HEADER)


def test_the_caller_is_authenticated_before_the_body_is_read(browser: Client) -> None:
    assert browser.patch(PROFILE, content=b"{").status_code == 401
    assert browser.patch(PROFILE, json={"role": "admin"}).status_code == 401


def test_a_public_route_ignores_a_bad_credential(browser: Client) -> None:
    for headers in (as_bearer("sk_x.y"), as_cookie("x.y")):
        assert browser.get("/api/about", headers=headers).status_code == 200


def test_an_unused_session_expires(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    community.pass_time(days=30)
    assert refusal(browser.get(PROFILE, headers=headers)) == (401, "NOT_SIGNED_IN", SESSION_OVER)


def test_a_session_in_use_lasts_until_its_longest_time(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    for _ in range(8):
        community.pass_time(days=20)
        assert browser.get(PROFILE, headers=headers).status_code == 200
    community.pass_time(days=20)
    assert browser.get(PROFILE, headers=headers).status_code == 401


# -- CSRF


GOOD_ORIGINS = (None, SITE, HERE)
BAD_ORIGINS = ("https://evil.test", "null", "http://evil.test:8000", f"{SITE}.evil.test", "http://[", "", "http://")
GOOD_SITES = (None, "same-origin", "none")
BAD_SITES = ("cross-site", "same-site", "", "anything")


def from_page(origin: str | None, site: str | None) -> Headers:
    return {name: value for name, value in (("Origin", origin), ("Sec-Fetch-Site", site)) if value is not None}


def changes(browser: Client, headers: Headers, pages: Iterable[Page]) -> dict[Page, tuple[int, str]]:
    """The responses to a change, by the page that sends it."""
    answers = {}
    for page in pages:
        answer = browser.patch(PROFILE, json=NEW_NAME, headers=headers | from_page(*page))
        answers[page] = answer.status_code, answer.json().get("message", "")
    return answers


def test_a_page_of_this_site_changes_things_with_the_cookie_and_the_header(community: Community) -> None:
    """The origin is the requested host, or the public URL."""
    pages = list(product(GOOD_ORIGINS, GOOD_SITES))
    with community.browser(site=SITE) as browser:
        assert changes(browser, community.session_of(community.ann), pages) == dict.fromkeys(pages, (200, ""))


def test_a_page_of_another_site_changes_nothing_with_the_cookie(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    pages = [*product(BAD_ORIGINS, GOOD_SITES + BAD_SITES), *product(GOOD_ORIGINS, BAD_SITES)]
    assert changes(browser, headers, pages) == dict.fromkeys(pages, (403, FORGED))
    assert browser.get(PROFILE, headers=headers).json()["username"] == "ann"


def test_a_change_with_a_cookie_needs_the_csrf_header(community: Community, browser: Client) -> None:
    paths = {"POST": "/api/me/keys", "PUT": "/api/me/password", "PATCH": PROFILE, "DELETE": "/api/session"}
    cookie = {"Cookie": community.session_of(community.ann)["Cookie"]}
    for (method, path), header in product(paths.items(), ({}, {"X-Sparks-CSRF": ""})):
        assert refusal(browser.request(method, path, headers=cookie | header)) == (403, "NOT_ALLOWED", NO_HEADER)


def test_a_read_with_a_cookie_needs_no_header(community: Community, browser: Client) -> None:
    cookie = {"Cookie": community.session_of(community.ann)["Cookie"]}
    assert browser.get(PROFILE, headers=cookie | from_page("https://evil.test", "cross-site")).status_code == 200


def test_a_bearer_token_needs_neither_an_origin_nor_the_header(community: Community, browser: Client) -> None:
    headers = community.key_of(community.ann) | from_page("https://evil.test", "cross-site")
    assert browser.patch(PROFILE, json=NEW_NAME, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("public_url", "origin"),
    [
        ("https://photos.example.org", "https://photos.example.org"),
        ("https://Photos.Example.org:443", "https://photos.example.org"),
        ("http://photos.example.org:80", "http://photos.example.org"),
        ("https://photos.example.org:8443", "https://photos.example.org:8443"),
    ],
)
def test_behind_a_proxy_that_changes_the_host_the_public_url_is_the_origin(
    tmp_path: Path, public_url: str, origin: str
) -> None:
    community = Community(tmp_path, public_url=public_url, allow_http=True)
    name = "__Host-sparks" if public_url.startswith("https") else "sparks_session"
    session = community.session_of(community.ann)["Cookie"].partition("=")[2]
    headers = {"Cookie": f"{name}={session}", **CSRF}
    with community.browser() as browser:
        assert browser.patch(PROFILE, json=NEW_NAME, headers=headers | {"Origin": origin}).status_code == 200
        foreign = headers | {"Origin": f"{origin}.evil.test"}
        assert browser.patch(PROFILE, json=NEW_NAME, headers=foreign).status_code == 403


def test_with_an_https_public_url_no_http_page_is_of_this_site(tmp_path: Path) -> None:
    community = Community(tmp_path, public_url="https://photos.example.org")
    session = community.session_of(community.ann)["Cookie"].partition("=")[2]
    with community.browser(site="http://photos.example.org") as browser:
        headers = {"Cookie": f"__Host-sparks={session}", **CSRF, "Origin": "http://photos.example.org"}
        answer = browser.patch(PROFILE, json=NEW_NAME, headers=headers)
    assert refusal(answer) == (403, "NOT_ALLOWED", FORGED)


# -- Actions


def test_the_error_names_the_missing_scope(community: Community, browser: Client) -> None:
    headers = community.key_of(community.ann, KeyScope.READ)
    assert browser.get(PROFILE, headers=headers).status_code == 200
    assert refusal(browser.patch(PROFILE, json=NEW_NAME, headers=headers)) == (
        403,
        "NOT_ALLOWED",
        "this API key lacks the scope edit, which is needed to change own account",
    )


def test_a_key_with_the_scope_admin_is_limited_by_its_owners_role(community: Community, browser: Client) -> None:
    headers = community.key_of(community.carol, KeyScope.ADMIN)
    assert browser.get("/api/invitations", headers=headers).status_code == 200
    by_carol = community.session_of(community.carol)
    browser.post("/api/users", json={"email": "dave@example.com", "role": "admin"}, headers=by_carol)
    assert browser.patch(f"/api/users/{ANN}", json={"role": "admin"}, headers=by_carol).status_code == 200
    by_ann = community.session_of(community.ann)
    assert browser.patch("/api/users/carol@example.com", json={"role": "member"}, headers=by_ann).status_code == 200
    assert refusal(browser.get("/api/invitations", headers=headers)) == (
        403,
        "NOT_ALLOWED",
        "only administrators may manage invitations",
    )


def test_a_guest_may_not_read_an_account(community: Community, browser: Client) -> None:
    link, _ = community.link_to("album", *LinkPermission)
    assert refusal(browser.get(PROFILE, headers=community.guest_of(link))) == (
        403,
        "NOT_ALLOWED",
        "this link does not let you see own account: ask the person who sent it to you",
    )


# -- Rate limits


def wrong(browser: Client, times: int) -> httpx.Response:
    for _ in range(times):
        answer = browser.get(PROFILE, headers=as_bearer("sk_x.y"))
    return answer


def test_bad_tokens_are_slowed_down_by_address(browser: Client, elsewhere: Client) -> None:
    most = 100
    assert wrong(browser, most).status_code == 401
    refused = wrong(browser, 1)
    assert (refused.status_code, refused.json()["error"]) == (429, "TOO_MANY_TRIES")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert f"wait {refused.headers['Retry-After']} seconds" in refused.json()["message"]
    assert browser.get(PROFILE, headers=as_cookie("x.y")).status_code == 429
    assert wrong(elsewhere, 1).status_code == 401


def test_a_good_credential_passes_despite_failures_of_others_at_the_address(
    community: Community, browser: Client
) -> None:
    assert wrong(browser, 100 + 1).status_code == 429
    assert browser.get(PROFILE, headers=community.key_of(community.ann)).status_code == 200
    assert browser.get(PROFILE, headers=community.session_of(community.ann)).status_code == 200
    assert browser.get(PROFILE).status_code == 401


# -- Every route has an action


async def hello(_: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


@pytest.mark.parametrize("route", [Route("/hello", hello), Mount("/files", routes=[Route("/hello", hello)])])
def test_a_route_without_an_action_is_refused(route: BaseRoute) -> None:
    with pytest.raises(TypeError, match="declares no action: add it by an ActionRouter"):
        refuse_undeclared([PublicRoute("/", hello), route])


def test_the_application_does_not_start_with_a_route_without_an_action(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparks.api.http.openapi_route.PublicRoute", Route)
    with pytest.raises(TypeError, match=r"the route /openapi\.json declares no action"):
        Community(tmp_path)


def test_every_route_of_the_application_has_an_action(community: Community) -> None:
    assert all(isinstance(action_of(route), Action) for route in community.app.router.routes)

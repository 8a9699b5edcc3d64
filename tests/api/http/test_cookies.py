"""The session cookie: as strict as the public URL allows."""

from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.http.cookies import NEEDS_TLS, is_loopback
from tests.api.client import refusal
from tests.api.community import CSRF, PASSWORD, Community
from tests.factories import a_user

EVE = "eve@example.com"
HTTPS: dict[str, Any] = {"public_url": "https://photos.example.org"}
LOOPBACK: dict[str, Any] = {"public_url": "http://127.0.0.1:8000"}
NETWORK: dict[str, Any] = {"public_url": "http://192.168.1.5:8000"}
ALLOWED: dict[str, Any] = {**NETWORK, "allow_http": True}


def sign_in_at(folder: Path, *, site: str | None = None, **settings: Any) -> httpx.Response:
    community = Community(folder, **settings)
    community.join(a_user(EVE), password=PASSWORD)
    with community.browser(site=site or settings["public_url"]) as browser:
        return browser.post("/api/session", json={"email": EVE, "password": PASSWORD})


def cookie_in(answer: httpx.Response) -> tuple[str, dict[str, Any]]:
    """The name of the cookie, and its attributes."""
    ((name, morsel),) = SimpleCookie(answer.headers["set-cookie"]).items()
    return name, {flag: value for flag, value in morsel.items() if value}


def test_behind_https_the_cookie_is_bound_to_the_host_and_to_tls(tmp_path: Path) -> None:
    name, flags = cookie_in(sign_in_at(tmp_path, **HTTPS))
    assert name == "__Host-sparks"
    assert flags == {"path": "/", "max-age": str(180 * 86400), "secure": True, "httponly": True, "samesite": "lax"}


@pytest.mark.parametrize("settings", [LOOPBACK, {"public_url": "http://localhost:8000"}, ALLOWED])
def test_over_http_the_cookie_is_not_secure(tmp_path: Path, settings: dict[str, Any]) -> None:
    name, flags = cookie_in(sign_in_at(tmp_path, **settings))
    assert name == "sparks_session"
    assert flags == {"path": "/", "max-age": str(180 * 86400), "httponly": True, "samesite": "lax"}


@pytest.mark.parametrize("settings", [NETWORK, {**LOOPBACK, "allowed_hosts": ("192.168.1.5",)}])
def test_over_http_on_a_network_sign_in_is_refused_with_advice(tmp_path: Path, settings: dict[str, Any]) -> None:
    answer = sign_in_at(tmp_path, site="http://192.168.1.5:8000", **settings)
    assert refusal(answer) == (403, "NOT_ALLOWED", NEEDS_TLS)
    assert "SPARKS_PUBLIC_URL" in NEEDS_TLS
    assert "SPARKS_ALLOW_HTTP=1" in NEEDS_TLS
    assert "set-cookie" not in answer.headers


def test_sign_in_over_http_from_the_machine_itself_is_allowed(tmp_path: Path) -> None:
    assert sign_in_at(tmp_path, site="http://localhost:8000", **NETWORK).status_code == 200


@pytest.mark.parametrize("path", ["/api/setup", "/api/register"])
def test_over_http_on_a_network_no_password_is_chosen(tmp_path: Path, path: str) -> None:
    community = Community(tmp_path, people=False, registration="open", **NETWORK)
    token = {"token": community.setup.text} if path == "/api/setup" else {}
    with community.browser(site=NETWORK["public_url"]) as browser:
        answer = browser.post(path, json={"email": EVE, "password": PASSWORD, **token})
    assert refusal(answer) == (403, "NOT_ALLOWED", NEEDS_TLS)


def test_the_cookie_of_the_other_scheme_is_ignored(tmp_path: Path) -> None:
    community = Community(tmp_path, **HTTPS)
    session = community.session_of(community.ann)["Cookie"].partition("=")[2]
    with community.browser() as browser:
        for name, status in (("__Host-sparks", 200), ("sparks_session", 401)):
            answer = browser.get("/api/me/profile", headers={"Cookie": f"{name}={session}"})
            assert answer.status_code == status


@pytest.mark.parametrize("settings", [HTTPS, LOOPBACK])
def test_the_cookie_is_cleared_with_the_flags_it_was_set_with(tmp_path: Path, settings: dict[str, Any]) -> None:
    community = Community(tmp_path, **settings)
    session = community.session_of(community.ann)["Cookie"].partition("=")[2]
    name = "__Host-sparks" if settings is HTTPS else "sparks_session"
    with community.browser() as browser:
        answer = browser.delete("/api/session", headers={"Cookie": f"{name}={session}", **CSRF})
    taken, flags = cookie_in(answer)
    assert taken == name
    assert (flags["max-age"], flags["path"], flags["httponly"], flags["samesite"]) == ("0", "/", True, "lax")
    assert flags.get("secure", False) == (settings is HTTPS)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("photos.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("", False),
        ("0.0.0.0", False),  # noqa: S104  not bound to
        ("192.168.1.5", False),
        ("::", False),
        ("localhost.example.org", False),
        ("notlocalhost", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_loopback_is_this_machine_only(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) == loopback

"""Log lines of requests: they hold no secret and no e-mail address."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparks.auth.signed_media_urls import Viewer, ViewerKind, media_urls
from sparks.logs import JsonLines, TextLines
from sparks.model.credential import KeyScope
from sparks.model.errors import Unavailable
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.community import CSRF, KEYRING, PASSWORD, Community, as_bearer, as_cookie
from tests.factories import a_photo

CLIENTS = ("httpx", "httpcore", "asyncio")  # on this side of the wire
EVE, DAN = "eve.adams@example.com", "dan@example.com"
FRESH, WRONG = "staple battery horse", "wrong horse battery"


class Secrets:
    """Remembers the secrets that no line may hold."""

    def __init__(self) -> None:
        self.texts = {PASSWORD, FRESH, WRONG, EVE, DAN, "eve.adams", "@"}

    def keep(self, text: str) -> str:
        """Of `{id}.{random}` the id is no secret."""
        self.texts.add(text.rpartition(".")[2])
        return text


class Lines(logging.Handler):
    """Keeps the log lines of Sparks, in both formats."""

    def __init__(self) -> None:
        super().__init__()
        self.as_json: list[str] = []
        self.as_text: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(CLIENTS):
            self.as_json.append(JsonLines().format(record))
            self.as_text.append(TextLines(colors=False).format(record))


@pytest.fixture
def lines() -> Iterator[Lines]:
    lines, level = Lines(), logging.root.level
    logging.root.addHandler(lines)
    logging.root.setLevel(logging.DEBUG)
    yield lines
    logging.root.setLevel(level)
    logging.root.removeHandler(lines)


def set_up_and_invite(community: Community, browser: Client, secrets: Secrets) -> str:
    """An invitation; the browser is then signed in as the administrator."""
    body = {"token": secrets.keep(community.setup.text), "email": EVE, "password": PASSWORD, "username": "eve.adams"}
    browser.post("/api/setup", json={**body, "token": "wrong"})
    assert browser.post("/api/setup", json=body).status_code == 201
    assert browser.post("/api/session", json={"email": EVE, "password": WRONG}).status_code == 401
    assert browser.post("/api/session", json={"email": EVE, "password": PASSWORD}).status_code == 200
    secrets.keep(browser.get("/api/me/profile").request.headers["cookie"])
    return secrets.keep(browser.post("/api/invitations", json={}, headers=CSRF).json()["invitation"])


def use_account(browser: Client, secrets: Secrets) -> None:
    change = {"oldPassword": PASSWORD, "newPassword": FRESH}
    assert browser.put("/api/me/password", json=change, headers=CSRF).status_code == 200
    assert browser.put("/api/me/password", json={**change, "role": PASSWORD}, headers=CSRF).status_code == 422
    secrets.keep(browser.get("/api/me/sessions").request.headers["cookie"])
    key = secrets.keep(browser.post("/api/me/keys", json={"name": "x"}, headers=CSRF).json()["key"])
    for headers in (as_bearer(key), as_bearer(f"{key}x"), as_cookie(key), {"Authorization": f"Basic {key}"}):
        browser.get("/api/users", headers=headers)
    cursor = browser.get("/api/admin/audit", params={"limit": 1}).json()["lastEvaluatedKey"]
    assert browser.get("/api/admin/audit", params={"cursor": secrets.keep(cursor)}).status_code == 200


def manage_users(community: Community, browser: Client) -> None:
    for path in (f"/api/users/{DAN}", "/api/users/dan%40example.com", "/api/users/dan@elsewhere", "/api/users/@"):
        browser.get(path)
    assert browser.patch(f"/api/users/{DAN}", json={"limit": 1, "password": FRESH}, headers=CSRF).status_code == 200
    assert browser.delete(f"/api/users/{DAN}", headers=CSRF).status_code == 202
    assert [report.done for report in community.work()] == [True]
    assert browser.get(f"/api/users/{DAN}/removal").status_code == 404
    assert browser.delete("/api/session", headers=CSRF).status_code == 200


def look_at_pictures(community: Community, browser: Client, secrets: Secrets) -> None:
    photo = community.keep(a_photo(owner=EVE, albums=("album",)))
    link, link_secret = community.link_to("album", LinkPermission.VIEW)
    guest = community.guest_of(link)
    secrets.keep(guest["Authorization"])
    secrets.keep(link_secret.text)
    browser.get(f"/api/photos/{photo.image_id}/original", headers=guest)
    viewer = Viewer(ViewerKind.SESSION, "some-session")
    for url in media_urls(photo.image_id, viewer, now=community.at, keyring=KEYRING).values():
        secrets.texts.add(url.rpartition("=")[2])
        browser.get(url)


def test_no_log_line_holds_a_secret_or_an_email_address(tmp_path: Path, lines: Lines) -> None:
    secrets, new = Secrets(), Community(tmp_path, people=False)
    with new.browser() as eve, new.browser() as dan:
        invitation = set_up_and_invite(new, eve, secrets)
        body = {"invitation": invitation, "email": DAN, "password": PASSWORD}
        assert dan.post("/api/register", json=body).status_code == 201
        assert dan.post("/api/register", json=body).status_code == 403
        use_account(eve, secrets)
        manage_users(new, eve)
        look_at_pictures(new, dan, secrets)
    assert len(lines.as_json) == len(lines.as_text) > 30
    assert [line for line in lines.as_json + lines.as_text if any(text in line for text in secrets.texts)] == []


def unreachable(*_: object, **__: object) -> None:
    raise Unavailable(f"the table with {EVE} in it cannot be reached")


def broken(*_: object, **__: object) -> None:
    raise RuntimeError(f"nobody foresaw this of {EVE}")


@pytest.mark.parametrize(("failure", "status", "level"), [(unreachable, 503, "warning"), (broken, 500, "error")])
def test_a_failure_leaves_a_line_with_the_id_of_its_request(
    community: Community, browser: Client, lines: Lines, failure: Callable[..., None], status: int, level: str
) -> None:
    headers = community.key_of(community.ann, KeyScope.READ)
    community.table.get = failure  # type: ignore[method-assign]
    answer = browser.get("/api/me/profile", headers={**headers, "X-Request-Id": "r1"})
    assert (answer.status_code, answer.json()["requestId"]) == (status, "r1")
    problems = [line for line in map(json.loads, lines.as_json) if line["level"] == level]
    assert [line["requestId"] for line in problems] == ["r1"]
    assert EVE not in "".join(lines.as_json + lines.as_text)

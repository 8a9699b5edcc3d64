"""A running Sparks as browsers meet it: real server, real worker, real files."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import httpx

from sparks.auth.passwords import hash_password
from sparks.auth.sessions import SessionLifetime, open_session
from sparks.journey import Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.library.timeline_blobs import months_of
from sparks.model import times
from sparks.model.account import Role, User
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.processes import Running, start_serve
from tests.factories import a_user
from tests.servers.process import wait_until

PASSWORD: Final = "correct horse battery"
PASSWORD_HASH: Final = hash_password(PASSWORD)
COOKIE: Final = "sparks_session"
SPAN: Final = SessionLifetime(idle=timedelta(days=30), most=timedelta(days=180))
BUSY: Final = 503
ENDED: Final = frozenset({"INDEXED", "FAILED"})


@dataclass(frozen=True)
class Account:
    """A user with a password and an open session."""

    user: User
    session: str

    @property
    def email(self) -> str:
        return self.user.email


class Site:
    def __init__(self, running: Running, stores: Stores) -> None:
        self.running = running
        self.stores = stores
        self.url = running.url

    def join(self, name: str = "Ann", *, admin: bool = False, photos: int = 500) -> Account:
        """A new user, whom no other test uses."""
        email = f"somebody.{uuid.uuid4().hex[:12]}@example.com"
        user = a_user(email, username=name, role=Role.ADMIN if admin else Role.MEMBER)
        create_user(user, photos=photos, bytes=10**10, password_hash=PASSWORD_HASH, table=self.stores.table)
        return Account(user, open_session(user, span=SPAN, at=times.now(), table=self.stores.table).text)

    def ask(self, account: Account, method: str, path: str, **options: Any) -> httpx.Response:
        """A request of this account's, beside its browser."""
        answer = self._send(account, method, path, **options)
        assert answer.status_code < 400, answer.text
        return answer

    def _send(self, account: Account, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Cookie": f"{COOKIE}={account.session}", "X-Sparks-CSRF": "1", **options.pop("headers", {})}
        return httpx.request(method, f"{self.url}{path}", headers=headers, timeout=60, **options)

    def group_people(self, admin: Account) -> None:
        """Groups faces into persons as soon as no other run does; new photos start a run by themselves, too."""

        def is_done() -> bool:
            answer = self._send(admin, "POST", "/api/admin/rebuild", json={"mode": "incremental"})
            assert answer.status_code in (200, BUSY), answer.text
            return answer.status_code != BUSY

        wait_until(is_done, what="a turn to group the people")

    def upload(self, account: Account, *files: Path, **more: str) -> list[str]:
        """The ids of these photos, once they are durable; `settle` waits until they are made."""
        parameters = [{"filename": file.name, **more} for file in files]
        told = [
            self.ask(account, "POST", "/api/photos", params=each, content=file.read_bytes()).json()
            for file, each in zip(files, parameters, strict=True)
        ]
        return [each["imageId"] for each in told]

    def photo(self, account: Account, image_id: str) -> dict[str, Any]:
        told: dict[str, Any] = self.ask(account, "GET", f"/api/photos/{image_id}").json()
        return told

    def settle(self, account: Account, ids: list[str], *, faces: bool = False) -> None:
        """Until the photos stand in their months and, with `faces`, their faces were looked for."""

        def is_made(image_id: str) -> bool:
            photo = self.photo(account, image_id)
            is_shown = photo["processingStatus"] == "failed" or bool(months_of(image_id, table=self.stores.table))
            return is_shown and (not faces or photo["status"] in ENDED)

        wait_until(lambda: all(map(is_made, ids)), what="the photos to be made", seconds=120)


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """Waits for `sparks serve` with one worker."""
    with start_serve(folder / "data") as running:
        settings = load_settings({"data": running.data, "public_url": running.url}, {})
        with open_stores(settings) as stores:
            yield Site(running, stores)

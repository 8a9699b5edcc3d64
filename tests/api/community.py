"""A community on memory adapters: members Ann and Bob, administrator Carol, and their credentials."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

from sparks.api.app import create_app
from sparks.auth.api_keys import make_key
from sparks.auth.link_sessions import guest_token
from sparks.auth.passwords import hash_password
from sparks.auth.sessions import SessionLifetime, open_session
from sparks.auth.setup_token import SetupToken
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Journey, Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.library.records import to_item
from sparks.library.search.change_log import SearchLoggingTable
from sparks.library.search.search_index import SearchIndex
from sparks.metrics import JobReport, Metrics
from sparks.migrate.write_guard import GuardedTable
from sparks.model import times
from sparks.model.account import Role, User
from sparks.model.credential import KeyScope
from sparks.model.keyring import Keyring
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Guest, LinkPermission, ShareLink
from sparks.model.stored import Stored
from sparks.search.memory import MemorySearch
from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from sparks.table.port import Put
from sparks.worker import Worker
from tests.api.client import Client
from tests.factories import ANN, BOB, NOON, a_user

CAROL: Final = "carol@example.com"
HERE: Final = "http://127.0.0.1:8000"
PASSWORD: Final = "correct horse battery"
KEYRING: Final = Keyring("test", {"test": b"t" * 32})
SPAN: Final = SessionLifetime(idle=timedelta(days=30), most=timedelta(days=180))
CSRF: Final = {"X-Sparks-CSRF": "1"}

Headers = dict[str, str]
T = TypeVar("T", bound=Stored)


@cache
def hash_of(password: str) -> str:
    """Computed once per run, since hashing is slow on purpose."""
    return hash_password(password)


class Community:
    """`at` is the clock of the application.

    With `people`, Ann, Bob and Carol are there already, with this password or without one. `equip` gives the stores
    more than memory.
    """

    def __init__(
        self,
        data: Path,
        *,
        people: bool = True,
        password: str | None = None,
        equip: Callable[[Stores], Stores] = lambda stores: stores,
        **settings: Any,
    ) -> None:
        self.at: datetime = NOON
        self.table = MemoryTable()
        self.blobs = MemoryBlobs(keyring=KEYRING)
        self.index = SearchIndex(MemorySearch(), table=self.table, keyring=KEYRING)
        self.stores = equip(
            Stores(
                table=GuardedTable(SearchLoggingTable(self.table, keyring=KEYRING), clock=count().__next__),
                blobs=self.blobs,
                jobs=MemoryJobs(),
                keyring=KEYRING,
                search=self.index,
            )
        )
        self.settings = Settings(data=data, **{"allowed_hosts": ("sparks.test",), **settings})
        self.setup = SetupToken()
        self.stopping = asyncio.Event()
        self.app = create_app(
            stores=self.stores,
            settings=self.settings,
            metrics=Metrics(),
            setup=self.setup,
            stopping=self.stopping,
            clock=lambda: self.at,
        )
        if people:
            self.ann = self.join(a_user(ANN), password=password)
            self.bob = self.join(a_user(BOB), password=password)
            self.carol = self.join(a_user(CAROL, role=Role.ADMIN), password=password)
        self.reindex()

    def reindex(self) -> None:
        """Indexes rows that were written directly to the table."""
        self.index.build(at=times.now())

    def join(self, user: User, *, password: str | None = None) -> User:
        hashed = None if password is None else hash_of(password)
        create_user(user, photos=500, bytes=10**9, password_hash=hashed, table=self.table)
        return user

    @contextmanager
    def browser(self, *, site: str = HERE, address: str = "127.0.0.1") -> Iterator[Client]:
        with Client(self.app, site=site, address=address) as client:
            yield client

    def pass_time(self, **span: float) -> None:
        self.at += timedelta(**span)

    def work(self) -> list[JobReport]:
        """Runs the waiting jobs."""
        reports: list[JobReport] = []
        worker = Worker(journey=Journey(), stores=self.stores, report=reports.append, wait=0, overdue=lambda: None)
        worker.run_waiting()
        return reports

    def invite(self, **body: Any) -> str:
        """The secret of an invitation by Carol."""
        with self.browser() as browser:
            made = browser.post("/api/invitations", json=body, headers=self.session_of(self.carol)).json()
        return str(made["invitation"])

    def keep(self, row: T) -> T:
        self.table.write(Put(to_item(row)))
        return row

    def remember(self) -> None:
        """The state to which `rewind` returns."""
        self._rows = dict(self.table._items), {within: list(each) for within, each in self.table._entries.items()}

    def rewind(self) -> None:
        """Restores the table. Rows are never changed in place, so they need no copies."""
        items, entries = self._rows
        self.table._items = dict(items)
        self.table._entries = defaultdict(list, {within: list(each) for within, each in entries.items()})

    # -- Credentials, as headers

    def session_of(self, user: User, *, device: str | None = None) -> Headers:
        return as_cookie(open_session(user, span=SPAN, device=device, at=self.at, table=self.table).text)

    def key_of(self, user: User, *scopes: KeyScope, days: float | None = None) -> Headers:
        """Without scopes, the key has all that the role allows."""
        ends = None if days is None else self.at + timedelta(days=days)
        _, text = make_key(user, name="a key", scopes=scopes or None, expires_at=ends, at=self.at, table=self.table)
        return as_bearer(text)

    def guest_of(self, link: ShareLink) -> Headers:
        secret = new_secret()
        self.keep(Guest(link_id=link.link_id, guest_id=secret.id, secret_hash=secret.hash, created_at=self.at))
        return as_bearer(guest_token(link.link_id, secret))

    def link_to(self, album_id: str, *allowed: LinkPermission, **more: Any) -> tuple[ShareLink, Secret]:
        secret = new_secret()
        link = ShareLink(
            link_id=secret.id,
            album_id=album_id,
            secret_hash=secret.hash,
            allow=frozenset(allowed),
            created_by=ANN,
            created_at=self.at,
            **more,
        )
        return self.keep(link), secret


def as_cookie(session: str) -> Headers:
    """As a page of Sparks sends it."""
    return {"Cookie": f"sparks_session={session}", **CSRF}


def as_bearer(token: str) -> Headers:
    return {"Authorization": f"Bearer {token}"}

"""First administrator: from the settings, or by a set-up link.

The link is in no log line: a reader of the logs must not be able to become the administrator.
"""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.auth.account_names import checked_email
from sparks.cli.options import print_line
from sparks.cli.password_prompt import MAX_BYTES_READ, read_password_file
from sparks.library.accounts.users import has_administrator
from sparks.library.audit import COMMAND_LINE, AuditAction
from sparks.model import times
from sparks.model.account import Role
from sparks.model.errors import AlreadyThere, BadInput, BadSetting, Conflict, SparksError
from sparks.settings import Settings
from sparks.table.port import Table

log = logging.getLogger(__name__)
SETUP_LINK_FILE: Final = "setup-link"
POLL_SECONDS: Final = 1.0


def create_first_admin_from_settings(settings: Settings, *, table: Table) -> None:
    """Nothing happens where there is an administrator already, or the settings name none; BadSetting where the account
    cannot be created.
    """
    email, path = settings.admin_email, settings.admin_password_file
    if email is None or path is None or has_administrator(table=table):
        return
    new_account = _new_account(settings, email, path)
    try:
        add_user(
            new_account,
            role=Role.ADMIN,
            allowance=UploadAllowance(photos=settings.upload_limit, bytes=settings.upload_limit_bytes),
            by=COMMAND_LINE,
            first_administrator=True,
            action=AuditAction.SET_UP,
            at=times.now(),
            table=table,
        )
    except Conflict as error:
        if has_administrator(table=table):  # another server was faster
            return
        if isinstance(error, AlreadyThere):
            raise BadSetting(_not_admin_message(settings, new_account.email)) from error
        raise
    log.info("made the first administrator, as the settings say")


def _new_account(settings: Settings, email: str, path: Path) -> NewAccount:
    with _named_setting(settings.source("admin_email")):
        address = checked_email(email)
    with _named_setting(f"{settings.source('admin_password_file')}: {path}"), path.open("rb") as file:
        return NewAccount.called(address, read_password_file(file.read(MAX_BYTES_READ)))


@contextmanager
def _named_setting(setting: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadSetting(f"{setting}: the file cannot be read: {error.strerror}") from error
    except BadInput as error:
        raise BadSetting(f"{setting}: {error}") from error


def _not_admin_message(settings: Settings, email: str) -> str:
    return (
        f"{settings.source('admin_email')}: {email} has an account that is no administrator's: "
        f"type sparks user role {email} admin"
    )


def sign_in_warning(settings: Settings) -> str | None:
    """The warning that users cannot sign in over plain http, or that all clients behind a proxy count as one."""
    from sparks.api.http.cookies import is_loopback

    url = urlsplit(settings.public_url)
    if url.scheme == "https" and not settings.trusted_proxies:
        return (
            "public_url is https, so Sparks is behind a proxy: set trusted_proxies to its address, or all clients "
            "count as one when passwords are wrong"
        )
    if url.scheme == "http" and not settings.allow_http and not is_loopback(url.hostname or ""):
        return (
            "public_url is plain http: users can neither sign in nor set Sparks up. Put TLS in front of it and set "
            "public_url to https, or set allow_http on a network that you trust"
        )
    return None


class SetupLink:
    """Link for the operator: on the terminal, or in a file. The file is deleted as soon as there is an administrator,
    and when Sparks stops.
    """

    def __init__(self, url: str, *, path: Path, is_done: Callable[[], bool]) -> None:
        self._url = url
        self._path = path
        self._new_path = path.with_name(f"{path.name}.new")
        self._is_done = is_done
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._remove_when_done, name="setup-link", daemon=True)

    def __enter__(self) -> Self:
        """Deletes the file of an earlier server that was killed: its link is void."""
        self._remove()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._watch.is_alive():
            self._watch.join()
        self._remove()

    def show(self) -> None:
        """Shows nothing where there is an administrator already."""
        if self._is_done():
            return
        if sys.stdout.isatty():
            print_line(f"There is no administrator yet. Open this link to become the first one:\n  {self._url}")
            return
        self._write()
        self._watch.start()
        print_line(f"There is no administrator yet. The link to become the first one is in {self._path}")

    def _remove_when_done(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            try:
                done = self._is_done()
            except SparksError:  # the table cannot be reached, as /readyz says: tried again
                continue
            if done:
                self._remove()
                return

    def _write(self) -> None:
        with self._usable():
            descriptor = os.open(self._new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w") as file:  # noqa: PTH123  a descriptor, made with its mode
                file.write(f"{self._url}\n")
            self._new_path.replace(self._path)

    def _remove(self) -> None:
        with self._usable():
            self._path.unlink(missing_ok=True)
            self._new_path.unlink(missing_ok=True)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BadSetting(f"the set-up link cannot be kept in {self._path}: {error.strerror}") from error

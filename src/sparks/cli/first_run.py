"""The first administrator whom the settings name, for set-ups that nobody watches."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from sparks.auth.names import new_email
from sparks.auth.registration import Allowance, Newcomer, add_user
from sparks.cli.passwords import MOST_BYTES_READ, password_in
from sparks.library.accounts import has_administrator
from sparks.library.audit import COMMAND_LINE, Deed
from sparks.model import times
from sparks.model.account import Role
from sparks.model.errors import AlreadyThere, BadInput, BadSetting, Conflict
from sparks.settings import Settings
from sparks.table.port import Table

log = logging.getLogger(__name__)


def make_first_administrator(settings: Settings, *, table: Table) -> None:
    """Nothing happens where there is an administrator already, or none is named; BadSetting where it cannot be done."""
    email, path = settings.admin_email, settings.admin_password_file
    if email is None or path is None or has_administrator(table=table):
        return
    newcomer = _newcomer(settings, email, path)
    try:
        add_user(
            newcomer,
            role=Role.ADMIN,
            allowance=Allowance(photos=settings.upload_limit, bytes=settings.upload_limit_bytes),
            by=COMMAND_LINE,
            first_administrator=True,
            deed=Deed.SET_UP,
            at=times.now(),
            table=table,
        )
    except Conflict as error:
        if has_administrator(table=table):  # another server was faster
            return
        if isinstance(error, AlreadyThere):
            raise BadSetting(_taken(settings, newcomer.email)) from error
        raise
    log.info("made the first administrator, as the settings say")


def _newcomer(settings: Settings, email: str, path: Path) -> Newcomer:
    with _blamed(settings.source("admin_email")):
        address = new_email(email)
    with _blamed(f"{settings.source('admin_password_file')}: {path}"), path.open("rb") as file:
        return Newcomer.called(address, password_in(file.read(MOST_BYTES_READ)))


@contextmanager
def _blamed(setting: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadSetting(f"{setting}: the file cannot be read: {error.strerror}") from error
    except BadInput as error:
        raise BadSetting(f"{setting}: {error}") from error


def _taken(settings: Settings, email: str) -> str:
    return (
        f"{settings.source('admin_email')}: {email} has an account that is no administrator's: "
        f"type sparks user role {email} admin"
    )


def doubt_about_signing_in(settings: Settings) -> str | None:
    """What to warn of before anybody tries: nobody can sign in over plain http, nor be told apart behind a proxy."""
    from sparks.api.cookies import is_loopback

    url = urlsplit(settings.public_url)
    if url.scheme == "https" and not settings.trusted_proxies:
        return (
            "public_url is https, so there is a proxy in front: set trusted_proxies to where it calls from, or all who "
            "come through it count as one when passwords are wrong"
        )
    if url.scheme == "http" and not settings.allow_http and not is_loopback(url.hostname or ""):
        return (
            "public_url is plain http: nobody can sign in there or set Sparks up until TLS is put in front of it and "
            "public_url is https, or allow_http is set on a network that you trust"
        )
    return None

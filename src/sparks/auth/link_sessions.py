"""Guest sessions: opened by a link's secret and password, proved by a token.

Wrong passwords are counted per link and not per address: two hundred guests of a wedding share one address, and the
secret of a link cannot be guessed.

A guest session ends with its link or its album.
"""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.auth.account_names import checked_username
from sparks.auth.passwords import MAX_LENGTH, hash_password, verify_password
from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.library import keys
from sparks.library.albums.album_lookup import find_album
from sparks.library.people.redirects import Redirects
from sparks.library.records import from_item
from sparks.library.sharing.guests import create_guest, rename_guest
from sparks.library.sharing.share_links import find_link
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.errors import BadInput, NotFound, NotSignedIn
from sparks.model.secret import Secret, parse_secret
from sparks.model.share import Guest, ShareLink
from sparks.model.times import has_passed
from sparks.table.port import Table

PREFIX: Final = "gt_"
CLOSED: Final = "this link is closed, or was opened too long ago: open the link again"
NO_SUCH_LINK: Final = "this link is not complete, or is closed: ask the host for a new one"
ASKS_PASSWORD: Final = "this link needs a password: ask the host for it"  # noqa: S105
WRONG_PASSWORD: Final = "this is not the password of this link: type it again"  # noqa: S105
ASKS_NAME: Final = "enter your name: the host of this album asks for it"
MIN_LENGTH: Final = 4

_TOKEN: Final = re.compile(rf"{PREFIX}([A-Za-z0-9-]{{1,64}})_(.+)", re.ASCII)


def guest_token(link_id: str, guest: Secret) -> str:
    """The token of a guest session. `guest` is the secret whose hash is in the row of the guest."""
    return f"{PREFIX}{link_id}_{guest.text}"


def authenticate_guest(text: str, *, at: datetime, table: Table) -> GuestCaller:
    """The guest of this token. NotSignedIn where it is no valid token, or the link is closed."""
    match = _TOKEN.fullmatch(text)
    if match is None:
        raise NotSignedIn(CLOSED)
    try:
        secret = parse_secret(match[2])
    except BadInput as error:
        raise NotSignedIn(CLOSED) from error
    caller = caller_of_guest(match[1], secret.id, at=at, table=table)
    if not secret.fits(caller.guest.secret_hash):
        raise NotSignedIn(CLOSED)
    return caller


def caller_of_guest(link_id: str, guest_id: str, *, at: datetime, table: Table) -> GuestCaller:
    """As `authenticate_guest`, for ids from a text that Sparks has signed."""
    at_link, at_guest = keys.share_link(link_id), keys.guest(link_id, guest_id)
    found = table.get_many([at_link, at_guest])
    if at_link not in found or at_guest not in found:
        raise NotSignedIn(CLOSED)
    caller = GuestCaller(from_item(ShareLink, found[at_link]), from_item(Guest, found[at_guest]))
    if has_passed(caller.link.expires_at, at=at) or has_passed(caller.guest.expires_at, at=at):
        raise NotSignedIn(CLOSED)
    album = table.get(keys.album(caller.link.album_id))
    if album is not None and "deletingAt" in album:  # its links are deleted one by one
        raise NotSignedIn(CLOSED)
    return _follow_merges(caller, table)


def _follow_merges(caller: GuestCaller, table: Table) -> GuestCaller:
    """Replaces the persons of the link and of the guest's selfie that were merged since."""
    if not caller.link.persons and not caller.guest.persons:
        return caller
    resolve = Redirects(table)
    link = replace(caller.link, persons=tuple(dict.fromkeys(map(resolve, caller.link.persons))))
    return GuestCaller(link, replace(caller.guest, persons=tuple(dict.fromkeys(map(resolve, caller.guest.persons)))))


def find_link_by_secret(text: str, *, at: datetime, table: Table) -> tuple[ShareLink, Album]:
    """The link of this secret, and its album. NotFound, in the same words, where it is unknown, expired or revoked."""
    try:
        secret = parse_secret(text)
    except BadInput as error:
        raise NotFound(NO_SUCH_LINK) from error
    link = find_link(secret.id, table=table)
    if link is None or not secret.fits(link.secret_hash) or has_passed(link.expires_at, at=at):
        raise NotFound(NO_SUCH_LINK)
    album = find_album(link.album_id, table=table)
    if album is None:
        raise NotFound(NO_SUCH_LINK)
    return link, album


def open_link(
    link: ShareLink,
    *,
    password: str | None,
    name: str | None,
    known: tuple[GuestCaller, str] | None,
    rate_limiter: RateLimiter,
    at: datetime,
    table: Table,
) -> tuple[GuestCaller, str]:
    """Returns a guest of this link, and their token. A guest who is `known` by a token of this link stays the same one.

    NotSignedIn for a wrong password, BadInput for a missing name, TooManyTries for too many wrong passwords or guests.
    """
    username = None if name is None else checked_username(name)
    if known is not None and known[0].link.link_id == link.link_id:
        caller, token = known
        guest = caller.guest if username is None else rename_guest(caller.guest, username, table=table)
        return replace(caller, guest=guest), token
    if link.ask_name and username is None:
        raise BadInput(ASKS_NAME)
    _check_password(link, password, rate_limiter)
    rate_limiter.count(RateLimit.LINK_GUESTS, link.link_id)
    guest, secret = create_guest(link, username, at=at, table=table)
    return GuestCaller(link, guest), guest_token(link.link_id, secret)


def hash_link_password(password: str) -> str:
    """BadInput where the password is too short or too long. It may be short, for a card on a table: only a guest who
    has the secret of the link can try it.
    """
    if len(password.strip()) < MIN_LENGTH or len(password) > MAX_LENGTH:
        raise BadInput(f"a link's password has {MIN_LENGTH} to {MAX_LENGTH} characters")
    return hash_password(password)


def _check_password(link: ShareLink, password: str | None, rate_limiter: RateLimiter) -> None:
    if link.password_hash is None:
        return
    if not password:
        raise NotSignedIn(ASKS_PASSWORD)
    with rate_limiter.failures(RateLimit.LINK_PASSWORDS, link.link_id):
        if not verify_password(password, link.password_hash):
            raise NotSignedIn(WRONG_PASSWORD)

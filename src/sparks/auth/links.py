"""Opening a link: whoever has its secret, and its password if it has one, is let in as a guest.

A secret is not guessed, so how often somebody is wrong is counted for the link, and not for where they come from: two
hundred guests of a wedding come from one address.
"""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.auth.guests import guest_token
from sparks.auth.names import checked_name
from sparks.auth.passwords import LONGEST, hash_password, password_fits
from sparks.auth.rates import Rate, Rates
from sparks.library.albums import find_album
from sparks.library.sharing import find_link, let_guest_in, rename_guest
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.errors import BadInput, NotFound, NotSignedIn
from sparks.model.secret import parse_secret
from sparks.model.share import ShareLink
from sparks.model.times import has_passed
from sparks.table.port import Table

SHORTEST: Final = 4
NO_SUCH: Final = "this link is not complete, or is closed: ask whoever gave it to you for a new one"
ASKS_PASSWORD: Final = "this link has a password: ask whoever gave it to you, and type it"  # noqa: S105
WRONG_PASSWORD: Final = "this is not the password of this link: type it again"  # noqa: S105
ASKS_NAME: Final = "say your name: the host of this album asks for it"


def find_opened(text: str, *, at: datetime, table: Table) -> tuple[ShareLink, Album]:
    """The link whose secret this is, and its album. NotFound, in the same words, where it is none, over or revoked."""
    try:
        secret = parse_secret(text)
    except BadInput as error:
        raise NotFound(NO_SUCH) from error
    link = find_link(secret.id, table=table)
    if link is None or not secret.fits(link.secret_hash) or has_passed(link.expires_at, at=at):
        raise NotFound(NO_SUCH)
    album = find_album(link.album_id, table=table)
    if album is None:
        raise NotFound(NO_SUCH)
    return link, album


def open_link(
    link: ShareLink,
    *,
    password: str | None,
    name: str | None,
    known: tuple[GuestCaller, str] | None,
    rates: Rates,
    at: datetime,
    table: Table,
) -> tuple[GuestCaller, str]:
    """A guest of this link, and their token; who is `known` already by theirs stays who they are. NotSignedIn for a
    wrong password, BadInput for a name that is missing, TooManyTries for too many of either.
    """
    told = None if name is None else checked_name(name)
    if known is not None and known[0].link.link_id == link.link_id:
        caller, token = known
        renamed = caller.guest if told is None else rename_guest(caller.guest, told, table=table)
        return replace(caller, guest=renamed), token
    if link.ask_name and told is None:
        raise BadInput(ASKS_NAME)
    _check_password(link, password, rates)
    rates.count(Rate.LINK_GUESTS, link.link_id)
    guest, secret = let_guest_in(link, told, at=at, table=table)
    return GuestCaller(link, guest), guest_token(link.link_id, secret)


def hash_link_password(password: str) -> str:
    """BadInput where it is too short or too long. It may be a short one, for a table card: nobody tries it who has not
    the link's secret, too.
    """
    if not len(password.strip()) >= SHORTEST or len(password) > LONGEST:
        raise BadInput(f"a link's password has {SHORTEST} to {LONGEST} characters")
    return hash_password(password)


def _check_password(link: ShareLink, password: str | None, rates: Rates) -> None:
    if link.password_hash is None:
        return
    if not password:
        raise NotSignedIn(ASKS_PASSWORD)
    with rates.failures(Rate.LINK_PASSWORDS, link.link_id):
        if not password_fits(password, link.password_hash):
            raise NotSignedIn(WRONG_PASSWORD)

"""Guests: `gt_{linkId}_{guestId}.{random}`. A guest is let in for as long as the link and its album are there."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.redirects import Redirects
from sparks.library.records import from_item
from sparks.model.caller import GuestCaller
from sparks.model.errors import BadInput, NotSignedIn
from sparks.model.secret import Secret, parse_secret
from sparks.model.share import Guest, ShareLink
from sparks.model.times import has_passed
from sparks.table.port import Table

PREFIX: Final = "gt_"
CLOSED: Final = "this link is closed, or was opened too long ago: open the link again"

_TOKEN: Final = re.compile(rf"{PREFIX}([A-Za-z0-9-]{{1,64}})_(.+)", re.ASCII)


def guest_token(link_id: str, guest: Secret) -> str:
    """What a guest shows from now on; `guest` is the secret whose hash their row keeps."""
    return f"{PREFIX}{link_id}_{guest.text}"


def guest_caller(text: str, *, at: datetime, table: Table) -> GuestCaller:
    """Whose token this is. NotSignedIn where it is none, or the link is closed."""
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
    """As `guest_caller`, for a guest who was named in something that Sparks itself has signed."""
    at_link, at_guest = keys.share_link(link_id), keys.guest(link_id, guest_id)
    found = table.get_many([at_link, at_guest])
    if at_link not in found or at_guest not in found:
        raise NotSignedIn(CLOSED)
    caller = GuestCaller(from_item(ShareLink, found[at_link]), from_item(Guest, found[at_guest]))
    if has_passed(caller.link.expires_at, at=at) or has_passed(caller.guest.expires_at, at=at):
        raise NotSignedIn(CLOSED)
    album = table.get(keys.album(caller.link.album_id))
    if album is not None and "deletingAt" in album:  # its links go with it, one by one
        raise NotSignedIn(CLOSED)
    return _as_merged(caller, table)


def _as_merged(caller: GuestCaller, table: Table) -> GuestCaller:
    """Whom the link or a selfie has named may have been merged with somebody since."""
    if not caller.link.persons and not caller.guest.persons:
        return caller
    now = Redirects(table)
    link = replace(caller.link, persons=tuple(dict.fromkeys(map(now, caller.link.persons))))
    return GuestCaller(link, replace(caller.guest, persons=tuple(dict.fromkeys(map(now, caller.guest.persons)))))

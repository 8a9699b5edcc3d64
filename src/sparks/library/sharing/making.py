"""Links that are made, changed and revoked."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from sparks.library.albums.finding import NO_ALBUM, while_album_is_there
from sparks.library.photos import KEPT
from sparks.library.photos.edit import Kept
from sparks.library.photos.writing import TRIES
from sparks.library.records import changes, key_of, to_item
from sparks.library.sharing.counting import left_of
from sparks.library.sharing.finding import NO_LINK, find_link, guests_of
from sparks.model.album import Album
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotFound
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Caps, LinkPermission, ShareLink
from sparks.model.times import has_passed
from sparks.table.port import Absent, Change, Delete, Equals, Present, Put, Table

BACKSTOP: Final = timedelta(days=30)  # how long after its end the table itself may drop a link
MOST_PERSONS: Final = 5
AT_ONCE: Final = 100

NOTHING_ALLOWED: Final = "say what the link allows: view, download, upload, find"
UNSEEN: Final = "what is to be downloaded must be seen: allow view or find too"
OVER: Final = "a link must expire in the future: choose a later time"
UNKNOWN_TYPE: Final = "`{}` is no type of file: write image, video, or one type such as image/jpeg"

_TYPE: Final = re.compile(r"(image|video)(/[a-z0-9.+-]{1,60})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTerms:
    """What a link is made with. BadInput for what makes no sense."""

    allow: frozenset[LinkPermission]
    password_hash: str | None = None
    expires_at: datetime | None = None
    reveal_at: datetime | None = None
    moderated: bool = False
    show_metadata: bool = False
    ask_name: bool = False
    caps: Caps | None = None
    persons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_allowed(self.allow)
        check_types(self.caps)
        if len(self.persons) > MOST_PERSONS:
            raise BadInput(f"a link is about at most {MOST_PERSONS} persons")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEdit:
    """What is not named stays as it is; None clears."""

    allow: frozenset[LinkPermission] | Kept = KEPT
    password_hash: str | Kept | None = KEPT
    expires_at: datetime | Kept | None = KEPT
    reveal_at: datetime | Kept | None = KEPT
    moderated: bool | Kept = KEPT
    show_metadata: bool | Kept = KEPT
    ask_name: bool | Kept = KEPT
    caps: Caps | Kept | None = KEPT

    def applied_to(self, link: ShareLink) -> ShareLink:
        named: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(link, **{name: value for name, value in named.items() if value is not KEPT})


def make_link(
    album: Album, terms: LinkTerms, *, by: str, also: Sequence[Change] = (), at: datetime, table: Table
) -> tuple[ShareLink, Secret]:
    """The row, and the secret that the link carries, which nobody can tell later. NotFound where the album is gone."""
    _check_end(terms.expires_at, at)
    secret = new_secret()
    made = ShareLink(
        link_id=secret.id,
        album_id=album.album_id,
        secret_hash=secret.hash,
        created_by=by,
        created_at=at,
        **{field.name: getattr(terms, field.name) for field in fields(terms)},
    )
    link = _settled(made)
    try:
        table.write(while_album_is_there(album.album_id), Put(to_item(link), when=(Absent(),)), *also)
    except ConditionFailed as failed:
        raise NotFound(NO_ALBUM) from failed
    return link, secret


def edit_link(link: ShareLink, edit: LinkEdit, *, at: datetime, table: Table) -> ShareLink:
    """The link as it is now. Caps count what came before, too: a lower one lets nothing more in, and takes nothing
    away. NotFound where it was revoked.
    """
    check_allowed(link.allow if edit.allow is KEPT else edit.allow)
    check_types(None if edit.caps is KEPT else edit.caps)
    if edit.expires_at is not KEPT:
        _check_end(edit.expires_at, at)
    for _ in range(TRIES):
        before = find_link(link.link_id, table=table)
        if before is None:
            raise NotFound(NO_LINK)
        after = _settled(edit.applied_to(before))
        as_seen = (Present(), Equals("count", before.photo_count), Equals("bytes", before.byte_count))
        try:
            table.write(changes(before, after, when=as_seen))
        except ConditionFailed:
            continue  # a photo came or went: what is left is another number now
        return after
    raise Busy("many upload through this link at this moment: try again")


def revoke_link(link: ShareLink, *, also: Sequence[Change] = (), table: Table) -> None:
    """Nobody comes in by it from now on, and whoever did is out; what they brought stays. NotFound where it is gone.

    [Note: guests last] Their rows let nobody in without the link's. Those that are left behind, because whoever revokes
    was interrupted, the table drops by itself.
    """
    try:
        table.write(Delete(key_of(link), (Present(),)), *also)
    except ConditionFailed as failed:
        raise NotFound(NO_LINK) from failed
    guests = guests_of(link.link_id, table=table)
    while some := list(islice(guests, AT_ONCE)):
        table.write(*(Delete(key_of(guest)) for guest in some))


def check_allowed(allow: Collection[LinkPermission]) -> None:
    if not allow:
        raise BadInput(NOTHING_ALLOWED)
    if LinkPermission.DOWNLOAD in allow and not {LinkPermission.VIEW, LinkPermission.FIND} & set(allow):
        raise BadInput(UNSEEN)


def check_types(caps: Caps | None) -> None:
    for each in () if caps is None else caps.types:
        if _TYPE.fullmatch(each) is None:
            raise BadInput(UNKNOWN_TYPE.format(each[:40]))


def _check_end(expires_at: datetime | None, at: datetime) -> None:
    if expires_at is not None and has_passed(expires_at, at=at):
        raise BadInput(OVER)


def _settled(link: ShareLink) -> ShareLink:
    """With what follows from the rest: what is left of its caps, and when the table may drop it."""
    photos_left, bytes_left = left_of(link)
    ttl = None if link.expires_at is None else link.expires_at + BACKSTOP
    return replace(link, photos_left=photos_left, bytes_left=bytes_left, ttl=ttl)

"""Share links: found, created, edited and revoked."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.albums.album_lookup import NO_ALBUM, while_album_is_there
from sparks.library.photos.photo_edit import UNCHANGED, Unchanged
from sparks.library.photos.photo_rows import TRIES
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.library.sharing.guest_uploads import remaining_of
from sparks.model.access import NOT_THERE
from sparks.model.album import Album
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotFound
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Guest, LinkCaps, LinkPermission, ShareLink
from sparks.model.times import has_passed
from sparks.table.port import Absent, Change, Delete, Equals, Key, Present, Put, Table, every

NO_LINK: Final = NOT_THERE.format("link")
BACKSTOP: Final = timedelta(days=30)  # how long after its end the table itself may drop a link
MAX_PERSONS: Final = 5
BATCH_SIZE: Final = 90  # wrappers of the table add changes
NOTHING_ALLOWED: Final = "say what the link allows: view, download, upload, find"
UNSEEN: Final = "guests can download only what they see: allow view or find, too"
OVER: Final = "a link must expire in the future: choose a later time"
UNKNOWN_TYPE: Final = "`{}` is no type of file: write image, video, or one type such as image/jpeg"
_TYPE: Final = re.compile(r"(image|video)(/[a-z0-9.+-]{1,60})?", re.ASCII)


def find_link(link_id: str, *, table: Table) -> ShareLink | None:
    """None where there is none, or this is no id."""
    try:
        item = table.get(keys.share_link(keys.key_piece(link_id)))
    except BadInput:
        return None
    return None if item is None else from_item(ShareLink, item)


def links_of_album(album_id: str, *, table: Table) -> list[ShareLink]:
    """The links of an album, the newest first. The index lists them; their own rows decide."""
    listed = [Key(row["PK"], row["SK"]) for row in every(table, entity_types.share_link(album_id), only=frozenset())]
    found = (from_item(ShareLink, row) for row in table.get_many(listed).values())
    theirs = [link for link in found if link.album_id == album_id]
    return sorted(theirs, key=lambda link: (link.created_at, link.link_id), reverse=True)


def guests_of(link_id: str, *, table: Table) -> Iterator[Guest]:
    return (from_item(Guest, row) for row in every(table, keys.link_rows(link_id), keys.GUESTS))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLinkSettings:
    """The settings of a new link. BadInput for settings that make no sense."""

    allow: frozenset[LinkPermission]
    password_hash: str | None = None
    expires_at: datetime | None = None
    reveal_at: datetime | None = None
    moderated: bool = False
    show_metadata: bool = False
    ask_name: bool = False
    caps: LinkCaps | None = None
    persons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_allowed(self.allow)
        check_types(self.caps)
        if len(self.persons) > MAX_PERSONS:
            raise BadInput(f"a link can be limited to at most {MAX_PERSONS} persons")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEdit:
    """Fields that are not given stay as they are; None clears."""

    allow: frozenset[LinkPermission] | Unchanged = UNCHANGED
    password_hash: str | Unchanged | None = UNCHANGED
    expires_at: datetime | Unchanged | None = UNCHANGED
    reveal_at: datetime | Unchanged | None = UNCHANGED
    moderated: bool | Unchanged = UNCHANGED
    show_metadata: bool | Unchanged = UNCHANGED
    ask_name: bool | Unchanged = UNCHANGED
    caps: LinkCaps | Unchanged | None = UNCHANGED

    def applied_to(self, link: ShareLink) -> ShareLink:
        named: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(link, **{name: value for name, value in named.items() if value is not UNCHANGED})


def create_link(
    album: Album, pipeline: NewLinkSettings, *, by: str, also: Sequence[Change] = (), at: datetime, table: Table
) -> tuple[ShareLink, Secret]:
    """The row, and the secret of the link, which cannot be read later. NotFound where the album is deleted."""
    _check_end(pipeline.expires_at, at)
    secret = new_secret()
    made = ShareLink(
        link_id=secret.id,
        album_id=album.album_id,
        secret_hash=secret.hash,
        created_by=by,
        created_at=at,
        **{field.name: getattr(pipeline, field.name) for field in fields(pipeline)},
    )
    link = _settled(made)
    try:
        table.write(while_album_is_there(album.album_id), Put(to_item(link), when=(Absent(),)), *also)
    except ConditionFailed as failed:
        raise NotFound(NO_ALBUM) from failed
    return link, secret


def edit_link(link: ShareLink, edit: LinkEdit, *, at: datetime, table: Table) -> ShareLink:
    """The link as it is now. Caps count former uploads, too: a lower cap only stops further ones. NotFound where it was
    revoked.
    """
    check_allowed(link.allow if edit.allow is UNCHANGED else edit.allow)
    check_types(None if edit.caps is UNCHANGED else edit.caps)
    if edit.expires_at is not UNCHANGED:
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
            continue  # a photo was added or deleted: another number is left now
        return after
    raise Busy("many guests are uploading through this link right now: try again")


def revoke_link(link: ShareLink, *, also: Sequence[Change] = (), table: Table) -> None:
    """Closes the link and the sessions of its guests; uploads stay. NotFound where it is revoked already.

    The rows of guests are deleted last, since they are useless without the link's. Rows that an interrupted run leaves
    are dropped by the table.
    """
    try:
        table.write(Delete(key_of(link), (Present(),)), *also)
    except ConditionFailed as failed:
        raise NotFound(NO_LINK) from failed
    guests = guests_of(link.link_id, table=table)
    while some := list(islice(guests, BATCH_SIZE)):
        table.write(*(Delete(key_of(guest)) for guest in some))


def check_allowed(allow: Collection[LinkPermission]) -> None:
    if not allow:
        raise BadInput(NOTHING_ALLOWED)
    if LinkPermission.DOWNLOAD in allow and not {LinkPermission.VIEW, LinkPermission.FIND} & set(allow):
        raise BadInput(UNSEEN)


def check_types(caps: LinkCaps | None) -> None:
    for each in () if caps is None else caps.types:
        if _TYPE.fullmatch(each) is None:
            raise BadInput(UNKNOWN_TYPE.format(each[:40]))


def _check_end(expires_at: datetime | None, at: datetime) -> None:
    if expires_at is not None and has_passed(expires_at, at=at):
        raise BadInput(OVER)


def _settled(link: ShareLink) -> ShareLink:
    """The link with what is left of its caps, and the time from which the table may drop it."""
    photos_left, bytes_left = remaining_of(link)
    ttl = None if link.expires_at is None else link.expires_at + BACKSTOP
    return replace(link, photos_left=photos_left, bytes_left=bytes_left, ttl=ttl)

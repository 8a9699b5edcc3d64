"""Live events for open pages: rows that say which photo, persons or albums changed.

An event holds the photo's id encrypted, since it outlives the photo by up to an hour. An event about persons names none
of them.

Events of all albums are in one scope. Each names its albums, and a reader passes on those of the caller. So a member of
a hundred albums reads no more scopes than a member of none, and an event is written once however many members there
are.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sparks.library import keys
from sparks.library.encryption import seal, unseal
from sparks.library.records import key_of, to_item
from sparks.model.audience import audience_of
from sparks.model.errors import ConditionFailed
from sparks.model.ids import new_event_id
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import ALBUMS, COMMUNITY, Scope, album_of, owner_of, scope_of_owner
from sparks.model.system_records import LiveEvent
from sparks.model.times import now
from sparks.table.port import AttributeAbsent, Change, Check, Present, Put, Table

PHOTO: Final = "photo"  # kind of event, and the field of its body
PEOPLE: Final = "people"
ALBUM: Final = "album"  # kind of event, and the field with the album that a user joined or left
IN_ALBUMS: Final = "albums"  # the field with the albums of an event
PURPOSE: Final = "live event"
KEEP_FOR: Final = timedelta(hours=1)


class EventPhoto(NamedTuple):
    """The photo that an event is about."""

    image_id: str
    owner: str


def announce(
    before: Photo | None,
    after: Photo | None,
    *,
    at: datetime,
    also: Sequence[Change] = (),
    table: Table,
    keyring: Keyring,
) -> None:
    """Announces the photo to the pages of its audience `before` and `after`; None where it did not exist yet, or is
    deleted. `also` is part of the same transaction: ConditionFailed where a change of it fails.

    The event does not hold the photo's state: each reader looks up what the caller may see by then. So it may be
    announced late, twice, or without need.
    """
    known = [photo for photo in (before, after) if photo is not None]
    scopes = {scope for photo in known for scope in audience_of(photo)}
    if known:
        announce_in(
            scopes, EventPhoto(known[0].image_id, known[0].owner), at=at, also=also, table=table, keyring=keyring
        )


def announce_in(
    scopes: Iterable[Scope],
    photo: EventPhoto,
    *,
    at: datetime,
    also: Sequence[Change] = (),
    table: Table,
    keyring: Keyring,
) -> None:
    """Announces the photo to the pages of these scopes (at least one), all or none; `also` as in `announce`."""
    body = {PHOTO: seal(PURPOSE, f"{photo.image_id} {photo.owner}", keyring)}
    event_id, ttl, unique = new_event_id(), at + KEEP_FOR, set(scopes)
    albums = sorted(album for album in map(album_of, unique) if album is not None)
    events = [
        LiveEvent(scope=scope, event_id=event_id, kind=PHOTO, body=body, ttl=ttl)
        for scope in sorted(unique)
        if album_of(scope) is None
    ]
    if albums:
        within = {**body, IN_ALBUMS: albums}
        events.append(LiveEvent(scope=ALBUMS, event_id=event_id, kind=PHOTO, body=within, ttl=ttl))
    table.write(*also, *(Put(to_item(event)) for event in events))


def announce_while_there(
    scopes: Iterable[Scope], photo: Photo, *, at: datetime, table: Table, keyring: Keyring
) -> None:
    """As `announce_in`, while the photo's row exists. Once it is gone, the deletion has announced that, and the owner
    may be gone, too.
    """
    there = Check(key_of(photo), (Present(),))
    try:
        announce_in(scopes, EventPhoto(photo.image_id, photo.owner), at=at, also=(there,), table=table, keyring=keyring)
    except ConditionFailed:
        return


def announce_people(scopes: Collection[Scope], *, at: datetime, table: Table) -> None:
    """Announces that persons of these scopes changed, or are shown differently; nothing happens without scopes.

    Every page follows the community, so an event there is enough. A user whose account is being removed gets no event:
    it would outlast the account.
    """
    albums = sorted(album for album in map(album_of, scopes) if album is not None)
    if albums and COMMUNITY not in scopes:
        body = {IN_ALBUMS: albums}
        table.write(
            Put(to_item(LiveEvent(scope=ALBUMS, event_id=new_event_id(), kind=PEOPLE, body=body, ttl=at + KEEP_FOR)))
        )
    owners = [scope for scope in sorted(scopes) if owner_of(scope) is not None]
    for scope in [COMMUNITY] if COMMUNITY in scopes else owners:
        there = () if scope == COMMUNITY else (Check(keys.user(scope), (Present(), AttributeAbsent("removedAt"))),)
        event = LiveEvent(scope=scope, event_id=new_event_id(), kind=PEOPLE, ttl=at + KEEP_FOR)
        try:
            table.write(*there, Put(to_item(event)))
        except ConditionFailed:
            continue


def announce_albums(album_ids: Collection[str], *, at: datetime, table: Table) -> None:
    """Announces to their members that the title, members or comments of the albums changed."""
    event = LiveEvent(
        scope=ALBUMS, event_id=new_event_id(), kind=ALBUM, body={IN_ALBUMS: sorted(album_ids)}, ttl=at + KEEP_FOR
    )
    table.write(Put(to_item(event)))


def membership_changed(album_id: str, email: str, *, at: datetime) -> Put:
    """The row that announces to a user that they joined or left an album."""
    body, scope = {ALBUM: album_id}, scope_of_owner(email)
    return Put(to_item(LiveEvent(scope=scope, event_id=new_event_id(), kind=ALBUM, body=body, ttl=at + KEEP_FOR)))


@contextmanager
def people_announced(*, table: Table) -> Iterator[set[Scope]]:
    """Announces once the scopes that the block added, also where the block fails."""
    touched: set[Scope] = set()
    try:
        yield touched
    finally:
        announce_people(touched, at=now(), table=table)


def photo_of(event: LiveEvent, *, keyring: Keyring) -> EventPhoto:
    """BadSignature where the secret that encrypted it is not in use any more."""
    image_id, _, owner = unseal(PURPOSE, str(event.body.get(PHOTO, "")), keyring).partition(" ")
    return EventPhoto(image_id, owner)

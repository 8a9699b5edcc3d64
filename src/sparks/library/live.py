"""What open pages show at once: something has happened to a photo, whose row says how it is now; or to persons.

An event holds the photo's id sealed: it outlives the photo by an hour, and nothing that does may tell its id. One about
persons names nobody.

[Note: albums] What is told of albums, all members of any album are told in one place: it names the albums, and whoever
hears it is told what is about theirs. So a member of a hundred albums listens to no more than a member of none, and an
event is written once however many members there are.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sparks.library import keys
from sparks.library.records import key_of, to_item
from sparks.library.sealing import seal, unseal
from sparks.model.errors import ConditionFailed
from sparks.model.ids import new_event_id
from sparks.model.keyring import Keyring
from sparks.model.ledger import LiveEvent
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import ALBUMS, COMMUNITY, Scope, album_of, owner_of, scope_of_album, scope_of_owner
from sparks.model.times import now
from sparks.table.port import AttributeAbsent, Change, Check, Present, Put, Table

PHOTO: Final = "photo"  # the kind of event, and where its body names the photo
PEOPLE: Final = "people"
ALBUM: Final = "album"  # the kind of event, and where its body names the album that somebody joined or left
IN_ALBUMS: Final = "albums"  # where a body names the albums that it is about
PURPOSE: Final = "live event"
KEPT: Final = timedelta(hours=1)


class Named(NamedTuple):
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
    """Tells the pages of its owner and, where it is or was in the community, everyone's. None: not there yet, or gone.
    `also` is part of the same transaction: ConditionFailed where a change of it fails.

    Nobody learns from the event itself how the photo is: whoever listens is told what they may see by then. So it may
    be announced late, twice, or for nothing.
    """
    known = [photo for photo in (before, after) if photo is not None]
    scopes = {scope for photo in known for scope in scopes_showing(photo)}
    if known:
        announce_in(scopes, Named(known[0].image_id, known[0].owner), at=at, also=also, table=table, keyring=keyring)


def announce_in(
    scopes: Iterable[Scope],
    photo: Named,
    *,
    at: datetime,
    also: Sequence[Change] = (),
    table: Table,
    keyring: Keyring,
) -> None:
    """Tells the pages of these scopes (at least one), all of them or none; `also` as in `announce`."""
    body = {PHOTO: seal(PURPOSE, f"{photo.image_id} {photo.owner}", keyring)}
    event_id, ttl, told = new_event_id(), at + KEPT, set(scopes)
    albums = sorted(album for album in map(album_of, told) if album is not None)
    events = [
        LiveEvent(scope=scope, event_id=event_id, kind=PHOTO, body=body, ttl=ttl)
        for scope in sorted(told)
        if album_of(scope) is None
    ]
    if albums:
        within = {**body, IN_ALBUMS: albums}
        events.append(LiveEvent(scope=ALBUMS, event_id=event_id, kind=PHOTO, body=within, ttl=ttl))
    table.write(*also, *(Put(to_item(event)) for event in events))


def announce_while_there(
    scopes: Iterable[Scope], photo: Photo, *, at: datetime, table: Table, keyring: Keyring
) -> None:
    """As `announce_in`, while its row is there: once that is gone, whoever erased it has done so, and its owner may be
    gone too.
    """
    there = Check(key_of(photo), (Present(),))
    try:
        announce_in(scopes, Named(photo.image_id, photo.owner), at=at, also=(there,), table=table, keyring=keyring)
    except ConditionFailed:
        return


def announce_people(scopes: Collection[Scope], *, at: datetime, table: Table) -> None:
    """Tells the pages that persons of these scopes are others now, or seen in another way; none: nothing happens.

    Everyone hears what the community is told, so where that is among them it is told alone. Who is being removed is
    told nothing: it would outlast the account.
    """
    albums = sorted(album for album in map(album_of, scopes) if album is not None)
    if albums and COMMUNITY not in scopes:
        body = {IN_ALBUMS: albums}
        table.write(
            Put(to_item(LiveEvent(scope=ALBUMS, event_id=new_event_id(), kind=PEOPLE, body=body, ttl=at + KEPT)))
        )
    heard = [scope for scope in sorted(scopes) if owner_of(scope) is not None]
    for scope in [COMMUNITY] if COMMUNITY in scopes else heard:
        there = () if scope == COMMUNITY else (Check(keys.user(scope), (Present(), AttributeAbsent("removedAt"))),)
        event = LiveEvent(scope=scope, event_id=new_event_id(), kind=PEOPLE, ttl=at + KEPT)
        try:
            table.write(*there, Put(to_item(event)))
        except ConditionFailed:
            continue


def announce_albums(album_ids: Collection[str], *, at: datetime, table: Table) -> None:
    """Tells their members that the albums themselves are others now: their words, members or comments."""
    event = LiveEvent(
        scope=ALBUMS, event_id=new_event_id(), kind=ALBUM, body={IN_ALBUMS: sorted(album_ids)}, ttl=at + KEPT
    )
    table.write(Put(to_item(event)))


def membership_changed(album_id: str, email: str, *, at: datetime) -> Put:
    """The row to write so that somebody is told that they are a member of an album, or are so no more."""
    body, scope = {ALBUM: album_id}, scope_of_owner(email)
    return Put(to_item(LiveEvent(scope=scope, event_id=new_event_id(), kind=ALBUM, body=body, ttl=at + KEPT)))


@contextmanager
def people_told(*, table: Table) -> Iterator[set[Scope]]:
    """Announces the scopes that were added, once, also where what was done with them ends early."""
    touched: set[Scope] = set()
    try:
        yield touched
    finally:
        announce_people(touched, at=now(), table=table)


def photo_of(event: LiveEvent, *, keyring: Keyring) -> Named:
    """BadSignature where it was sealed with a secret that is not in use any more."""
    image_id, _, owner = unseal(PURPOSE, str(event.body.get(PHOTO, "")), keyring).partition(" ")
    return Named(image_id, owner)


def scopes_showing(photo: Photo) -> set[Scope]:
    """Whose pages may show it, as it is."""
    albums = map(scope_of_album, photo.albums if photo.state is PhotoState.READY else ())
    return {scope_of_owner(photo.owner), *albums} | ({COMMUNITY} if in_community(photo) else set())


def in_community(photo: Photo) -> bool:
    return photo.state is PhotoState.READY and photo.visibility is Visibility.COMMUNITY

"""What open pages show at once: something has happened to a photo. Its row says how it is now.

An event holds the photo's id sealed: it outlives the photo by an hour, and nothing that does may tell its id.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sparks.library.records import to_item
from sparks.library.sealing import seal, unseal
from sparks.model.ids import new_event_id
from sparks.model.keyring import Keyring
from sparks.model.ledger import LiveEvent
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.table.port import Change, Put, Table

PHOTO: Final = "photo"  # the kind of event, and where its body names the photo
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
    scopes = {scope_of_owner(photo.owner) for photo in known} | {COMMUNITY for photo in known if in_community(photo)}
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
    event_id, ttl = new_event_id(), at + KEPT
    events = [LiveEvent(scope=scope, event_id=event_id, kind=PHOTO, body=body, ttl=ttl) for scope in sorted(scopes)]
    table.write(*also, *(Put(to_item(event)) for event in events))


def photo_of(event: LiveEvent, *, keyring: Keyring) -> Named:
    """BadSignature where it was sealed with a secret that is not in use any more."""
    image_id, _, owner = unseal(PURPOSE, str(event.body.get(PHOTO, "")), keyring).partition(" ")
    return Named(image_id, owner)


def in_community(photo: Photo) -> bool:
    return photo.state is PhotoState.READY and photo.visibility is Visibility.COMMUNITY

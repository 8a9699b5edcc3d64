"""The lists, months, persons and open pages that follow a photo.

[Note: what it was] Only the rows that lead to a photo still tell which months it was in before somebody changed it, and
whether the community saw it there. They are read first, since settling makes them agree with the photo as it is now.
"""

from sparks.blobs.port import Blobs
from sparks.library import keys
from sparks.library.live import Named, announce_in, in_community
from sparks.library.months import Month, settle_months
from sparks.library.people import settle_people
from sparks.library.photos import read_photo
from sparks.model import times
from sparks.model.errors import ConditionFailed
from sparks.model.events import PhotoChanged, PhotoEvent, RenditionsReady
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.terms import Terms
from sparks.table.port import Check, Present, Table


def show_photo(event: RenditionsReady, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    """It is in its months and tags, and open pages show it."""
    _follow(event, table=table, blobs=blobs, keyring=keyring, terms=terms)


def update_lists(event: PhotoChanged, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    """It is where it belongs now, and nowhere else."""
    _follow(event, table=table, blobs=blobs, keyring=keyring, terms=terms)


def _follow(event: PhotoEvent, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    months = settle_months(event.image_id, event.owner, table=table, blobs=blobs, keyring=keyring)
    settle_people(event.image_id, event.owner, enough=terms.enough, table=table)
    _announce(event, months, table, keyring)


def _announce(event: PhotoEvent, months: frozenset[Month], table: Table, keyring: Keyring) -> None:
    """While its row is there: once that is gone, whoever erased it has done so, and its owner may be gone too."""
    key = keys.photo(event.image_id, event.owner)
    photo = read_photo(key, table=table)
    if photo is None:
        return
    scopes, there = _scopes(photo, months), Check(key, (Present(),))
    named = Named(event.image_id, event.owner)
    try:
        announce_in(scopes, named, at=times.now(), also=(there,), table=table, keyring=keyring)
    except ConditionFailed:
        return


def _scopes(photo: Photo, months: frozenset[Month]) -> set[Scope]:
    """Where it was or is shown. A photo that expires is in no month, and shown all the same."""
    shown = {COMMUNITY} if in_community(photo) else set()
    return {scope_of_owner(photo.owner), *(month.scope for month in months)} | shown

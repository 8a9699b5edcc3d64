"""The lists, months, persons and open pages that follow a photo.

[Note: what it was] Only the rows that lead to a photo still tell which months it was in before somebody changed it, and
whether the community saw it there. They are read first, since settling makes them agree with the photo as it is now.
"""

from sparks.blobs.port import Blobs
from sparks.library import keys
from sparks.library.live import announce_people, announce_while_there, scopes_showing
from sparks.library.months import Month, settle_months
from sparks.library.people import settle_people
from sparks.library.photos import read_photo
from sparks.model import times
from sparks.model.events import PhotoChanged, PhotoEvent, RenditionsReady
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import Scope
from sparks.model.terms import Terms
from sparks.table.port import Table


def show_photo(event: RenditionsReady, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    """It is in its months and tags, and open pages show it."""
    _follow(event, table=table, blobs=blobs, keyring=keyring, terms=terms)


def update_lists(event: PhotoChanged, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    """It is where it belongs now, and nowhere else."""
    _follow(event, table=table, blobs=blobs, keyring=keyring, terms=terms)


def _follow(event: PhotoEvent, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    months = settle_months(event.image_id, event.owner, table=table, blobs=blobs, keyring=keyring)
    touched = settle_people(event.image_id, event.owner, enough=terms.enough, table=table)
    photo, at = read_photo(keys.photo(event.image_id, event.owner), table=table), times.now()
    if photo is not None:
        announce_while_there(_scopes(photo, months), photo, at=at, table=table, keyring=keyring)
    announce_people(touched, at=at, table=table)


def _scopes(photo: Photo, months: frozenset[Month]) -> set[Scope]:
    """Where it was or is shown. A photo that expires is in no month, and shown all the same."""
    return scopes_showing(photo) | {month.scope for month in months}

"""All that follows a photo: its months and tags, its persons, the albums that count it, and open pages.

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
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import Scope
from sparks.table.port import Table


def follow_photo(
    image_id: str, owner: str, *, enough: int | None = None, table: Table, blobs: Blobs, keyring: Keyring
) -> None:
    """It is where it belongs now and nowhere else, and open pages show that. `enough` photos make a person listed;
    None: as many as did before.
    """
    months = settle_months(image_id, owner, table=table, blobs=blobs, keyring=keyring)
    touched = settle_people(image_id, owner, enough=enough, table=table)
    photo, at = read_photo(keys.photo(image_id, owner), table=table), times.now()
    if photo is not None:
        announce_while_there(_scopes(photo, months), photo, at=at, table=table, keyring=keyring)
    announce_people(touched, at=at, table=table)


def _scopes(photo: Photo, months: frozenset[Month]) -> set[Scope]:
    """Where it was or is shown. A photo that expires is in no month, and shown all the same."""
    return scopes_showing(photo) | {month.scope for month in months}

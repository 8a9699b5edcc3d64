"""Updates months, tags, persons, album counts and live pages after a photo changed.

Only the rows that lead to a photo still show in which months it was before the change, and whether the community saw it
there. They are read first, since reconciling makes them agree with the photo as it is now.
"""

from sparks.blobs.port import Blobs
from sparks.library import keys
from sparks.library.live_events import announce_people, announce_while_there
from sparks.library.people.person_picture import update_due_pictures
from sparks.library.people.reconcile import reconcile_people
from sparks.library.photos.photo_rows import read_photo
from sparks.library.timeline_blobs import ScopeMonth, settle_months
from sparks.model import times
from sparks.model.audience import audience_of
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import Scope
from sparks.table.port import Table


def update_followups(
    image_id: str, owner: str, *, min_photos: int | None = None, table: Table, blobs: Blobs, keyring: Keyring
) -> None:
    """Makes all rows that follow from the photo agree with it, and announces that to open pages. A person in at least
    `min_photos` photos is listed; None keeps the number that was used before.
    """
    months = settle_months(image_id, owner, table=table, blobs=blobs, keyring=keyring)
    touched = reconcile_people(image_id, owner, min_photos=min_photos, table=table)
    photo, at = read_photo(keys.photo(image_id, owner), table=table), times.now()
    if photo is not None:
        update_due_pictures(photo.persons, table=table, blobs=blobs)
        announce_while_there(_scopes(photo, months), photo, at=at, table=table, keyring=keyring)
    announce_people(touched, at=at, table=table)


def _scopes(photo: Photo, months: frozenset[ScopeMonth]) -> frozenset[Scope]:
    """The scopes in which it was or is shown. A photo with an expiry is in no month, but shown."""
    return audience_of(photo) | {month.scope for month in months}

"""Marking photos as favourites: whoever sees one may, and nobody else learns of it."""

from collections.abc import Callable
from datetime import datetime

from sparks.library.access import photo_for
from sparks.library.accounts import while_there
from sparks.library.photos import set_favourite, unset_favourite
from sparks.model.access import SIGN_IN, Action
from sparks.model.caller import Member, Who, name_of
from sparks.model.errors import ConditionFailed, NotSignedIn
from sparks.model.photo import Photo
from sparks.table.port import Table


class Marks:
    def __init__(self, *, table: Table, clock: Callable[[], datetime]) -> None:
        self._table = table
        self._now = clock

    def mark(self, who: Who, image_id: str, *, favourite: bool) -> tuple[Photo, bool]:
        """The photo, and whether it was not so before. NotFound for a photo that is not there or not to be seen,
        NotSignedIn where the caller's account is closed this moment.
        """
        at = self._now()
        photo = photo_for(who, Action.MARK_PHOTO, image_id, at=at, table=self._table)
        if not favourite:
            return photo, unset_favourite(photo.image_id, name_of(who), table=self._table)
        return photo, self._set(photo, who, at)

    def _set(self, photo: Photo, who: Who, at: datetime) -> bool:
        still = (while_there(who.user),) if isinstance(who, Member) else ()
        try:
            return set_favourite(photo.image_id, photo.owner, name_of(who), at=at, also=still, table=self._table)
        except ConditionFailed as error:
            raise NotSignedIn(SIGN_IN) from error

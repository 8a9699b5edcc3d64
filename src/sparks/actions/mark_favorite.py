"""Action that marks or unmarks a photo as a favorite."""

from datetime import datetime

from sparks.library.accounts.lifecycle import while_account_open
from sparks.library.authorized_reads import photo_for
from sparks.library.photos.favorites import set_favorite, unset_favorite
from sparks.model.access import SIGN_IN, Action
from sparks.model.caller import Caller, Member, caller_name
from sparks.model.errors import ConditionFailed, NotSignedIn
from sparks.model.photo import Photo
from sparks.table.port import Table


def mark_favorite(caller: Caller, image_id: str, *, favorite: bool, at: datetime, table: Table) -> tuple[Photo, bool]:
    """The photo, and whether its mark was changed. NotFound for a photo that the caller does not see; NotSignedIn where
    the caller's account is being closed.
    """
    photo = photo_for(caller, Action.MARK_PHOTO, image_id, at=at, table=table)
    if not favorite:
        return photo, unset_favorite(photo.image_id, caller_name(caller), table=table)
    open_account = (while_account_open(caller.user),) if isinstance(caller, Member) else ()
    try:
        is_new = set_favorite(photo.image_id, photo.owner, caller_name(caller), at=at, also=open_account, table=table)
    except ConditionFailed as error:
        raise NotSignedIn(SIGN_IN) from error
    return photo, is_new

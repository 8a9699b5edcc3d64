"""What `authorize` needs to know, read by key: an index may lag, and must not decide."""

from datetime import datetime

from sparks.library import keys
from sparks.library.accounts import find_user
from sparks.library.photos import find_photo
from sparks.library.records import from_item
from sparks.model.access import NOT_THERE, Action, AskedPhoto, AskedUser, admit, authorize
from sparks.model.account import User, account_email
from sparks.model.album import AlbumMember
from sparks.model.caller import Member, Who
from sparks.model.errors import BadInput, NotFound
from sparks.model.photo import Photo, Visibility
from sparks.table.port import Table


def photo_for(who: Who, action: Action, image_id: str, *, at: datetime, table: Table) -> Photo:
    """The photo, if `who` may do this with it; what they may not see is NotFound, as what is not there."""
    admit(who, action)
    photo = find_photo(image_id, table=table)
    if photo is None:
        raise NotFound(NOT_THERE.format("photo"))
    authorize(who, action, _asked(who, photo, table), at=at)
    return photo


def may_see(who: Who, photo: Photo, *, at: datetime, table: Table) -> bool:
    try:
        authorize(who, Action.SEE_PHOTO, _asked(who, photo, table), at=at)
    except NotFound:
        return False
    return True


def user_for(who: Who, action: Action, email: str, *, at: datetime, table: Table) -> User:
    """The user, if `who` may do this with them."""
    admit(who, action)
    try:
        user = find_user(account_email(email), table=table)
    except BadInput:
        user = None
    if user is None:
        raise NotFound(NOT_THERE.format("user"))
    authorize(who, action, AskedUser(user), at=at)
    return user


def _asked(who: Who, photo: Photo, table: Table) -> AskedPhoto:
    """Whoever owns the photo, or sees it in the community, needs no album for it."""
    if not isinstance(who, Member) or who.email == photo.owner or photo.visibility is Visibility.COMMUNITY:
        return AskedPhoto(photo)
    found = table.get_many([keys.album_member(album_id, who.email) for album_id in photo.albums])
    return AskedPhoto(photo, frozenset(from_item(AlbumMember, item).role for item in found.values()))

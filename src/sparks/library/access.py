"""What `authorize` needs to know, read by key: an index may lag, and must not decide."""

from collections.abc import Iterable
from datetime import datetime

from sparks.library import keys
from sparks.library.accounts import find_user
from sparks.library.albums import NO_ALBUM, JoinedAlbum, find_album, find_joined
from sparks.library.face_log import faces_by_id
from sparks.library.people import SeenPerson, see_person
from sparks.library.photos import find_photo
from sparks.library.records import from_item
from sparks.model.access import (
    NOT_THERE,
    Action,
    AskedAlbum,
    AskedPerson,
    AskedPhoto,
    AskedUser,
    admit,
    authorize,
)
from sparks.model.account import User, account_email
from sparks.model.album import AlbumMember
from sparks.model.caller import Member, Who
from sparks.model.errors import BadInput, NotFound
from sparks.model.face import Face
from sparks.model.ids import is_uuid
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


def may_see(who: Who, photo: Photo, *, action: Action = Action.SEE_PHOTO, at: datetime, table: Table) -> bool:
    """Whether `who`, who may ask for this, sees the photo to do it with."""
    try:
        authorize(who, action, _asked(who, photo, table), at=at)
    except NotFound:
        return False
    return True


def faces_for(
    who: Who, action: Action, face_ids: Iterable[str], *, at: datetime, table: Table
) -> list[tuple[Face, Photo]]:
    """Each of the faces with its photo, in their order and each once. NotFound where one of them is not there, or in a
    photo that `who` may not do this with.
    """
    admit(who, action)
    wanted = list(dict.fromkeys(face_ids))
    faces = faces_by_id([face_id for face_id in wanted if is_uuid(face_id)], table=table)
    named = {keys.photo(face.image_id, face.owner) for face in faces.values()}
    photos = {key.pk: from_item(Photo, row) for key, row in table.get_many(list(named)).items()}
    allowed = {image_id for image_id, photo in photos.items() if may_see(who, photo, action=action, at=at, table=table)}
    if any(face_id not in faces or faces[face_id].image_id not in allowed for face_id in wanted):
        raise NotFound(NOT_THERE.format("face"))
    return [(faces[face_id], photos[faces[face_id].image_id]) for face_id in wanted]


def person_for(who: Who, action: Action, person_id: str, *, at: datetime, table: Table) -> SeenPerson:
    """The person whom the id leads to, as `who` sees them, if they may do this with them."""
    admit(who, action)
    try:
        seen = see_person(who, person_id, table=table)
    except NotFound as error:
        raise NotFound(NOT_THERE.format("person")) from error
    is_caller = isinstance(who, Member) and who.user.person_id in seen.ids
    authorize(who, action, AskedPerson(seen.person, seen.scopes, is_caller), at=at)
    return seen


def may_see_person(who: Who, seen: SeenPerson, *, at: datetime) -> bool:
    try:
        authorize(who, Action.SEE_PERSONS, AskedPerson(seen.person, seen.scopes), at=at)
    except NotFound:
        return False
    return True


def album_for(who: Who, action: Action, album_id: str, *, at: datetime, table: Table) -> JoinedAlbum:
    """The album and what `who` is in it, if they may do this with it; a guest is nothing in it."""
    admit(who, action)
    if isinstance(who, Member):
        joined = find_joined(album_id, who.email, table=table)
    else:
        album = find_album(album_id, table=table)
        joined = None if album is None else JoinedAlbum(album, None)
    if joined is None:
        raise NotFound(NO_ALBUM)
    authorize(who, action, AskedAlbum(joined.album, joined.role), at=at)
    return joined


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

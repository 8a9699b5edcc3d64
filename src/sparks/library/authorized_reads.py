"""Reads photos, faces, persons, albums and users by key, and authorizes the caller."""

from collections.abc import Iterable
from datetime import datetime

from sparks.library import keys
from sparks.library.accounts.users import find_user
from sparks.library.albums.album_lookup import NO_ALBUM, AlbumWithRole, find_album, find_album_with_role
from sparks.library.external_ids import album_id_of, image_id_of
from sparks.library.face_log import faces_by_id
from sparks.library.people.visible_persons import VisiblePerson, find_visible_person
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item, read_items
from sparks.model.access import (
    NOT_THERE,
    Action,
    AlbumResource,
    PersonResource,
    PhotoResource,
    UserResource,
    authorize,
    authorize_action,
)
from sparks.model.account import User, account_email
from sparks.model.album import AlbumMember
from sparks.model.audience import deciding_albums, is_in_album
from sparks.model.caller import Caller, Member
from sparks.model.errors import BadInput, NotFound
from sparks.model.face import Face
from sparks.model.ids import is_uuid
from sparks.model.photo import Photo
from sparks.table.port import Table


def photo_for(caller: Caller, action: Action, image_id: str, *, at: datetime, table: Table) -> Photo:
    """The photo, if the caller may take the action on it. A photo that they may not see is NotFound, as is a missing
    one. The id may be that of the service from which the photo was migrated.
    """
    authorize_action(caller, action)
    photo = find_photo(image_id, table=table)
    if photo is None and (migrated := image_id_of(image_id, table=table)) is not None:
        photo = find_photo(migrated, table=table)
    if photo is None:
        raise NotFound(NOT_THERE.format("photo"))
    authorize(caller, action, _resource(caller, photo, table), at=at)
    return photo


def may_see(caller: Caller, photo: Photo, *, action: Action = Action.SEE_PHOTO, at: datetime, table: Table) -> bool:
    """Whether the caller, who may take the action at all, sees the photo to take it on."""
    try:
        authorize(caller, action, _resource(caller, photo, table), at=at)
    except NotFound:
        return False
    return True


def faces_for(
    caller: Caller, action: Action, face_ids: Iterable[str], *, at: datetime, table: Table
) -> list[tuple[Face, Photo]]:
    """Each of the faces with its photo, in their order and each once. NotFound where one is missing, or in a photo on
    which the caller may not take the action.
    """
    authorize_action(caller, action)
    unique = list(dict.fromkeys(face_ids))
    faces = faces_by_id([face_id for face_id in unique if is_uuid(face_id)], table=table)
    named = {keys.photo(face.image_id, face.owner) for face in faces.values()}
    photos = {photo.image_id: photo for photo in read_items(Photo, table.get_many(list(named)).values())}
    allowed = {
        image_id for image_id, photo in photos.items() if may_see(caller, photo, action=action, at=at, table=table)
    }
    if any(face_id not in faces or faces[face_id].image_id not in allowed for face_id in unique):
        raise NotFound(NOT_THERE.format("face"))
    return [(faces[face_id], photos[faces[face_id].image_id]) for face_id in unique]


def person_for(caller: Caller, action: Action, person_id: str, *, at: datetime, table: Table) -> VisiblePerson:
    """The person to whom the id leads, as the caller sees them, if they may take the action on them."""
    authorize_action(caller, action)
    try:
        seen = find_visible_person(caller, person_id, table=table)
    except NotFound as error:
        raise NotFound(NOT_THERE.format("person")) from error
    is_caller = isinstance(caller, Member) and caller.user.person_id in seen.ids
    authorize(caller, action, PersonResource(seen.person, seen.scopes, is_caller), at=at)
    return seen


def may_see_person(caller: Caller, seen: VisiblePerson, *, at: datetime) -> bool:
    try:
        authorize(caller, Action.SEE_PERSONS, PersonResource(seen.person, seen.scopes), at=at)
    except NotFound:
        return False
    return True


def album_for(caller: Caller, action: Action, album_id: str, *, at: datetime, table: Table) -> AlbumWithRole:
    """The album and the caller's role in it, if they may take the action on it; a guest has no role. The id may be that
    of the service from which the album was migrated.
    """
    authorize_action(caller, action)
    joined = _album_with_role(caller, album_id, table)
    if joined is None and (migrated := album_id_of(album_id, table=table)) is not None:
        joined = _album_with_role(caller, migrated, table)
    if joined is None:
        raise NotFound(NO_ALBUM)
    authorize(caller, action, AlbumResource(joined.album, joined.role), at=at)
    return joined


def _album_with_role(caller: Caller, album_id: str, table: Table) -> AlbumWithRole | None:
    if isinstance(caller, Member):
        return find_album_with_role(album_id, caller.email, table=table)
    album = find_album(album_id, table=table)
    return None if album is None else AlbumWithRole(album, None)


def photo_in_album_for(
    caller: Caller, action: Action, album_id: str, image_id: str, *, at: datetime, table: Table
) -> tuple[AlbumWithRole, Photo]:
    """The album and a photo that it shows, if the caller may do this with both. NotFound for a photo that is not in the
    album.
    """
    joined = album_for(caller, action, album_id, at=at, table=table)
    with_photo = Action.SEE_PHOTO if action is Action.SEE_ALBUM else action
    photo = photo_for(caller, with_photo, image_id, at=at, table=table)
    if not is_in_album(photo, joined.album.album_id):
        raise NotFound(NOT_THERE.format("photo"))
    return joined, photo


def user_for(caller: Caller, action: Action, email: str, *, at: datetime, table: Table) -> User:
    """The user, if the caller may take the action on them."""
    authorize_action(caller, action)
    try:
        user = find_user(account_email(email), table=table)
    except BadInput:
        user = None
    if user is None:
        raise NotFound(NOT_THERE.format("user"))
    authorize(caller, action, UserResource(user), at=at)
    return user


def _resource(caller: Caller, photo: Photo, table: Table) -> PhotoResource:
    albums = deciding_albums(caller, photo)
    if not isinstance(caller, Member) or not albums:
        return PhotoResource(photo)
    found = table.get_many([keys.album_member(album_id, caller.email) for album_id in albums])
    return PhotoResource(photo, frozenset(from_item(AlbumMember, item).role for item in found.values()))

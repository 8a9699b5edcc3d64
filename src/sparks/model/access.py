"""Who may do what: `authorize` is the only place that decides it.

Whoever asks is Anonymous, a GuestCaller or a Member. An administrator is a Member whose user has that role: they manage
accounts, not other people's private photos. What lets a member in may itself be narrow: an API key has scopes.

What cannot be seen is NotFound, in the same words as what is not there. What can be seen, and not done, is NotAllowed.
Whether somebody may ask at all (`admit`) is decided before anything is looked up, so that nobody learns from the answer
what there is.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.account import Role, User
from sparks.model.album import EDITORS, Album, AlbumRole
from sparks.model.caller import Anonymous, GuestCaller, Member, Who
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import Scope, scope_of_album
from sparks.model.share import LinkPermission
from sparks.model.times import has_passed

# -- What


@dataclass(frozen=True, slots=True)
class AskedPhoto:
    """`roles`: what the caller is in the albums that the photo is in."""

    photo: Photo
    roles: frozenset[AlbumRole] = frozenset()


@dataclass(frozen=True, slots=True)
class AskedPerson:
    """`scopes`: where the person is to be seen, of the caller's own albums, the community and the caller's photos.
    `is_caller`: who asks is this person.
    """

    person: Person
    scopes: frozenset[Scope] = frozenset()
    is_caller: bool = False


@dataclass(frozen=True, slots=True)
class AskedAlbum:
    """`role`: what the caller is in it, if anything."""

    album: Album
    role: AlbumRole | None = None


@dataclass(frozen=True, slots=True)
class AskedUser:
    user: User


What = AskedPhoto | AskedPerson | AskedAlbum | AskedUser | None  # None: a list, a job, a setting, the site


# -- May they


class Action(StrEnum):
    """What a route does. Each is in RULES with who may ask for it."""

    VISIT = "visit"  # whatever is open to everyone
    SIGN_OUT = "sign out"
    SEE_OWN_ACCOUNT = "see own account"
    CHANGE_OWN_ACCOUNT = "change own account"
    MANAGE_OWN_DOORS = "manage own sessions, keys and identities"
    SEE_USERS = "see users"
    MANAGE_USERS = "manage users"
    MANAGE_INVITATIONS = "manage invitations"
    SEE_AUDIT = "see the audit trail"
    SEE_JOBS = "see jobs"
    MANAGE_JOBS = "manage jobs"
    SEE_SETTINGS = "see settings"
    LIST_PHOTOS = "list photos"
    SEE_PHOTO = "see a photo"
    DOWNLOAD_ORIGINAL = "download an original"
    UPLOAD_PHOTO = "upload a photo"
    EDIT_PHOTO = "edit a photo"
    TRASH_PHOTO = "trash or restore a photo"
    DELETE_PHOTO = "delete a photo"
    MARK_PHOTO = "mark a photo as favourite"
    SEE_PERSONS = "see persons"
    CHANGE_PERSONS = "name, merge or split persons"
    FIND_BY_SELFIE = "find by a selfie"
    FORGET_FACE = "forget a face"
    MANAGE_FACES = "switch the finding of faces"
    SEE_ALBUM = "see an album"
    LIST_ALBUMS = "list albums"
    SEE_MEMBERS = "see the members of an album"
    MAKE_ALBUM = "make an album"
    ADD_TO_ALBUM = "add photos to an album"
    TAKE_FROM_ALBUM = "take photos out of an album"
    TALK_IN_ALBUM = "like or comment in an album"
    REMOVE_COMMENT = "remove a comment"
    LEAVE_ALBUM = "leave an album"
    EDIT_ALBUM = "edit an album"
    MANAGE_ALBUM = "manage members and links of an album"


@dataclass(frozen=True, slots=True)
class Rule:
    """`scope`: what a key must have; None where only a browser's session is enough, which can be ended. `guests`: what
    a link must allow them.
    """

    scope: KeyScope | None = None
    guests: LinkPermission | None = None
    administrators: bool = False
    everyone: bool = False


RULES: Final[dict[Action, Rule]] = {
    Action.VISIT: Rule(everyone=True),
    Action.SIGN_OUT: Rule(),
    Action.SEE_OWN_ACCOUNT: Rule(KeyScope.READ),
    Action.CHANGE_OWN_ACCOUNT: Rule(KeyScope.EDIT),
    Action.MANAGE_OWN_DOORS: Rule(),
    Action.SEE_USERS: Rule(KeyScope.READ),
    Action.MANAGE_USERS: Rule(KeyScope.ADMIN, administrators=True),
    Action.MANAGE_INVITATIONS: Rule(KeyScope.ADMIN, administrators=True),
    Action.SEE_AUDIT: Rule(KeyScope.ADMIN, administrators=True),
    Action.SEE_JOBS: Rule(KeyScope.ADMIN, administrators=True),
    Action.MANAGE_JOBS: Rule(KeyScope.ADMIN, administrators=True),
    Action.SEE_SETTINGS: Rule(KeyScope.ADMIN, administrators=True),
    Action.LIST_PHOTOS: Rule(KeyScope.READ),
    Action.SEE_PHOTO: Rule(KeyScope.READ, LinkPermission.VIEW),
    Action.DOWNLOAD_ORIGINAL: Rule(KeyScope.READ, LinkPermission.DOWNLOAD),
    Action.UPLOAD_PHOTO: Rule(KeyScope.UPLOAD, LinkPermission.UPLOAD),
    Action.EDIT_PHOTO: Rule(KeyScope.EDIT),
    Action.TRASH_PHOTO: Rule(KeyScope.EDIT),
    Action.DELETE_PHOTO: Rule(KeyScope.EDIT),
    Action.MARK_PHOTO: Rule(KeyScope.EDIT, LinkPermission.VIEW),
    Action.SEE_PERSONS: Rule(KeyScope.READ, LinkPermission.VIEW),
    Action.CHANGE_PERSONS: Rule(KeyScope.PEOPLE),
    Action.FIND_BY_SELFIE: Rule(KeyScope.PEOPLE, LinkPermission.FIND),
    Action.FORGET_FACE: Rule(KeyScope.PEOPLE),
    Action.MANAGE_FACES: Rule(KeyScope.ADMIN, administrators=True),
    Action.SEE_ALBUM: Rule(KeyScope.READ, LinkPermission.VIEW),
    Action.LIST_ALBUMS: Rule(KeyScope.READ),
    Action.SEE_MEMBERS: Rule(KeyScope.READ),
    Action.MAKE_ALBUM: Rule(KeyScope.EDIT),
    Action.ADD_TO_ALBUM: Rule(KeyScope.EDIT, LinkPermission.UPLOAD),
    Action.TAKE_FROM_ALBUM: Rule(KeyScope.EDIT, LinkPermission.UPLOAD),
    Action.TALK_IN_ALBUM: Rule(KeyScope.EDIT, LinkPermission.VIEW),
    Action.REMOVE_COMMENT: Rule(KeyScope.EDIT, LinkPermission.VIEW),
    Action.LEAVE_ALBUM: Rule(KeyScope.EDIT),
    Action.EDIT_ALBUM: Rule(KeyScope.EDIT),
    Action.MANAGE_ALBUM: Rule(KeyScope.EDIT),
}

SIGN_IN: Final = "sign in first, or send an API key as Authorization: Bearer sk_.."
NOT_THERE: Final = "there is no such {}, or it is not for you to see"

# With a photo, whoever sees it may do these; all else is for its owner.
_PHOTO_VIEWERS: Final = frozenset(
    {
        Action.LIST_PHOTOS,
        Action.SEE_PHOTO,
        Action.DOWNLOAD_ORIGINAL,
        Action.MARK_PHOTO,
        Action.SEE_PERSONS,
        Action.CHANGE_PERSONS,
        Action.TALK_IN_ALBUM,
    }
)
_ALBUM_ROLES: Final[dict[Action, Collection[AlbumRole]]] = {
    Action.LIST_PHOTOS: frozenset(AlbumRole),
    Action.SEE_ALBUM: frozenset(AlbumRole),
    Action.SEE_MEMBERS: frozenset(AlbumRole),
    Action.TAKE_FROM_ALBUM: frozenset(AlbumRole),
    Action.TALK_IN_ALBUM: frozenset(AlbumRole),
    Action.REMOVE_COMMENT: frozenset(AlbumRole),
    Action.LEAVE_ALBUM: frozenset(AlbumRole),
    Action.DOWNLOAD_ORIGINAL: frozenset(AlbumRole),
    Action.SEE_PERSONS: frozenset(AlbumRole),
    Action.FIND_BY_SELFIE: frozenset(AlbumRole),
    Action.ADD_TO_ALBUM: EDITORS | {AlbumRole.CONTRIBUTOR},
    Action.UPLOAD_PHOTO: EDITORS | {AlbumRole.CONTRIBUTOR},
    Action.EDIT_ALBUM: EDITORS,
    Action.MANAGE_ALBUM: frozenset({AlbumRole.OWNER}),
}


def admit(who: Who, action: Action) -> None:
    """Raises NotSignedIn or NotAllowed unless they may ask for this at all, whatever it is about."""
    rule = RULES[action]
    match who:
        case _ if rule.everyone:
            return
        case Anonymous():
            raise NotSignedIn(SIGN_IN)
        case GuestCaller():
            if rule.guests is None or rule.guests not in who.link.allow:
                raise NotAllowed(f"this link does not allow to {action.value}: ask whoever gave it to you")
        case Member():
            _admit_member(who, action, rule)


def may_ask(who: Who, action: Action) -> bool:
    try:
        admit(who, action)
    except (NotAllowed, NotSignedIn):
        return False
    return True


def _admit_member(who: Member, action: Action, rule: Rule) -> None:
    if rule.scope is None and who.via.kind != "session":
        raise NotAllowed(f"no API key or token may {action.value}: sign in in a browser for that")
    if who.scopes is not None and rule.scope not in who.scopes:
        raise NotAllowed(f"this API key lacks the scope {rule.scope}, which it takes to {action.value}")
    if rule.administrators and who.user.role is not Role.ADMIN:
        raise NotAllowed(f"only administrators may {action.value}")


def authorize(who: Who, action: Action, what: What = None, *, at: datetime) -> None:
    """Raises NotSignedIn, NotAllowed or NotFound unless `who` may do this, now."""
    admit(who, action)
    match what:
        case AskedPhoto():
            _authorize_photo(who, action, what, at)
        case AskedPerson():
            _authorize_person(who, action, what, at)
        case AskedAlbum():
            _authorize_album(who, action, what)
        case AskedUser():
            if what.user.removed_at is not None:
                raise NotFound(NOT_THERE.format("user"))


def _authorize_photo(who: Who, action: Action, asked: AskedPhoto, at: datetime) -> None:
    photo = asked.photo
    owns = isinstance(who, Member) and who.email == photo.owner
    if not (owns and _is_owned(photo, at)) and not _is_shown(who, asked, at):
        raise NotFound(NOT_THERE.format("photo"))
    if not owns and action not in _PHOTO_VIEWERS and not _is_shared(who, action, photo):
        raise NotAllowed(f"this photo is not yours: only its owner may {action.value.replace(' a photo', ' it')}")


def _is_shared(who: Who, action: Action, photo: Photo) -> bool:
    """Whoever sees what the community does may show it to the members of an album: they see it anyway."""
    in_community = photo.visibility is Visibility.COMMUNITY
    return action is Action.ADD_TO_ALBUM and isinstance(who, Member) and in_community


def _is_owned(photo: Photo, at: datetime) -> bool:
    """Whether its owner still has it: also when it is on its way, failed or in the trash."""
    return photo.state is not PhotoState.DELETING and not has_passed(photo.expires_at, at=at)


def _is_shown(who: Who, asked: AskedPhoto, at: datetime) -> bool:
    """Whether somebody else sees it: it is finished, and in the community or in an album of theirs."""
    photo = asked.photo
    if photo.state is not PhotoState.READY or has_passed(photo.expires_at, at=at):
        return False
    match who:
        case Member():
            return photo.visibility is Visibility.COMMUNITY or bool(asked.roles)
        case GuestCaller():
            return _is_behind(who, photo, at)
        case Anonymous():
            return False


def _is_behind(guest: GuestCaller, photo: Photo, at: datetime) -> bool:
    """Whether it is one of the photos that the link leads to: what guests brought themselves, they see at once."""
    link = guest.link
    if link.album_id not in photo.albums:
        return False
    if photo.guest_id == guest.guest.guest_id:
        return True
    return _is_revealed(guest, at) and set(link.persons) <= set(photo.persons)


def _is_revealed(guest: GuestCaller, at: datetime) -> bool:
    return guest.link.reveal_at is None or has_passed(guest.link.reveal_at, at=at)


def _authorize_person(who: Who, action: Action, asked: AskedPerson, at: datetime) -> None:
    """Whose face it is may have it forgotten, whether or not they see any photo of it."""
    if action is Action.FORGET_FACE and asked.is_caller:
        return
    _see_person(who, asked, at)
    if action is Action.FORGET_FACE and not may_ask(who, Action.MANAGE_FACES):
        raise NotAllowed("this is not your face: whose it is may have it forgotten, or ask an administrator")


def _see_person(who: Who, asked: AskedPerson, at: datetime) -> None:
    match who:
        case Member():
            seen = bool(asked.scopes)
        case GuestCaller():
            meant = not who.link.persons or asked.person.person_id in who.link.persons
            seen = meant and scope_of_album(who.link.album_id) in asked.scopes and _is_revealed(who, at)
        case Anonymous():
            seen = False
    if not seen:
        raise NotFound(NOT_THERE.format("person"))


def _authorize_album(who: Who, action: Action, asked: AskedAlbum) -> None:
    if isinstance(who, GuestCaller):
        if who.link.album_id != asked.album.album_id:
            raise NotFound(NOT_THERE.format("album"))
        return
    if asked.role is None:
        raise NotFound(NOT_THERE.format("album"))
    if asked.role not in _ALBUM_ROLES.get(action, ()):
        raise NotAllowed(f"you are {asked.role} of this album: ask its owner for the right to {action.value}")

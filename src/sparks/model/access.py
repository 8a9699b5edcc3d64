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
from sparks.model.share import LinkPermission, Reach, reach_of, reaches
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
    SEE_TIMELINE = "see a timeline"
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
    MODERATE_ALBUM = "approve photos of an album"
    TALK_IN_ALBUM = "like or comment in an album"
    REMOVE_COMMENT = "remove a comment"
    LEAVE_ALBUM = "leave an album"
    EDIT_ALBUM = "edit an album"
    MANAGE_ALBUM = "manage members and links of an album"
    STAY_AS_GUEST = "stay as a guest"


@dataclass(frozen=True, slots=True)
class Rule:
    """`scope`: what a key must have; None where only a browser's session is enough, which can be ended. `guests`: what
    a link must allow them, one of these at least; `members` are let in unless told otherwise.
    """

    scope: KeyScope | None = None
    guests: frozenset[LinkPermission] = frozenset()
    members: bool = True
    administrators: bool = False
    everyone: bool = False


_VIEW: Final = frozenset({LinkPermission.VIEW})
_FIND: Final = frozenset({LinkPermission.FIND})
_UPLOAD: Final = frozenset({LinkPermission.UPLOAD})
_ANY: Final = frozenset(LinkPermission)

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
    Action.SEE_TIMELINE: Rule(KeyScope.READ, _VIEW),
    Action.SEE_PHOTO: Rule(KeyScope.READ, _ANY),
    Action.DOWNLOAD_ORIGINAL: Rule(KeyScope.READ, frozenset({LinkPermission.DOWNLOAD})),
    Action.UPLOAD_PHOTO: Rule(KeyScope.UPLOAD, _UPLOAD),
    Action.EDIT_PHOTO: Rule(KeyScope.EDIT),
    Action.TRASH_PHOTO: Rule(KeyScope.EDIT),
    Action.DELETE_PHOTO: Rule(KeyScope.EDIT, _UPLOAD),
    Action.MARK_PHOTO: Rule(KeyScope.EDIT, _VIEW | _FIND),
    Action.SEE_PERSONS: Rule(KeyScope.READ, _VIEW | _FIND),
    Action.CHANGE_PERSONS: Rule(KeyScope.PEOPLE),
    Action.FIND_BY_SELFIE: Rule(KeyScope.PEOPLE, _FIND),
    Action.FORGET_FACE: Rule(KeyScope.PEOPLE),
    Action.MANAGE_FACES: Rule(KeyScope.ADMIN, administrators=True),
    Action.SEE_ALBUM: Rule(KeyScope.READ, _ANY),
    Action.LIST_ALBUMS: Rule(KeyScope.READ),
    Action.SEE_MEMBERS: Rule(KeyScope.READ),
    Action.MAKE_ALBUM: Rule(KeyScope.EDIT),
    Action.ADD_TO_ALBUM: Rule(KeyScope.EDIT),
    Action.TAKE_FROM_ALBUM: Rule(KeyScope.EDIT, _UPLOAD),
    Action.TALK_IN_ALBUM: Rule(KeyScope.EDIT, _VIEW),
    Action.REMOVE_COMMENT: Rule(KeyScope.EDIT, _VIEW),
    Action.LEAVE_ALBUM: Rule(KeyScope.EDIT),
    Action.EDIT_ALBUM: Rule(KeyScope.EDIT),
    Action.MODERATE_ALBUM: Rule(KeyScope.EDIT),
    Action.MANAGE_ALBUM: Rule(KeyScope.EDIT),
    Action.STAY_AS_GUEST: Rule(guests=_ANY, members=False),
}

SIGN_IN: Final = "sign in first, or send an API key as Authorization: Bearer sk_.."
GUESTS_ONLY: Final = "this is for guests with a link: open one first; where you are signed in too, say as=guest"
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
    Action.SEE_TIMELINE: frozenset(AlbumRole),
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
    Action.MODERATE_ALBUM: frozenset({AlbumRole.OWNER}),
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
            if rule.guests.isdisjoint(who.link.allow):
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
    if not rule.members:
        raise NotAllowed(GUESTS_ONLY)
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
    owns = _owns(who, photo)
    if not (owns and _is_owned(photo, at)) and not _is_shown(who, asked, at):
        raise NotFound(NOT_THERE.format("photo"))
    if not owns and action not in _PHOTO_VIEWERS and not _is_shared(who, action, photo):
        raise NotAllowed(f"this photo is not yours: only its owner may {action.value.replace(' a photo', ' it')}")


def _is_shared(who: Who, action: Action, photo: Photo) -> bool:
    """Whoever sees what the community does may show it to the members of an album: they see it anyway."""
    in_community = photo.visibility is Visibility.COMMUNITY
    return action is Action.ADD_TO_ALBUM and isinstance(who, Member) and in_community


def _owns(who: Who, photo: Photo) -> bool:
    """A guest does what they brought themselves, whoever keeps it, until that is thrown away."""
    match who:
        case Member():
            return who.email == photo.owner
        case GuestCaller():
            return who.guest.guest_id == photo.guest_id and photo.state is not PhotoState.TRASHED
        case Anonymous():
            return False


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
    """Whether it is one of the photos that the link leads to."""
    return guest.link.album_id in photo.albums and reaches(guest.link, guest.guest, photo.persons, at)


def _authorize_person(who: Who, action: Action, asked: AskedPerson, at: datetime) -> None:
    """Whose face it is may have it forgotten, whether or not they see any photo of it."""
    if action is Action.FORGET_FACE and asked.is_caller:
        return
    _see_person(who, action, asked, at)
    if action is Action.FORGET_FACE and not may_ask(who, Action.MANAGE_FACES):
        raise NotAllowed("this is not your face: whose it is may have it forgotten, or ask an administrator")


def _see_person(who: Who, action: Action, asked: AskedPerson, at: datetime) -> None:
    match who:
        case Member():
            seen = bool(asked.scopes)
        case GuestCaller():
            seen = scope_of_album(who.link.album_id) in asked.scopes and _is_meant(who, action, asked.person, at)
        case Anonymous():
            seen = False
    if not seen:
        raise NotFound(NOT_THERE.format("person"))


def _is_meant(guest: GuestCaller, action: Action, person: Person, at: datetime) -> bool:
    """Whether the link leads to this person. Whoever shows their face may learn who they are."""
    link, person_id = guest.link, person.person_id
    if link.persons and person_id not in link.persons:
        return False
    if action is Action.FIND_BY_SELFIE:
        return link.is_revealed(at)
    views = LinkPermission.VIEW in link.allow
    return reach_of(link, guest.guest, at) is not Reach.NOTHING and (views or person_id in guest.guest.persons)


def _authorize_album(who: Who, action: Action, asked: AskedAlbum) -> None:
    if isinstance(who, GuestCaller):
        if who.link.album_id != asked.album.album_id:
            raise NotFound(NOT_THERE.format("album"))
        if action not in _ALBUM_ROLES:
            raise NotAllowed(f"nobody can {action.value} here")
        return
    if asked.role is None:
        raise NotFound(NOT_THERE.format("album"))
    if asked.role not in _ALBUM_ROLES.get(action, ()):
        raise NotAllowed(f"you are {asked.role} of this album: ask its owner for the right to {action.value}")

"""Authorization rules: `authorize` alone decides which caller may do what.

A caller is Anonymous, a GuestCaller or a Member. An administrator is a Member whose user has that role: they manage
accounts, not other people's private photos. The credential of a member may allow less: an API key has scopes.

A resource that the caller cannot see is NotFound, in the same words as one that does not exist. An action on a visible
resource that the caller may not take is NotAllowed. Whether the caller may take the action at all (`authorize_action`)
is decided before anything is read, so that the answer reveals nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.account import Role, User
from sparks.model.album import EDITORS, Album, AlbumPhoto, AlbumRole, Comment
from sparks.model.audience import GuestReach, is_for_community, is_kept, is_shown, link_reaches, reach_of
from sparks.model.biometric_erasure import Erasure
from sparks.model.caller import Anonymous, Caller, GuestCaller, Member, caller_name
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import Scope, scope_of_album
from sparks.model.share import LinkPermission

# -- Resources


@dataclass(frozen=True, slots=True)
class PhotoResource:
    """`roles`: the caller's roles in the albums that the photo is in."""

    photo: Photo
    roles: frozenset[AlbumRole] = frozenset()


@dataclass(frozen=True, slots=True)
class PersonResource:
    """`scopes`: those in which the person is seen, of the caller's albums, the community and the caller's photos.
    `is_caller`: whether the caller is this person.
    """

    person: Person
    scopes: frozenset[Scope] = frozenset()
    is_caller: bool = False


@dataclass(frozen=True, slots=True)
class AlbumResource:
    """`role`: the caller's role in it, if any."""

    album: Album
    role: AlbumRole | None = None


@dataclass(frozen=True, slots=True)
class UserResource:
    user: User


Resource = (
    PhotoResource | PersonResource | AlbumResource | UserResource | None
)  # None: a list, a job, a setting or the site


# -- Actions


class Action(StrEnum):
    """An action of a route. RULES says for each who may take it."""

    VISIT = "visit"  # pages that are open to everyone
    SIGN_OUT = "sign out"
    SEE_OWN_ACCOUNT = "see own account"
    CHANGE_OWN_ACCOUNT = "change own account"
    MANAGE_OWN_CREDENTIALS = "manage own sessions, keys and identities"
    SEE_USERS = "see users"
    MANAGE_USERS = "manage users"
    MANAGE_INVITATIONS = "manage invitations"
    SEE_AUDIT = "see the audit log"
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
    MARK_PHOTO = "mark a photo as a favorite"
    SEE_PERSONS = "see persons"
    CHANGE_PERSONS = "name, merge or split persons"
    FIND_BY_SELFIE = "find by a selfie"
    ERASE_FACE = "erase a face"
    MANAGE_FACES = "switch face detection"
    SEE_ALBUM = "see an album"
    LIST_ALBUMS = "list albums"
    SEE_MEMBERS = "see the members of an album"
    MAKE_ALBUM = "create an album"
    ADD_TO_ALBUM = "add photos to an album"
    TAKE_FROM_ALBUM = "take photos out of an album"
    MODERATE_ALBUM = "approve photos of an album"
    COMMENT_IN_ALBUM = "like or comment in an album"
    REMOVE_COMMENT = "remove a comment"
    LEAVE_ALBUM = "leave an album"
    EDIT_ALBUM = "edit an album"
    MANAGE_ALBUM = "manage members and links of an album"
    STAY_AS_GUEST = "stay as a guest"


@dataclass(frozen=True, slots=True)
class Rule:
    """`scope`: the scope that an API key needs; None where only a browser's session is enough. `guests`: the
    permissions of which a link needs at least one. `members` are allowed by default.
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
    Action.MANAGE_OWN_CREDENTIALS: Rule(),
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
    Action.ERASE_FACE: Rule(KeyScope.PEOPLE),
    Action.MANAGE_FACES: Rule(KeyScope.ADMIN, administrators=True),
    Action.SEE_ALBUM: Rule(KeyScope.READ, _ANY),
    Action.LIST_ALBUMS: Rule(KeyScope.READ),
    Action.SEE_MEMBERS: Rule(KeyScope.READ),
    Action.MAKE_ALBUM: Rule(KeyScope.EDIT),
    Action.ADD_TO_ALBUM: Rule(KeyScope.EDIT),
    Action.TAKE_FROM_ALBUM: Rule(KeyScope.EDIT, _UPLOAD),
    Action.COMMENT_IN_ALBUM: Rule(KeyScope.EDIT, _VIEW),
    Action.REMOVE_COMMENT: Rule(KeyScope.EDIT, _VIEW),
    Action.LEAVE_ALBUM: Rule(KeyScope.EDIT),
    Action.EDIT_ALBUM: Rule(KeyScope.EDIT),
    Action.MODERATE_ALBUM: Rule(KeyScope.EDIT),
    Action.MANAGE_ALBUM: Rule(KeyScope.EDIT),
    Action.STAY_AS_GUEST: Rule(guests=_ANY, members=False),
}

SIGN_IN: Final = "sign in first, or send an API key as Authorization: Bearer sk_.."
GUESTS_ONLY: Final = "this is for guests with a link: open one first; if you are also signed in, add as=guest"
NOT_THERE: Final = "there is no such {}, or you may not see it"

# Actions for every caller who sees the photo; all others are for its owner.
_PHOTO_VIEWERS: Final = frozenset(
    {
        Action.LIST_PHOTOS,
        Action.SEE_PHOTO,
        Action.DOWNLOAD_ORIGINAL,
        Action.MARK_PHOTO,
        Action.SEE_PERSONS,
        Action.CHANGE_PERSONS,
        Action.COMMENT_IN_ALBUM,
    }
)
_ALBUM_ROLES: Final[dict[Action, Collection[AlbumRole]]] = {
    Action.LIST_PHOTOS: frozenset(AlbumRole),
    Action.SEE_TIMELINE: frozenset(AlbumRole),
    Action.SEE_ALBUM: frozenset(AlbumRole),
    Action.SEE_MEMBERS: frozenset(AlbumRole),
    Action.TAKE_FROM_ALBUM: frozenset(AlbumRole),
    Action.COMMENT_IN_ALBUM: frozenset(AlbumRole),
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


def authorize_action(caller: Caller, action: Action) -> None:
    """Raises NotSignedIn or NotAllowed unless the caller may take the action at all, on any resource."""
    rule = RULES[action]
    match caller:
        case _ if rule.everyone:
            return
        case Anonymous():
            raise NotSignedIn(SIGN_IN)
        case GuestCaller():
            if rule.guests.isdisjoint(caller.link.allow):
                raise NotAllowed(f"this link does not let you {action.value}: ask the person who sent it to you")
        case Member():
            _authorize_member(caller, action, rule)


def allows_action(caller: Caller, action: Action) -> bool:
    try:
        authorize_action(caller, action)
    except (NotAllowed, NotSignedIn):
        return False
    return True


def _authorize_member(caller: Member, action: Action, rule: Rule) -> None:
    if not rule.members:
        raise NotAllowed(GUESTS_ONLY)
    if rule.scope is None and caller.via.kind != "session":
        raise NotAllowed(f"no API key or token may {action.value}: sign in in a browser for that")
    if caller.scopes is not None and rule.scope not in caller.scopes:
        raise NotAllowed(f"this API key lacks the scope {rule.scope}, which is needed to {action.value}")
    if rule.administrators and caller.user.role is not Role.ADMIN:
        raise NotAllowed(f"only administrators may {action.value}")


def authorize(caller: Caller, action: Action, resource: Resource = None, *, at: datetime) -> None:
    """Raises NotSignedIn, NotAllowed or NotFound unless the caller may take the action, now."""
    authorize_action(caller, action)
    match resource:
        case PhotoResource():
            _authorize_photo(caller, action, resource, at)
        case PersonResource():
            _authorize_person(caller, action, resource, at)
        case AlbumResource():
            _authorize_album(caller, action, resource)
        case UserResource():
            if resource.user.removed_at is not None:
                raise NotFound(NOT_THERE.format("user"))


def _authorize_photo(caller: Caller, action: Action, resource: PhotoResource, at: datetime) -> None:
    photo = resource.photo
    owns = _owns(caller, photo)
    if not (owns and is_kept(photo, at)) and not _is_visible(caller, resource, at):
        raise NotFound(NOT_THERE.format("photo"))
    if not owns and action not in _PHOTO_VIEWERS and not _is_shared(caller, action, photo):
        raise NotAllowed(f"this photo is not yours: only its owner may {action.value.replace(' a photo', ' it')}")


def _is_shared(caller: Caller, action: Action, photo: Photo) -> bool:
    """A member may add a photo of the community to an album: its members see it anyway."""
    return action is Action.ADD_TO_ALBUM and isinstance(caller, Member) and is_for_community(photo)


def _owns(caller: Caller, photo: Photo) -> bool:
    """A guest owns their uploads in this sense, although these belong to the host, until they are trashed."""
    match caller:
        case Member():
            return caller.email == photo.owner
        case GuestCaller():
            return caller.guest.guest_id == photo.guest_id and photo.state is not PhotoState.TRASHED
        case Anonymous():
            return False


def _is_visible(caller: Caller, resource: PhotoResource, at: datetime) -> bool:
    """Whether a caller who is not the owner sees the photo: in the community, or in an album of theirs."""
    photo = resource.photo
    if not is_shown(photo, at):
        return False
    match caller:
        case Member():
            return is_for_community(photo) or bool(resource.roles)
        case GuestCaller():
            return link_reaches(caller, photo, at)
        case Anonymous():
            return False


def _authorize_person(caller: Caller, action: Action, resource: PersonResource, at: datetime) -> None:
    """A user may have their own face erased, whether or not they see any photo of it."""
    if action is Action.ERASE_FACE and resource.is_caller:
        return
    _check_visible(caller, action, resource, at)
    if action is Action.ERASE_FACE and not allows_action(caller, Action.MANAGE_FACES):
        raise NotAllowed("this is not your face: only the person it shows or an administrator may have it erased")


def _check_visible(caller: Caller, action: Action, resource: PersonResource, at: datetime) -> None:
    match caller:
        case Member():
            seen = bool(resource.scopes)
        case GuestCaller():
            seen = scope_of_album(caller.link.album_id) in resource.scopes and _link_shows(
                caller, action, resource.person, at
            )
        case Anonymous():
            seen = False
    if not seen:
        raise NotFound(NOT_THERE.format("person"))


def _link_shows(guest: GuestCaller, action: Action, person: Person, at: datetime) -> bool:
    """Whether the link leads to this person. A guest who shows their face may learn which person they are."""
    link, person_id = guest.link, person.person_id
    if link.persons and person_id not in link.persons:
        return False
    if action is Action.FIND_BY_SELFIE:
        return link.is_revealed(at)
    views = LinkPermission.VIEW in link.allow
    return reach_of(link, guest.guest, at) is not GuestReach.NOTHING and (views or person_id in guest.guest.persons)


def _authorize_album(caller: Caller, action: Action, resource: AlbumResource) -> None:
    if isinstance(caller, GuestCaller):
        if caller.link.album_id != resource.album.album_id:
            raise NotFound(NOT_THERE.format("album"))
        if action not in _ALBUM_ROLES:
            raise NotAllowed(f"guests cannot {action.value}")
        return
    if resource.role is None:
        raise NotFound(NOT_THERE.format("album"))
    if resource.role not in _ALBUM_ROLES.get(action, ()):
        raise NotAllowed(f"you are {resource.role} of this album: ask its owner for the right to {action.value}")


# -- Photos and comments within an album


def may_add_photo(caller: Caller, role: AlbumRole | None, photo: Photo) -> bool:
    """A contributor adds only their own photos; an editor also those that the community sees."""
    return role in EDITORS or photo.owner == caller_name(caller)


def may_remove_photo(caller: Caller, role: AlbumRole | None, album_photo: AlbumPhoto) -> bool:
    """An editor removes every photo from the album, others only those that they own or added."""
    return role in EDITORS or caller_name(caller) in (album_photo.owner, album_photo.added_by)


def may_remove_comment(caller: Caller, role: AlbumRole | None, comment: Comment) -> bool:
    """A comment is removed by its author or by an editor of the album."""
    return role in EDITORS or comment.who == caller_name(caller)


def action_to_remove_member(caller: Member, email: str | None) -> Action:
    """Members leave an album by themselves; only its owner removes others."""
    return Action.LEAVE_ALBUM if email == caller.email else Action.MANAGE_ALBUM


# -- Rules about accounts


def is_administrator(caller: Caller) -> bool:
    return isinstance(caller, Member) and caller.user.role is Role.ADMIN


def authorize_account_change(caller: Member, *, makes_administrator: bool, sets_password: bool = False) -> None:
    """NotAllowed for an API key or token that would make an administrator or set a password: by one of these it could
    create a key with wider scopes than its own.
    """
    if caller.via.kind != "session" and (makes_administrator or sets_password):
        raise NotAllowed(
            "an API key or token may not make administrators or set passwords: sign in in a browser, or use"
            " `sparks user`"
        )


def authorize_invitation(caller: Member, role: Role) -> None:
    """NotAllowed for an API key or token that would invite an administrator."""
    if role is Role.ADMIN and caller.via.kind != "session":
        raise NotAllowed("an API key or token may not invite administrators: sign in in a browser")


def may_see_erasure(caller: Member, erasure: Erasure) -> bool:
    """Whether the caller requested the erasure, is its subject, or may manage faces."""
    return caller.email in (erasure.who, erasure.subject) or allows_action(caller, Action.MANAGE_FACES)

"""Audience of a photo: the scopes in which it is seen, and the photos that a guest of a link reaches.

No other module compares a photo's visibility. The questions differ by the states and the expiry that they accept:

| question                                           | states           | a photo with an expiry    |
|----------------------------------------------------|------------------|---------------------------|
| `is_for_community`, `possible_scopes`              | any              | counts as any other       |
| `audience_of`: the owner                           | any              | counts as any other       |
| `audience_of`: albums and community                | READY            | counts as any other       |
| `is_in_community`, `is_in_album`                   | READY            | counts as any other       |
| `is_shown`: to others than its owner               | READY            | counts until it expires   |
| `is_kept`: by its owner                            | all but DELETING | counts until it expires   |
| `listing_scopes`, `person_scopes`, `is_listed_in`  | READY            | never counts, see there   |
"""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

from sparks.model.caller import Anonymous, Caller, GuestCaller, Member
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner, scope_of_private
from sparks.model.share import Guest, LinkPermission, ShareLink
from sparks.model.times import has_passed

# -- Scopes of a photo


def audience_of(photo: Photo) -> frozenset[Scope]:
    """The scopes whose pages show the photo as it is: its owner's in every state; once it is ready, also those of its
    albums and, unless it is private, the community's.
    """
    return _scopes(photo) if photo.state is PhotoState.READY else frozenset({scope_of_owner(photo.owner)})


def listing_scopes(photo: Photo) -> frozenset[Scope]:
    """The scopes in whose months the photo is listed and counted. None for a photo with an expiry: only its own row
    holds that time, so a list would show it for too long.
    """
    is_listed = photo.state is PhotoState.READY and photo.expires_at is None
    return _scopes(photo) if is_listed else frozenset()


def person_scopes(photo: Photo) -> frozenset[Scope]:
    """The scopes in which the persons of the photo are counted: `listing_scopes`, and for a private photo its owner's
    private scope.
    """
    scopes = listing_scopes(photo)
    return scopes if not scopes or is_for_community(photo) else scopes | {scope_of_private(photo.owner)}


def possible_scopes(photo: Photo) -> frozenset[Scope]:
    """The scopes in which the photo may have been listed before it changed, whatever its state and visibility."""
    return frozenset({scope_of_owner(photo.owner), COMMUNITY, *map(scope_of_album, photo.albums)})


def _scopes(photo: Photo) -> frozenset[Scope]:
    scopes = possible_scopes(photo)
    return scopes if is_for_community(photo) else scopes - {COMMUNITY}


# -- Community and albums


def is_community_value(visibility: str) -> bool:
    """Whether the visibility, also as a row holds it, is that of the community. An unknown value is not."""
    return visibility == Visibility.COMMUNITY


def is_for_community(photo: Photo) -> bool:
    """Whether the owner shows the photo to the community, once it is ready."""
    return is_community_value(photo.visibility)


def is_in_community(photo: Photo) -> bool:
    """Whether the community sees the photo; an expiry in the past is not considered."""
    return photo.state is PhotoState.READY and is_for_community(photo)


def is_in_album(photo: Photo, album_id: str) -> bool:
    """Whether the album shows the photo, to callers who may see it; an expiry in the past is not considered."""
    return photo.state is PhotoState.READY and album_id in photo.albums


def is_shown_in_album(photo: Photo, album_id: str, at: datetime) -> bool:
    """Whether the album shows the photo, to callers who may see it."""
    return is_shown(photo, at) and album_id in photo.albums


def is_listed_in(photo: Photo, album_id: str) -> bool:
    """Whether the album counts the photo, as its months do."""
    return scope_of_album(album_id) in listing_scopes(photo)


# -- Time


def is_shown(photo: Photo, at: datetime) -> bool:
    """Whether other users and guests may see the photo at all."""
    return photo.state is PhotoState.READY and not has_passed(photo.expires_at, at=at)


def is_kept(photo: Photo, at: datetime) -> bool:
    """Whether its owner still has the photo: also while it is processed, when it failed, and in the trash."""
    return photo.state is not PhotoState.DELETING and not has_passed(photo.expires_at, at=at)


# -- Callers


def own_scopes(caller: Caller) -> tuple[Scope, ...]:
    """The scopes that a member sees without any album, or a guest by the link. No photo is in two of them."""
    match caller:
        case Member():
            return COMMUNITY, scope_of_private(caller.email)
        case GuestCaller():
            return (scope_of_album(caller.link.album_id),)
        case Anonymous():
            return ()


def deciding_albums(caller: Caller, photo: Photo) -> Collection[str]:
    """The albums by which a member may see the photo. The owner needs none, nor does any member for a photo of the
    community; a guest has a link instead.
    """
    if not isinstance(caller, Member) or caller.email == photo.owner or is_for_community(photo):
        return ()
    return photo.albums


def audience_key(photo: Photo) -> tuple[str, ...]:
    """A value that is equal for photos that the same members see."""
    return () if is_for_community(photo) else (photo.owner, *sorted(photo.albums))


# -- Guests


class GuestReach(StrEnum):
    """The part of an album that a guest sees, beside their own uploads."""

    NOTHING = "nothing"
    PERSONS = "persons"  # photos of certain persons
    ALL = "all"


def reach_of(link: ShareLink, guest: Guest, at: datetime) -> GuestReach:
    """By a link that allows to find, but not to view, a guest sees only the photos that show them."""
    views = LinkPermission.VIEW in link.allow
    finds = LinkPermission.FIND in link.allow and bool(guest.persons)
    if not link.is_revealed(at) or not (views or finds):
        return GuestReach.NOTHING
    return GuestReach.ALL if views and not link.persons else GuestReach.PERSONS


def reaches(link: ShareLink, guest: Guest, persons: Collection[str], at: datetime) -> bool:
    """Whether a guest sees a photo of the link's album that shows these persons."""
    reach = reach_of(link, guest, at)
    if reach is not GuestReach.PERSONS:
        return reach is GuestReach.ALL
    found = LinkPermission.VIEW in link.allow or not set(guest.persons).isdisjoint(persons)
    return found and set(link.persons) <= set(persons)


def link_reaches(caller: GuestCaller, photo: Photo, at: datetime) -> bool:
    """Whether the guest's link leads to the photo, whatever its state."""
    return caller.link.album_id in photo.albums and reaches(caller.link, caller.guest, photo.persons, at)


def caller_reach(caller: Caller, at: datetime) -> GuestReach:
    """The part of an album that the caller sees: all of it, unless it is a guest whose link shows less."""
    return reach_of(caller.link, caller.guest, at) if isinstance(caller, GuestCaller) else GuestReach.ALL


def shows_cover(link: ShareLink, at: datetime) -> bool:
    """Whether the link shows the album's cover before it is opened: only where every guest of the link sees it."""
    return LinkPermission.VIEW in link.allow and not link.persons and link.is_revealed(at)

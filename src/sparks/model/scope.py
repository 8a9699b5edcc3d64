"""Scopes in which photos and persons are counted: owner, private, album, community.

They are text, because keys are made of them.
"""

from typing import Final, NewType

Scope = NewType("Scope", str)

COMMUNITY: Final = Scope("ALL")
ALBUMS: Final = Scope("ALBUMS")  # live events of all albums, for the members of each

_ALBUM: Final = "ALBUM#"
_PRIVATE: Final = "PRIVATE#"


def scope_of_owner(email: str) -> Scope:
    """All photos of this user, the private ones too."""
    return Scope(email)


def scope_of_private(email: str) -> Scope:
    """The photos of this user that the community does not see. Together with COMMUNITY it is all that a member sees
    without albums, and nothing twice.
    """
    return Scope(_PRIVATE + email)


def scope_of_album(album_id: str) -> Scope:
    return Scope(_ALBUM + album_id)


def album_of(scope: Scope) -> str | None:
    """The album of an album scope, or None."""
    return scope.removeprefix(_ALBUM) if scope.startswith(_ALBUM) else None


def private_owner_of(scope: Scope) -> str | None:
    """The user of a private scope, or None."""
    return scope.removeprefix(_PRIVATE) if scope.startswith(_PRIVATE) else None


def owner_of(scope: Scope) -> str | None:
    """The user of an owner scope, or None."""
    return scope if "@" in scope and not scope.startswith((_ALBUM, _PRIVATE)) else None

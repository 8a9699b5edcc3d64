"""All kinds of callers of one community."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from sparks.auth.signed_media_urls import Viewer, ViewerKind
from sparks.library.accounts.users import change_role
from sparks.library.sharing.share_links import revoke_link
from sparks.model.account import Role, User
from sparks.model.credential import KeyScope
from sparks.model.secret import Secret
from sparks.model.share import LinkPermission, ShareLink
from tests.api.community import Community, Headers, as_bearer
from tests.factories import a_user

ALBUM: Final = "the-album"  # Bob is a member of it, and the links lead to it
OTHER_ALBUM: Final = "bobs-album"
WHO_BRINGS: Final = "guest who brings photos"
HASH: Final = "the hash of one password"


@dataclass(frozen=True)
class Caller:
    """`viewer` is their name in signed URLs; None for callers without such URLs.

    `scopes` are those of a key; None is no key. `allowed` is what the link of a guest allows, into this `album`; None
    is no guest. `is_shown` says whether they see there what others brought.
    """

    name: str
    headers: Headers = field(default_factory=dict, repr=False)
    viewer: Viewer | None = None
    user: User | None = None
    scopes: frozenset[str] | None = None
    allowed: frozenset[str] | None = None
    album: str = ALBUM
    is_shown: bool = True

    @property
    def email(self) -> str | None:
        return None if self.user is None else self.user.email

    @property
    def is_known(self) -> bool:
        return self.user is not None or self.allowed is not None


def callers_of(community: Community) -> list[Caller]:
    ann, bob, carol = community.ann, community.bob, community.carol
    link, link_secret = community.link_to(ALBUM, LinkPermission.VIEW, LinkPermission.DOWNLOAD)
    narrow, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    brings, _ = community.link_to(ALBUM, LinkPermission.VIEW, LinkPermission.UPLOAD, moderated=True)
    elsewhere, _ = community.link_to(OTHER_ALBUM, LinkPermission.VIEW, LinkPermission.DOWNLOAD, password_hash=HASH)
    same, _ = community.link_to(ALBUM, LinkPermission.VIEW, LinkPermission.DOWNLOAD, password_hash=HASH)
    later, _ = community.link_to(ALBUM, LinkPermission.VIEW, reveal_at=community.at + timedelta(seconds=1))
    expired, _ = community.link_to(ALBUM, LinkPermission.VIEW, expires_at=community.at)
    revoked, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    return [
        Caller("anonymous"),
        _session(community, "administrator", carol),
        _session(community, "owner", ann),
        _session(community, "other member", bob),
        *(_key(community, f"key of the owner to {scope}", ann, scope) for scope in KeyScope if scope != "admin"),
        _key(community, "key of the administrator", carol, KeyScope.ADMIN),
        _key(community, "key of an administrator no more", _demoted(community), KeyScope.ADMIN),
        _guest(community, "guest", link),
        _guest(community, "guest who may only look", narrow),
        _guest(community, WHO_BRINGS, brings),
        _guest(community, "guest with a password", same),
        replace(_guest(community, "guest of another album with the same password", elsewhere), album=OTHER_ALBUM),
        replace(_guest(community, "guest before it is revealed", later), is_shown=False),
        replace(_guest(community, "guest of an expired link", expired), allowed=None),
        _revoked(community, revoked),
        _before_the_password(link, link_secret),
    ]


def _session(community: Community, name: str, user: User) -> Caller:
    headers = community.session_of(user)
    session_id = headers["Cookie"].partition("=")[2].partition(".")[0]
    return Caller(name, headers, Viewer(ViewerKind.SESSION, session_id), user)


def _key(community: Community, name: str, user: User, scope: KeyScope) -> Caller:
    headers = community.key_of(user, scope)
    key_id = headers["Authorization"].removeprefix("Bearer sk_").partition(".")[0]
    now = replace(user, role=Role.MEMBER) if user.email.startswith("former") else user
    return Caller(name, headers, Viewer(ViewerKind.KEY, key_id), now, scopes=frozenset({scope.value}))


def _demoted(community: Community) -> User:
    """The user as they were when they created the key."""
    user = community.join(a_user("former@example.com", role=Role.ADMIN))
    change_role(user.email, Role.MEMBER, table=community.table)
    return user


def _guest(community: Community, name: str, link: ShareLink) -> Caller:
    headers = community.guest_of(link)
    guest_id = headers["Authorization"].partition("_")[2].partition("_")[2].partition(".")[0]
    viewer = Viewer(ViewerKind.GUEST, f"{link.link_id}_{guest_id}")
    return Caller(name, headers, viewer, allowed=frozenset(permission.value for permission in link.allow))


def _revoked(community: Community, link: ShareLink) -> Caller:
    caller = _guest(community, "guest of a revoked link", link)
    revoke_link(link, table=community.table)
    return replace(caller, allowed=None)


def _before_the_password(link: ShareLink, secret: Secret) -> Caller:
    """A caller who sends the secret of the link as if it were a guest token."""
    return Caller("guest before the password", as_bearer(f"gt_{link.link_id}_{secret.text}"))

"""Resolver of a cookie, bearer token or signed URL to a caller."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sparks.auth import api_keys, link_sessions
from sparks.auth.api_keys import authenticate_key, member_of_key
from sparks.auth.link_sessions import authenticate_guest, caller_of_guest
from sparks.auth.sessions import authenticate_session, member_of_session
from sparks.auth.signed_media_urls import Viewer, ViewerKind
from sparks.model.access import SIGN_IN
from sparks.model.caller import Anonymous, Caller, GuestCaller, Member
from sparks.model.errors import NotSignedIn
from sparks.table.port import Table

UNKNOWN_TOKEN: Final = "Sparks does not know this token: send an API key as Authorization: Bearer sk_.."  # noqa: S105
MAX_TOKEN_LENGTH: Final = 16 * 1024

TokenMember = Callable[[str], Member]


class CallerResolver:
    """`token_member` finds the user of an OIDC token, `subject_member` the user of an OIDC subject."""

    def __init__(
        self,
        *,
        table: Table,
        idle: timedelta,
        token_member: TokenMember | None = None,
        subject_member: TokenMember | None = None,
    ) -> None:
        self._table = table
        self._idle = idle
        self._token_member = token_member
        self._subject_member = subject_member

    def by_cookie(self, text: str, *, at: datetime) -> Member:
        return authenticate_session(text, idle=self._idle, at=at, table=self._table)

    def by_bearer(self, text: str, *, at: datetime) -> Member | GuestCaller:
        if len(text) > MAX_TOKEN_LENGTH:
            raise NotSignedIn(UNKNOWN_TOKEN)
        if text.startswith(api_keys.PREFIX):
            return authenticate_key(text, at=at, table=self._table)
        if text.startswith(link_sessions.PREFIX):
            return authenticate_guest(text, at=at, table=self._table)
        if self._token_member is not None:
            return self._token_member(text)
        raise NotSignedIn(UNKNOWN_TOKEN)

    def by_guest_cookie(self, text: str, *, at: datetime) -> GuestCaller:
        return authenticate_guest(text, at=at, table=self._table)

    def by_viewer(self, viewer: Viewer, *, at: datetime) -> Member | GuestCaller:
        """The caller for whom a signed URL was made. NotSignedIn once their session, key or link is over."""
        match viewer.kind:
            case ViewerKind.SESSION:
                return member_of_session(viewer.id, at=at, table=self._table)
            case ViewerKind.KEY:
                return member_of_key(viewer.id, at=at, table=self._table)
            case ViewerKind.GUEST:
                link_id, _, guest_id = viewer.id.partition("_")
                return caller_of_guest(link_id, guest_id, at=at, table=self._table)
            case ViewerKind.TOKEN:
                if self._subject_member is None:
                    raise NotSignedIn(UNKNOWN_TOKEN)
                return self._subject_member(viewer.id)


def signed_in(caller: Caller) -> Member | GuestCaller:
    """The caller, who is a member or a guest; NotSignedIn for an anonymous one."""
    if isinstance(caller, Anonymous):
        raise NotSignedIn(SIGN_IN)
    return caller

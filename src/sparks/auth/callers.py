"""Who is asking: what a caller shows, a cookie, a Bearer token or a signed address, becomes a Who."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sparks.auth import api_keys, guests
from sparks.auth.api_keys import key_member, member_of_key
from sparks.auth.guests import caller_of_guest, guest_caller
from sparks.auth.sessions import member_of_session, session_member
from sparks.auth.signing import Viewer, ViewerKind
from sparks.model.caller import GuestCaller, Member
from sparks.model.errors import NotSignedIn
from sparks.table.port import Table

UNKNOWN_TOKEN: Final = "this is no token that Sparks knows: send an API key as Authorization: Bearer sk_.."  # noqa: S105
LONGEST: Final = 16 * 1024

TokenMember = Callable[[str], Member]


class Callers:
    """`token_member` tells whose the token of an issuer is, `subject_member` who its subject is."""

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
        return session_member(text, idle=self._idle, at=at, table=self._table)

    def by_bearer(self, text: str, *, at: datetime) -> Member | GuestCaller:
        if len(text) > LONGEST:
            raise NotSignedIn(UNKNOWN_TOKEN)
        if text.startswith(api_keys.PREFIX):
            return key_member(text, at=at, table=self._table)
        if text.startswith(guests.PREFIX):
            return guest_caller(text, at=at, table=self._table)
        if self._token_member is not None:
            return self._token_member(text)
        raise NotSignedIn(UNKNOWN_TOKEN)

    def by_guest_cookie(self, text: str, *, at: datetime) -> GuestCaller:
        return guest_caller(text, at=at, table=self._table)

    def by_viewer(self, viewer: Viewer, *, at: datetime) -> Member | GuestCaller:
        """Who a signed address was made for, if what let them in still does."""
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

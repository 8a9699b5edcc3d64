"""How a browser comes in: a new session in a cookie, written down, in place of the one it had."""

from fastapi import Request, Response

from sparks.api.gate import Gate, address_of
from sparks.auth.sessions import Span, open_session
from sparks.library.audit import Deed, audit
from sparks.model.account import User
from sparks.model.errors import BadInput
from sparks.model.secret import Secret, parse_secret
from sparks.table.port import Table


class Entrance:
    def __init__(self, *, gate: Gate, table: Table, span: Span) -> None:
        self._gate = gate
        self._table = table
        self._span = span

    def check(self, request: Request) -> None:
        """NotAllowed where nobody should come in: over plain http, or from another site's page."""
        self._gate.cookies.check(request)
        self._gate.check_origin(request)

    def let_in(self, user: User, request: Request, response: Response) -> None:
        """Whoever made sure that this is the user calls this; the answer sets the cookie."""
        at = self._gate.now()
        secret = open_session(
            user,
            span=self._span,
            device=request.headers.get("user-agent"),
            replaces=_held(self._gate.cookies.read(request)),
            also=(audit(Deed.SIGNED_IN, who=user.email, address=address_of(request), at=at),),
            at=at,
            table=self._table,
        )
        self._gate.cookies.give(response, secret.text)


def _held(cookie: str | None) -> Secret | None:
    """The session that the browser has now, if it is one."""
    try:
        return None if cookie is None else parse_secret(cookie)
    except BadInput:
        return None

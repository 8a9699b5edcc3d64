"""Whoever sends the provider's token with an API call."""

from collections.abc import Callable
from datetime import datetime

from sparks.auth.oidc.accounts import Welcome, account_for, find_account
from sparks.auth.oidc.claims import Claims
from sparks.auth.oidc.tokens import Tokens
from sparks.model import times
from sparks.model.account import User
from sparks.model.caller import Credential, Member
from sparks.model.errors import NotSignedIn
from sparks.table.port import Table


class IssuerTokens:
    """[Note: no cache] A token is verified at every call. That takes 0.12 ms, little beside the rest of a call, and
    nothing has to be forgotten when keys change.
    """

    def __init__(
        self,
        tokens: Tokens,
        *,
        issuer: str,
        welcome: Welcome,
        table: Table,
        clock: Callable[[], datetime] = times.now,
    ) -> None:
        self._tokens = tokens
        self._issuer = issuer
        self._welcome = welcome
        self._table = table
        self._clock = clock

    def caller(self, token: str) -> tuple[User, Claims]:
        """NotSignedIn unless the token is good; NotAllowed where it is, and its bearer has no account here."""
        claims = self._tokens.read_bearer(token)
        return account_for(claims, welcome=self._welcome, at=self._clock(), table=self._table), claims

    def member(self, token: str) -> Member:
        user, claims = self.caller(token)
        return Member(user, Credential("token", claims.sub))

    def member_of_subject(self, sub: str) -> Member:
        """As `member`, for a subject that was named in something that Sparks itself has signed."""
        user = find_account(self._issuer, sub, table=self._table)
        if user is None:
            raise NotSignedIn("this identity is not linked to an account any more: sign in again")
        return Member(user, Credential("token", sub))

"""The sign-in: the browser goes to the provider with a question, and comes back with a code."""

import hmac
import logging
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode, urlsplit

from sparks.auth.oidc.claims import Claims, read_profile
from sparks.auth.oidc.client import Client
from sparks.auth.oidc.discovery import Discovery, Provider
from sparks.auth.oidc.exchange import CODE_REFUSED, error_word, fetch_userinfo, redeem_code
from sparks.auth.oidc.state import BEGIN_AGAIN, GOOD_FOR, State, local_path, seal_state, unseal_state
from sparks.auth.oidc.tokens import Tokens
from sparks.model import times
from sparks.model.errors import NotSignedIn, Unavailable
from sparks.model.keyring import Keyring

SCOPE: Final = "openid email profile"
GAVE_UP: Final = "the sign-in was given up at the provider: begin it again if that was not meant"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begun:
    """Where the browser goes, and the cookie that it takes along."""

    url: str = field(repr=False)
    cookie: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CameBack:
    """What the provider sent the browser back with."""

    state: str = field(repr=False)
    code: str | None = field(default=None, repr=False)
    error: str | None = None
    iss: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """Who they are at the provider, and what they came for."""

    claims: Claims
    next: str
    link_to: str | None = field(repr=False)


class CodeFlow:
    """Authorization code with PKCE, state and nonce."""

    def __init__(
        self,
        client: Client,
        *,
        discovery: Discovery,
        tokens: Tokens,
        keyring: Keyring,
        clock: Callable[[], datetime] = times.now,
    ) -> None:
        self._client = client
        self._discovery = discovery
        self._tokens = tokens
        self._keyring = keyring
        self._clock = clock

    def begin(self, next_path: str, *, link_to: str | None = None) -> Begun:
        state = State(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(32),
            next=local_path(next_path),
            link_to=link_to,
            until=times.unix(self._clock()) + GOOD_FOR,
        )
        endpoint = _told(self._discovery.provider().authorization_endpoint)
        return Begun(_with_query(endpoint, self._question(state)), seal_state(state, keyring=self._keyring))

    def finish(self, came_back: CameBack, cookie: str | None) -> Finished:
        """NotSignedIn unless this browser was sent to the provider a moment ago, and the provider let it in.

        [Note: once] The provider takes a code once, so whatever a browser comes back with is good once.
        """
        state = unseal_state(cookie, keyring=self._keyring, at=self._clock())
        if not hmac.compare_digest(state.state.encode(), came_back.state.encode()):
            raise NotSignedIn(BEGIN_AGAIN)
        if came_back.error is not None:
            log.info("the sign-in provider let nobody in: %s", error_word(came_back.error))
            raise NotSignedIn(GAVE_UP if came_back.error == "access_denied" else CODE_REFUSED)
        provider = self._discovery.provider()
        if not came_back.code or not _is_from(provider, came_back.iss):
            raise NotSignedIn(CODE_REFUSED)
        return Finished(self._redeem(came_back.code, state, provider), state.next, state.link_to)

    def logout_url(self) -> str | None:
        """Where a browser signs out at the provider too. None where the provider has no such place, or is down: who
        signs out here must not depend on it.
        """
        try:
            endpoint = self._discovery.provider().end_session_endpoint
        except Unavailable:
            return None
        return None if endpoint is None else logout_address(endpoint, client=self._client)

    def _question(self, state: State) -> dict[str, str]:
        challenge = urlsafe_b64encode(sha256(state.verifier.encode()).digest()).rstrip(b"=").decode()
        return {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_uri,
            "scope": SCOPE,
            "state": state.state,
            "nonce": state.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }

    def _redeem(self, code: str, state: State, provider: Provider) -> Claims:
        redeemed = redeem_code(
            code,
            verifier=state.verifier,
            client=self._client,
            endpoint=_told(provider.token_endpoint),
            methods=provider.token_endpoint_auth_methods_supported,
        )
        claims = self._tokens.read_id_token(redeemed.id_token, nonce=state.nonce)
        if claims.email is not None or provider.userinfo_endpoint is None or redeemed.access_token is None:
            return claims
        more = fetch_userinfo(redeemed.access_token, sub=claims.sub, endpoint=provider.userinfo_endpoint)
        profile = read_profile(more)
        return replace(
            claims,
            email=profile.email,
            email_verified=profile.email_verified,
            name=claims.name or profile.name,
        )


def logout_address(endpoint: str, *, client: Client) -> str:
    """[Note: Cognito] It has a word of its own for where the browser shall go afterwards."""
    cognito = (urlsplit(client.issuer).hostname or "").startswith("cognito-idp.")
    back = "logout_uri" if cognito else "post_logout_redirect_uri"
    return _with_query(endpoint, {"client_id": client.client_id, back: f"{client.public_url}/"})


def _is_from(provider: Provider, iss: str | None) -> bool:
    """Where a provider signs its answers with its name, an answer without it is another's (RFC 9207)."""
    return iss == provider.issuer or (iss is None and not provider.authorization_response_iss_parameter_supported)


def _told(endpoint: str | None) -> str:
    if endpoint is None:
        raise Unavailable("the sign-in provider has no sign-in page: it only issues tokens for API calls")
    return endpoint


def _with_query(endpoint: str, query: dict[str, str]) -> str:
    return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

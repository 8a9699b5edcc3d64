"""Authorization code flow with PKCE: begin, finish and log out.

The state of a sign-in travels in a signed cookie. It proves that the browser that comes back is the one that was sent
to the provider, and any server process can finish a sign-in that another one began.
"""

import hmac
import logging
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode, urlsplit

import msgspec

from sparks.auth.oidc.claims import Claims, read_profile
from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.code_exchange import CODE_REFUSED, error_word, fetch_userinfo, redeem_code
from sparks.auth.oidc.discovery import Discovery, ProviderMetadata
from sparks.auth.oidc.token_validation import TokenValidator
from sparks.model import times
from sparks.model.errors import BadInput, BadSignature, NotSignedIn, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.times import unix

PURPOSE: Final = "oidc state"
GOOD_FOR: Final = 600  # seconds
LONGEST_NEXT: Final = 1000
BEGIN_AGAIN: Final = (
    "this sign-in was begun too long ago, in another browser or window, or at another address of this site: "
    "begin it again"
)
GAVE_UP: Final = "the sign-in was canceled at the provider: begin it again if that was a mistake"
SCOPE: Final = "openid email profile"

_COOKIE: Final = re.compile(r"([A-Za-z0-9_-]{1,3000}={0,2})\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{43})", re.ASCII)
_LOCAL: Final = re.compile(r"/(?![/\\])[!-\[\]-~]*", re.ASCII)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginState:
    """`next` is the page after the sign-in. With `link_to`, the identity is linked to that account."""

    state: str
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    next: str
    link_to: str | None = field(default=None, repr=False)
    until: int


def seal_state(state: LoginState, *, keyring: Keyring) -> str:
    packed = urlsafe_b64encode(msgspec.json.encode(state))
    key_id, mac = keyring.sign(PURPOSE, packed)
    return f"{packed.decode()}.{key_id}.{mac}"


def unseal_state(cookie: str | None, *, keyring: Keyring, at: datetime) -> LoginState:
    """NotSignedIn unless Sparks made the cookie, less than ten minutes ago."""
    match = _COOKIE.fullmatch(cookie or "")
    if match is None:
        raise NotSignedIn(BEGIN_AGAIN)
    packed = match[1].encode()
    try:
        keyring.verify(PURPOSE, packed, match[2], match[3])
    except BadSignature as error:
        raise NotSignedIn(BEGIN_AGAIN) from error
    state = msgspec.json.decode(urlsafe_b64decode(packed), type=LoginState)
    if state.until <= unix(at):
        raise NotSignedIn(BEGIN_AGAIN)
    return state


def local_path(text: str) -> str:
    """The text, if it is a path of this site. BadInput for a text that a browser might take for another site's URL."""
    if len(text) > LONGEST_NEXT or _LOCAL.fullmatch(text) is None:
        raise BadInput(f"`next` is not a path of this site, as /albums, of at most {LONGEST_NEXT} characters")
    return text


@dataclass(frozen=True, slots=True)
class LoginRedirect:
    """The URL of the provider's sign-in page, and the cookie for the browser."""

    url: str = field(repr=False)
    cookie: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackParameters:
    """The query parameters of the callback."""

    state: str = field(repr=False)
    code: str | None = field(default=None, repr=False)
    error: str | None = None
    iss: str | None = None


@dataclass(frozen=True, slots=True)
class LoginResult:
    """The claims of the user, and the purpose of the sign-in from its state."""

    claims: Claims
    next: str
    link_to: str | None = field(repr=False)


class CodeFlow:
    """Authorization code with PKCE, state and nonce."""

    def __init__(
        self,
        client: ClientConfig,
        *,
        discovery: Discovery,
        tokens: TokenValidator,
        keyring: Keyring,
        clock: Callable[[], datetime] = times.now,
    ) -> None:
        self._client = client
        self._discovery = discovery
        self._tokens = tokens
        self._keyring = keyring
        self._clock = clock

    def begin(self, next_path: str, *, link_to: str | None = None) -> LoginRedirect:
        state = LoginState(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(32),
            next=local_path(next_path),
            link_to=link_to,
            until=times.unix(self._clock()) + GOOD_FOR,
        )
        endpoint = _required(self._discovery.provider().authorization_endpoint)
        return LoginRedirect(
            _with_query(endpoint, self._authorization_request(state)), seal_state(state, keyring=self._keyring)
        )

    def finish(self, callback: CallbackParameters, cookie: str | None) -> LoginResult:
        """NotSignedIn unless this browser was sent to the provider a moment ago, and the provider signed the user in.

        A callback succeeds once, since the provider accepts a code once.
        """
        state = unseal_state(cookie, keyring=self._keyring, at=self._clock())
        if not hmac.compare_digest(state.state.encode(), callback.state.encode()):
            raise NotSignedIn(BEGIN_AGAIN)
        if callback.error is not None:
            log.info("the sign-in provider answered with an error: %s", error_word(callback.error))
            raise NotSignedIn(GAVE_UP if callback.error == "access_denied" else CODE_REFUSED)
        provider = self._discovery.provider()
        if not callback.code or not _is_from(provider, callback.iss):
            raise NotSignedIn(CODE_REFUSED)
        return LoginResult(self._redeem(callback.code, state, provider), state.next, state.link_to)

    def logout_url(self) -> str | None:
        """The URL that signs the browser out at the provider too. None where the provider has none, or is down: signing
        out of Sparks must not depend on it.
        """
        try:
            endpoint = self._discovery.provider().end_session_endpoint
        except Unavailable:
            return None
        return None if endpoint is None else logout_address(endpoint, client=self._client)

    def _authorization_request(self, state: LoginState) -> dict[str, str]:
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

    def _redeem(self, code: str, state: LoginState, provider: ProviderMetadata) -> Claims:
        redeemed = redeem_code(
            code,
            verifier=state.verifier,
            client=self._client,
            endpoint=_required(provider.token_endpoint),
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


def logout_address(endpoint: str, *, client: ClientConfig) -> str:
    """Cognito has a parameter of its own for the page after the sign-out."""
    cognito = (urlsplit(client.issuer).hostname or "").startswith("cognito-idp.")
    back = "logout_uri" if cognito else "post_logout_redirect_uri"
    return _with_query(endpoint, {"client_id": client.client_id, back: f"{client.public_url}/"})


def _is_from(provider: ProviderMetadata, iss: str | None) -> bool:
    """Whether the callback is from this provider. A provider that supports `iss` must send it (RFC 9207)."""
    return iss == provider.issuer or (iss is None and not provider.authorization_response_iss_parameter_supported)


def _required(endpoint: str | None) -> str:
    if endpoint is None:
        raise Unavailable("the sign-in provider has no sign-in page: it only issues tokens for API calls")
    return endpoint


def _with_query(endpoint: str, query: dict[str, str]) -> str:
    return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

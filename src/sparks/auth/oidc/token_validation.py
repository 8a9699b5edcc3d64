"""Validation of the provider's ID and access tokens.

The signature is verified before any claim is used. Of the header only `kid`, a name in the dictionary of known keys,
and `alg`, one of two values, are used; URLs of keys (`jku`, `x5u`) and keys (`jwk`) are ignored.

Cognito names the kind of a token in `token_use`. Its access tokens name the client in `client_id` and have no `aud`;
its ID tokens, and all tokens of other providers, name the client in `aud`. Refused are other documents that a provider
signs with the same keys, such as logout tokens, and tokens that are bound to a key of their user.
"""

import hmac
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final

import jwt
import msgspec
from msgspec import Meta

from sparks.auth.oidc.claims import Claims, read_profile
from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.discovery import JwksCache, PublicKey
from sparks.model import times
from sparks.model.errors import NotSignedIn

MAX_LENGTH: Final = 16 * 1024
MAX_SUBJECT_BYTES: Final = 255
LEEWAY: Final = 60  # seconds
ALGORITHMS: Final = ("RS256", "ES256")
TYPES: Final = ("jwt", "at+jwt", "application/at+jwt")

MALFORMED: Final = "it is altered, cut short or not a token of the provider"

_JWS: Final = jwt.PyJWS()

log = logging.getLogger(__name__)

Moment = Annotated[float, Meta(ge=0, le=253402300799)]  # the last second of the year 9999


class TokenPayload(msgspec.Struct):
    """The required and the optional claims of a token."""

    iss: str
    sub: Annotated[str, Meta(min_length=1)]
    exp: Moment
    nbf: Moment = 0
    iat: Moment = 0
    aud: str | list[str] = []
    azp: str | None = None
    client_id: str | None = None
    token_use: str | None = None
    nonce: str | None = None
    email: Any = None
    email_verified: Any = None
    name: Any = None
    cnf: Any = None
    events: Any = None

    @property
    def audience(self) -> list[str]:
        return [self.aud] if isinstance(self.aud, str) else self.aud


class TokenValidator:
    def __init__(self, client: ClientConfig, keys: JwksCache, *, clock: Callable[[], datetime] = times.now) -> None:
        self._client = client
        self._keys = keys
        self._clock = clock

    def read_bearer(self, token: str) -> Claims:
        """The claims of an access or ID token of an API call. NotSignedIn unless it is valid, and made for Sparks."""
        payload = self._verified(token)
        match payload.token_use:
            case "access":
                is_for_us = payload.client_id == self._client.client_id
            case "id":
                is_for_us = payload.audience == [self._client.client_id]
            case None:
                is_for_us = self._client.client_id in payload.audience
            case _:
                raise token_error("it is neither an access token nor an ID token")
        if not is_for_us:
            raise token_error("it was made for another application")
        return _claims(payload)

    def read_id_token(self, token: str, *, nonce: str) -> Claims:
        """The claims of the ID token of a sign-in. NotSignedIn unless it was made for Sparks alone, and for this
        sign-in.
        """
        payload = self._verified(token)
        own_id, audience = self._client.client_id, payload.audience
        if own_id not in audience or (payload.azp or own_id) != own_id or (len(audience) > 1 and not payload.azp):
            raise token_error("it was made for another application")
        if payload.token_use not in (None, "id"):
            raise token_error("it is not an ID token")
        if payload.nonce is None or not hmac.compare_digest(payload.nonce.encode(), nonce.encode()):
            raise token_error("it was made for another sign-in")
        return _claims(payload)

    def _verified(self, token: str) -> TokenPayload:
        if len(token) > MAX_LENGTH or not token.isascii():
            raise token_error(MALFORMED)
        kid, algorithm = _read_header(token)
        key = self._keys.find(kid, algorithm)
        if key is None:
            raise token_error("it is signed with a key that the provider does not have")
        payload = _read_payload(token, key, algorithm)
        self._check(payload)
        return payload

    def _check(self, payload: TokenPayload) -> None:
        now = self._clock().timestamp()
        if payload.iss != self._client.issuer:
            raise token_error("it was made by another provider")
        if payload.exp + LEEWAY <= now:
            raise token_error("it has expired")
        if max(payload.nbf, payload.iat) - LEEWAY > now:
            raise token_error("it is not valid yet")
        if len(payload.sub.encode()) > MAX_SUBJECT_BYTES or not payload.sub.isprintable():
            raise token_error("its subject cannot be used")
        if payload.cnf is not None or payload.events is not None:
            raise token_error("it is not a plain access token or ID token")


def _read_header(token: str) -> tuple[str, str]:
    """The id of the key, and the algorithm."""
    try:
        header = _JWS.get_unverified_header(token)
    except jwt.PyJWTError as error:
        raise token_error(MALFORMED) from error
    kid, algorithm, kind = header.get("kid"), header.get("alg"), header.get("typ", "JWT")
    if algorithm not in ALGORITHMS:
        raise token_error("it is not signed with RS256 or ES256")
    if not isinstance(kind, str) or kind.lower() not in TYPES or "crit" in header:
        raise token_error("it is of a kind that Sparks does not know")
    if not isinstance(kid, str):
        raise token_error("it does not name the key that it is signed with")
    return kid, str(algorithm)


def _read_payload(token: str, key: PublicKey, algorithm: str) -> TokenPayload:
    try:
        return msgspec.json.decode(_JWS.decode(token, key, algorithms=[algorithm]), type=TokenPayload)
    except jwt.PyJWTError as error:
        raise token_error(MALFORMED) from error
    except (ValueError, RecursionError) as error:
        raise token_error("it lacks a required claim") from error


def _claims(payload: TokenPayload) -> Claims:
    profile = read_profile({"email": payload.email, "email_verified": payload.email_verified, "name": payload.name})
    return Claims(
        iss=payload.iss,
        sub=payload.sub,
        email=profile.email,
        email_verified=profile.email_verified,
        name=profile.name,
        expires_at=times.from_unix(int(payload.exp)),
    )


def token_error(reason: str) -> NotSignedIn:
    """Neither the log line nor the message holds anything of the token itself."""
    log.info("a token was refused: %s", reason)
    return NotSignedIn(f"this token is not accepted, because {reason}: sign in again to get a new one")

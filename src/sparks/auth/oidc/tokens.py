"""Whether a token of the provider is good, and what it says.

[Note: order] Nothing that a token says is believed, or looked up anywhere but among the keys at hand, before its
signature is checked: its `kid` is a name in a dictionary, its `alg` one of two words, and addresses of keys (`jku`,
`x5u`) or keys themselves (`jwk`) are not read at all.

[Note: which kinds] Cognito's tokens say what they are for in `token_use`. Its access tokens name the client as
`client_id` and have no `aud`; its ID tokens, and the tokens of all others, name it in `aud`. Other things that a
provider signs with the same keys, say logout tokens, and tokens that are bound to somebody's key are refused.
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
from sparks.auth.oidc.client import Client
from sparks.auth.oidc.keys import Keys, PublicKey
from sparks.model import times
from sparks.model.errors import NotSignedIn

LONGEST: Final = 16 * 1024
LONGEST_SUBJECT: Final = 255
LEEWAY: Final = 60  # seconds
ALGORITHMS: Final = ("RS256", "ES256")
TYPES: Final = ("jwt", "at+jwt", "application/at+jwt")

MALFORMED: Final = "it is altered, cut short or no token of the provider"

_JWS: Final = jwt.PyJWS()

log = logging.getLogger(__name__)

Moment = Annotated[float, Meta(ge=0, le=253402300799)]  # the last second that a calendar has


class Payload(msgspec.Struct):
    """What a token must say, and what it may."""

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


class Tokens:
    def __init__(self, client: Client, keys: Keys, *, clock: Callable[[], datetime] = times.now) -> None:
        self._client = client
        self._keys = keys
        self._clock = clock

    def read_bearer(self, token: str) -> Claims:
        """Of an access or ID token that came with an API call. NotSignedIn unless it is good, and for us."""
        payload = self._verified(token)
        match payload.token_use:
            case "access":
                meant = payload.client_id == self._client.client_id
            case "id":
                meant = payload.audience == [self._client.client_id]
            case None:
                meant = self._client.client_id in payload.audience
            case _:
                raise refusal("it is neither an access token nor an ID token")
        if not meant:
            raise refusal("it was made for another application")
        return _claims(payload)

    def read_id_token(self, token: str, *, nonce: str) -> Claims:
        """Of the ID token that a sign-in ended with: made for us alone, and for this sign-in."""
        payload = self._verified(token)
        us = self._client.client_id
        if us not in payload.audience or (payload.azp or us) != us or (len(payload.audience) > 1 and not payload.azp):
            raise refusal("it was made for another application")
        if payload.token_use not in (None, "id"):
            raise refusal("it is not an ID token")
        if payload.nonce is None or not hmac.compare_digest(payload.nonce.encode(), nonce.encode()):
            raise refusal("it was made for another sign-in")
        return _claims(payload)

    def _verified(self, token: str) -> Payload:
        if len(token) > LONGEST or not token.isascii():
            raise refusal(MALFORMED)
        kid, algorithm = _read_header(token)
        key = self._keys.find(kid, algorithm)
        if key is None:
            raise refusal("it is signed with a key that the provider does not have")
        payload = _read_payload(token, key, algorithm)
        self._check(payload)
        return payload

    def _check(self, payload: Payload) -> None:
        now = self._clock().timestamp()
        if payload.iss != self._client.issuer:
            raise refusal("it was made by another provider")
        if payload.exp + LEEWAY <= now:
            raise refusal("it has expired")
        if max(payload.nbf, payload.iat) - LEEWAY > now:
            raise refusal("it is not good yet")
        if len(payload.sub.encode()) > LONGEST_SUBJECT or not payload.sub.isprintable():
            raise refusal("its subject cannot be used")
        if payload.cnf is not None or payload.events is not None:
            raise refusal("it is neither an access token nor an ID token that anybody may carry")


def _read_header(token: str) -> tuple[str, str]:
    """The name of the key, and the algorithm."""
    try:
        header = _JWS.get_unverified_header(token)
    except jwt.PyJWTError as error:
        raise refusal(MALFORMED) from error
    kid, algorithm, kind = header.get("kid"), header.get("alg"), header.get("typ", "JWT")
    if algorithm not in ALGORITHMS:
        raise refusal("it is not signed with RS256 or ES256")
    if not isinstance(kind, str) or kind.lower() not in TYPES or "crit" in header:
        raise refusal("it is of a kind that Sparks does not know")
    if not isinstance(kid, str):
        raise refusal("it does not name the key that it is signed with")
    return kid, str(algorithm)


def _read_payload(token: str, key: PublicKey, algorithm: str) -> Payload:
    try:
        return msgspec.json.decode(_JWS.decode(token, key, algorithms=[algorithm]), type=Payload)
    except jwt.PyJWTError as error:
        raise refusal(MALFORMED) from error
    except (ValueError, RecursionError) as error:
        raise refusal("it lacks what every token must say") from error


def _claims(payload: Payload) -> Claims:
    profile = read_profile({"email": payload.email, "email_verified": payload.email_verified, "name": payload.name})
    return Claims(
        iss=payload.iss,
        sub=payload.sub,
        email=profile.email,
        email_verified=profile.email_verified,
        name=profile.name,
        expires_at=times.from_unix(int(payload.exp)),
    )


def refusal(reason: str) -> NotSignedIn:
    """Neither the log nor the caller is told anything of the token itself."""
    log.info("a token was refused: %s", reason)
    return NotSignedIn(f"this token is not accepted, because {reason}: sign in again to get a new one")

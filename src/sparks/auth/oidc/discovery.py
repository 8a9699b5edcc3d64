"""Provider metadata and public keys (JWKS), fetched and cached."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWTError
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from sparks.auth.oidc.client_config import is_safe_url
from sparks.auth.oidc.remote_json import CachedDocument, get_json
from sparks.model.errors import Unavailable

WELL_KNOWN: Final = "/.well-known/openid-configuration"
TTL: Final = 3600.0  # seconds
METADATA_PAUSE: Final = 10.0
KEYS_PAUSE: Final = 60.0
MIN_RSA_BITS: Final = 2048

_URLS: Final = (
    "jwks_uri",
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "end_session_endpoint",
)

PublicKey = RSAPublicKey | EllipticCurvePublicKey
KeySet = Mapping[tuple[str, str], PublicKey]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderMetadata:
    """The fields of a discovery document that Sparks uses. A provider that only issues tokens has no endpoints."""

    issuer: str
    jwks_uri: str
    authorization_endpoint: str | None = None
    token_endpoint: str | None = None
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class Discovery:
    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._issuer = issuer
        self._cached = CachedDocument(self._load, good_for=TTL, pause=METADATA_PAUSE, clock=clock)

    def provider(self) -> ProviderMetadata:
        """Unavailable where the provider cannot be reached, or its metadata are not valid."""
        return self._cached.get()

    def _load(self) -> ProviderMetadata:
        return parse_metadata(get_json(self._issuer.rstrip("/") + WELL_KNOWN), issuer=self._issuer)


def parse_metadata(document: dict[str, Any], *, issuer: str) -> ProviderMetadata:
    try:
        provider = msgspec.convert(document, type=ProviderMetadata)
    except msgspec.ValidationError as error:
        raise Unavailable(f"the provider's discovery document cannot be used: {error}") from error
    if provider.issuer != issuer:
        raise Unavailable(
            "the provider has another issuer than the one that is set: oidc_issuer must be exactly the issuer of its "
            "discovery document"
        )
    for name in _URLS:
        url = getattr(provider, name)
        if url is not None and not is_safe_url(url, beside=issuer):
            raise Unavailable(f"the provider's discovery document cannot be used: its {name} is not an https address")
    return provider


class JwksCache:
    """The provider's keys, kept for an hour. For an unknown key they are loaded again, at most once a minute."""

    def __init__(self, discovery: Discovery, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._discovery = discovery
        self._cached = CachedDocument(self._load, good_for=TTL, pause=KEYS_PAUSE, clock=clock)

    def find(self, kid: str, algorithm: str) -> PublicKey | None:
        """The key of that id for that algorithm, or None. Unavailable where the provider cannot be reached."""
        self._discovery.provider()  # raises first, so that missing metadata do not count as a failed load of keys
        found = self._cached.get().get((kid, algorithm))
        return self._cached.reload().get((kid, algorithm)) if found is None else found

    def _load(self) -> KeySet:
        document = get_json(self._discovery.provider().jwks_uri)
        offered = document.get("keys")
        if not isinstance(offered, list):
            raise Unavailable("the provider's keys cannot be read")
        usable = parse_jwks(offered)
        log.info("loaded %d usable keys of the %d of the sign-in provider", len(usable), len(offered))
        return usable


class _Jwk(msgspec.Struct):
    """The public part of a key. A private part is ignored."""

    kty: str
    kid: str
    use: str = "sig"
    alg: str | None = None
    crv: str = ""
    n: str = ""
    e: str = ""
    x: str = ""
    y: str = ""


def parse_jwks(offered: list[Any]) -> KeySet:
    """The keys that verify signatures, each for its one algorithm. Other keys are skipped."""
    usable: dict[tuple[str, str], PublicKey] = {}
    for each in offered:
        try:
            jwk = msgspec.convert(each, type=_Jwk)
            algorithm, key = _read_key(jwk)
        except (msgspec.ValidationError, PyJWTError, ValueError):
            continue
        if jwk.use == "sig" and jwk.alg in (None, algorithm):
            usable[jwk.kid, algorithm] = key
    return usable


def _read_key(jwk: _Jwk) -> tuple[str, PublicKey]:
    if jwk.kty == "RSA":
        rsa = RSAAlgorithm.from_jwk({"kty": "RSA", "n": jwk.n, "e": jwk.e})
        if isinstance(rsa, RSAPublicKey) and rsa.key_size >= MIN_RSA_BITS:
            return "RS256", rsa
    if (jwk.kty, jwk.crv) == ("EC", "P-256"):
        ec = ECAlgorithm.from_jwk({"kty": "EC", "crv": "P-256", "x": jwk.x, "y": jwk.y})
        if isinstance(ec, EllipticCurvePublicKey):
            return "ES256", ec
    raise ValueError("not a key for RS256 or ES256")

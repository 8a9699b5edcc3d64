"""The provider's public keys."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWTError
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from sparks.auth.oidc.discovery import Discovery
from sparks.auth.oidc.fetch import get_json
from sparks.auth.oidc.kept import Kept
from sparks.model.errors import Unavailable

GOOD_FOR: Final = 3600.0
PAUSE: Final = 60.0
SMALLEST_RSA: Final = 2048

PublicKey = RSAPublicKey | EllipticCurvePublicKey
KeySet = Mapping[tuple[str, str], PublicKey]

log = logging.getLogger(__name__)


class Keys:
    """Kept for an hour. One that is not known is looked for at the provider, which is asked once a minute at most."""

    def __init__(self, discovery: Discovery, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._discovery = discovery
        self._kept = Kept(self._load, good_for=GOOD_FOR, pause=PAUSE, clock=clock)

    def find(self, kid: str, algorithm: str) -> PublicKey | None:
        """The key of that name for that algorithm, if the provider has one. Unavailable where it cannot be asked."""
        self._discovery.provider()  # one who cannot be found has not been asked for its keys
        found = self._kept.get().get((kid, algorithm))
        return self._kept.renewed().get((kid, algorithm)) if found is None else found

    def _load(self) -> KeySet:
        document = get_json(self._discovery.provider().jwks_uri)
        offered = document.get("keys")
        if not isinstance(offered, list):
            raise Unavailable("the provider's keys cannot be read")
        taken = read_keys(offered)
        log.info("took %d of the %d keys that the sign-in provider has", len(taken), len(offered))
        return taken


class _Jwk(msgspec.Struct):
    """The public part of a key; a private part is not even looked at."""

    kty: str
    kid: str
    use: str = "sig"
    alg: str | None = None
    crv: str = ""
    n: str = ""
    e: str = ""
    x: str = ""
    y: str = ""


def read_keys(offered: list[Any]) -> KeySet:
    """Those that signatures may be checked with, each for the one algorithm that fits it. Others are passed over."""
    taken: dict[tuple[str, str], PublicKey] = {}
    for each in offered:
        try:
            jwk = msgspec.convert(each, type=_Jwk)
            algorithm, key = _read_key(jwk)
        except (msgspec.ValidationError, PyJWTError, ValueError):
            continue
        if jwk.use == "sig" and jwk.alg in (None, algorithm):
            taken[jwk.kid, algorithm] = key
    return taken


def _read_key(jwk: _Jwk) -> tuple[str, PublicKey]:
    if jwk.kty == "RSA":
        rsa = RSAAlgorithm.from_jwk({"kty": "RSA", "n": jwk.n, "e": jwk.e})
        if isinstance(rsa, RSAPublicKey) and rsa.key_size >= SMALLEST_RSA:
            return "RS256", rsa
    if (jwk.kty, jwk.crv) == ("EC", "P-256"):
        ec = ECAlgorithm.from_jwk({"kty": "EC", "crv": "P-256", "x": jwk.x, "y": jwk.y})
        if isinstance(ec, EllipticCurvePublicKey):
            return "ES256", ec
    raise ValueError("not a key for RS256 or ES256")

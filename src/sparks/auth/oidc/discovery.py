"""Where the provider's addresses are: it tells so itself, under a well-known one."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from sparks.auth.oidc.client import is_safe
from sparks.auth.oidc.fetch import get_json
from sparks.auth.oidc.kept import Kept
from sparks.model.errors import Unavailable

WELL_KNOWN: Final = "/.well-known/openid-configuration"
GOOD_FOR: Final = 3600.0
PAUSE: Final = 10.0

_ADDRESSES: Final = (
    "jwks_uri",
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "end_session_endpoint",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What Sparks wants to know of a discovery document, in its words. One who only issues tokens has no endpoints."""

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
        self._kept = Kept(self._load, good_for=GOOD_FOR, pause=PAUSE, clock=clock)

    def provider(self) -> Provider:
        """Unavailable where the provider cannot be asked, or is not who it should be."""
        return self._kept.get()

    def _load(self) -> Provider:
        return read_provider(get_json(self._issuer.rstrip("/") + WELL_KNOWN), issuer=self._issuer)


def read_provider(document: dict[str, Any], *, issuer: str) -> Provider:
    try:
        provider = msgspec.convert(document, type=Provider)
    except msgspec.ValidationError as error:
        raise Unavailable(f"the provider's discovery document cannot be used: {error}") from error
    if provider.issuer != issuer:
        raise Unavailable(
            "the provider calls itself by another name than the one that is set: oidc_issuer must be just what its "
            "discovery document tells as issuer"
        )
    for name in _ADDRESSES:
        url = getattr(provider, name)
        if url is not None and not is_safe(url, beside=issuer):
            raise Unavailable(f"the provider's discovery document cannot be used: its {name} is no https address")
    return provider

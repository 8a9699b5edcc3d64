"""How Sparks is known to the provider."""

import ipaddress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from sparks.model.errors import BadSetting

CALLBACK: Final = "/api/oidc/callback"
LONGEST_ISSUER: Final = 500  # with a subject behind it, the key of an identity has room for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """`issuer` is the provider's name for itself, to the letter. Without a secret, Sparks is a public client."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    public_url: str

    def __post_init__(self) -> None:
        if not is_safe(self.issuer) or len(self.issuer) > LONGEST_ISSUER:
            raise BadSetting(
                "oidc_issuer must begin with https://: over plain http anybody on the way could sign in as anybody "
                "(http:// is for a provider on this machine only)"
            )

    @property
    def redirect_uri(self) -> str:
        """The address to register at the provider."""
        return self.public_url + CALLBACK


def is_safe(url: str, *, beside: str | None = None) -> bool:
    """Whether what is sent there stays between us: https, or this machine. Beside an https address, https only."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment or not url.isascii() or not url.isprintable():
        return False
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and _is_loopback(host) and (beside is None or urlsplit(beside).scheme == "http")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

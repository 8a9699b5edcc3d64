"""Checked configuration of Sparks as an OIDC client."""

import ipaddress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from sparks.model.errors import BadSetting

CALLBACK: Final = "/api/oidc/callback"
MAX_ISSUER_LENGTH: Final = 500  # with a subject appended, it still fits into the key of an identity


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConfig:
    """`issuer` is the exact issuer of the provider's metadata. Without a secret, Sparks is a public client."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    public_url: str

    def __post_init__(self) -> None:
        if not is_safe_url(self.issuer) or len(self.issuer) > MAX_ISSUER_LENGTH:
            raise BadSetting(
                "oidc_issuer must begin with https://: over plain http an attacker could sign in as any user "
                "(http:// is for a provider on this machine only)"
            )

    @property
    def redirect_uri(self) -> str:
        """The address to register at the provider."""
        return self.public_url + CALLBACK


def is_safe_url(url: str, *, beside: str | None = None) -> bool:
    """Whether the URL is https, or http on this machine. `beside` an https URL, only https is safe."""
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

"""Signed URLs of blobs that Sparks serves itself: made and verified.

The signature covers the method, the key and every parameter as they are written, so a URL that was altered in any way
is refused.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from sparks.blobs.checks import (
    checked_content_type,
    checked_disposition,
    checked_expiry,
    checked_part_number,
    checked_sha256,
    checked_size,
)
from sparks.blobs.port import DEFAULT_TYPE, SignedUrl, checked_key
from sparks.model.errors import BadSignature
from sparks.model.keyring import Keyring

PURPOSE: Final = "blob address"

_SIGNATURE: Final = "&signature="


@dataclass(frozen=True, slots=True)
class ReadGrant:
    """Permission to read one blob; the response has these headers."""

    key: str
    disposition: str | None
    content_type: str | None


@dataclass(frozen=True, slots=True)
class PutGrant:
    """Permission to store one blob of exactly this size and type."""

    key: str
    size: int
    content_type: str
    sha256: str | None
    if_absent: bool


@dataclass(frozen=True, slots=True)
class PartGrant:
    """Permission to store one part of an upload, of exactly this size."""

    key: str
    upload_id: str
    number: int
    size: int


class SignedUrlMixin:
    """The `sign_..` methods of adapters whose URLs Sparks itself answers."""

    def __init__(self, *, keyring: Keyring, base_url: str, clock: Callable[[], float] = time.time) -> None:
        self._keyring = keyring
        self._base_url = base_url.rstrip("/")
        self._clock = clock

    def sign_get(
        self, key: str, *, expires_in: int, disposition: str | None = None, content_type: str | None = None
    ) -> SignedUrl:
        values = {}
        if disposition is not None:
            values["disposition"] = checked_disposition(disposition)
        if content_type is not None:
            values["type"] = checked_content_type(content_type)
        return SignedUrl(self._sign("GET", key, values, expires_in), "GET")

    def sign_put(
        self,
        key: str,
        *,
        size: int,
        content_type: str = DEFAULT_TYPE,
        expires_in: int,
        sha256: str | None = None,
        if_absent: bool = False,
    ) -> SignedUrl:
        values = {"size": str(checked_size(size)), "type": checked_content_type(content_type)}
        if (known := checked_sha256(sha256)) is not None:
            values["sha256"] = known
        if if_absent:
            values["absent"] = "1"
        return SignedUrl(self._sign("PUT", key, values, expires_in), "PUT", {"Content-Type": content_type})

    def sign_part(self, key: str, upload_id: str, number: int, *, size: int, expires_in: int) -> SignedUrl:
        values = {"upload": upload_id, "part": str(checked_part_number(number)), "size": str(checked_size(size))}
        return SignedUrl(self._sign("PUT", key, values, expires_in), "PUT")

    def _sign(self, method: str, key: str, values: Mapping[str, str], expires_in: int) -> str:
        expires = int(self._clock()) + checked_expiry(expires_in)
        query = urlencode({**values, "expires": str(expires), "by": self._keyring.current}, quote_via=quote, safe="")
        _, signature = self._keyring.sign(PURPOSE, _message(method, checked_key(key), query))
        return f"{self._base_url}/blobs/{quote(key)}?{query}{_SIGNATURE}{signature}"


def read_grant(key: str, query: str, *, keyring: Keyring, now: float) -> ReadGrant:
    """The permission of a GET or HEAD of `key` with this query string, or BadSignature."""
    values = _verified("GET", key, query, keyring, now)
    return ReadGrant(key, values.get("disposition"), values.get("type"))


def write_grant(key: str, query: str, *, keyring: Keyring, now: float) -> PutGrant | PartGrant:
    """The permission of a PUT to `key` with this query string, or BadSignature."""
    values = _verified("PUT", key, query, keyring, now)
    size = int(values["size"])
    if "upload" in values:
        return PartGrant(key, values["upload"], int(values["part"]), size)
    return PutGrant(key, size, values["type"], values.get("sha256"), if_absent="absent" in values)


def _verified(method: str, key: str, query: str, keyring: Keyring, now: float) -> dict[str, str]:
    """The parameters, after it is verified that `_sign` wrote them."""
    signed, _, signature = query.rpartition(_SIGNATURE)
    values = dict(parse_qsl(signed, keep_blank_values=True))
    keyring.verify(PURPOSE, _message(method, key, signed), values.get("by", ""), signature)
    if int(values["expires"]) <= now:
        raise BadSignature("this URL has expired: request a new one")
    return values


def _message(method: str, key: str, query: str) -> bytes:
    return f"{method}\n{key}\n{query}".encode()

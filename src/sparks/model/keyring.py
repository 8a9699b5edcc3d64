"""Keyring of rotating secrets that sign URLs and cursors.

Each secret has a short id that travels with the signature. New signatures are made with the current one; those made
with another stay good for as long as its secret is in the ring. That is how secrets rotate: add one, make it the
current one, and take the old one out when all that it signed has expired.
"""

import hmac
import re
from binascii import b2a_base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from sparks.model.errors import BadSetting, BadSignature

SHORTEST_SECRET: Final = 32
SHA256_BLOCK: Final = 64  # bytes

_KEY_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII)
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")
_DERIVED: Final = b"\xff\xff"  # stands where a signature has the length of its purpose; none is that long


@dataclass(frozen=True, slots=True)
class Keyring:
    """A signature for one purpose is not valid for any other."""

    current: str
    secrets: Mapping[str, bytes] = field(repr=False)

    def __post_init__(self) -> None:
        if self.current not in self.secrets:
            raise BadSetting(f"there is no secret {self.current[:40]!r}, which new signatures are to be made with")
        for key_id, secret in self.secrets.items():
            if _KEY_ID.fullmatch(key_id) is None:
                raise BadSetting(f"not the id of a secret (1 to 32 letters, digits, '-' or '_'): {key_id[:40]!r}")
            if len(secret) < SHORTEST_SECRET:
                raise BadSetting(f"the secret {key_id} is shorter than {SHORTEST_SECRET} bytes")
        object.__setattr__(self, "secrets", dict(self.secrets))

    def sign(self, purpose: str, message: bytes) -> tuple[str, str]:
        """The id of the current secret, and the signature: 43 letters, digits, `-` or `_`."""
        return self.current, _mac(self.secrets[self.current], purpose, message)

    def signer(self, purpose: str) -> Callable[[bytes], str]:
        """A function that signs as `sign` does for a third of the work: for lists of messages."""
        return _signer(self.secrets[self.current], purpose)

    def verify(self, purpose: str, message: bytes, key_id: str, mac: str) -> None:
        """Raises BadSignature unless `sign` returned `mac` for this purpose and message."""
        secret = self._secret(key_id)
        if not hmac.compare_digest(_mac(secret, purpose, message).encode(), mac.encode(errors="backslashreplace")):
            raise BadSignature("the signature does not fit: this was altered, or made for something else")

    def derive(self, purpose: str, key_id: str) -> bytes:
        """32 bytes to encrypt with, which reveal neither the secret nor any signature. BadSignature where the ring does
        not hold the secret (any more).
        """
        return hmac.digest(self._secret(key_id), _DERIVED + purpose.encode(), "sha256")

    def _secret(self, key_id: str) -> bytes:
        secret = self.secrets.get(key_id)
        if secret is None:
            raise BadSignature("this was signed with a secret that is not in use (any more)")
        return secret


def _mac(secret: bytes, purpose: str, message: bytes) -> str:
    """HMAC-SHA256 over both."""
    return _letters(hmac.digest(secret, _named(purpose) + message, "sha256"))


def _signer(secret: bytes, purpose: str) -> Callable[[bytes], str]:
    """HMAC as RFC 2104 defines it. Both hashes are copied after they have read the secret and the purpose; the standard
    library would read these again for each message.
    """
    key = (secret if len(secret) <= SHA256_BLOCK else sha256(secret).digest()).ljust(SHA256_BLOCK, b"\0")
    inner = sha256(bytes(byte ^ 0x36 for byte in key) + _named(purpose))
    outer = sha256(bytes(byte ^ 0x5C for byte in key))

    def sign(message: bytes) -> str:
        within, around = inner.copy(), outer.copy()
        within.update(message)
        around.update(within.digest())
        return _letters(around.digest())

    return sign


def _named(purpose: str) -> bytes:
    """The purpose with its length before it, so that no purpose and message run into those of another pair."""
    name = purpose.encode()
    return len(name).to_bytes(2, "big") + name


def _letters(digest: bytes) -> str:
    return b2a_base64(digest, newline=False).translate(_URL_SAFE, b"=").decode()

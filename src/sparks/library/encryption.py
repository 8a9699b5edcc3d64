"""Encryption of short texts and bytes with AES-SIV, bound to one purpose.

An encrypted text is `{key id}.{letters}`, made with AES-SIV (RFC 5297) for one purpose. It may be bound to other texts,
without which it cannot be decrypted. AES-SIV needs no nonce: one key stays safe for any number of texts, where modes
with random nonces have a limit. Equal texts give equal results, and nothing else is revealed.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from sparks.model.errors import BadSignature
from sparks.model.keyring import Keyring

_SEALED: Final = re.compile(r"([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)", re.ASCII)


def seal(purpose: str, text: str, keyring: Keyring, *, bound: Sequence[str] = ()) -> str:
    """Encrypts the text (not empty) for this purpose and these `bound` texts only."""
    return seal_bytes(purpose, text.encode(), keyring, bound=bound)


def unseal(purpose: str, sealed: str, keyring: Keyring, *, bound: Sequence[str] = ()) -> str:
    """The opposite of `seal`; BadSignature for anything else, or where the secret is gone."""
    return unseal_bytes(purpose, sealed, keyring, bound=bound).decode()


def seal_bytes(purpose: str, plain: bytes, keyring: Keyring, *, bound: Sequence[str] = ()) -> str:
    sealed = _cipher(purpose, keyring.current, keyring).encrypt(plain, _encoded(bound))
    return f"{keyring.current}.{_letters(sealed)}"


def unseal_bytes(purpose: str, sealed: str, keyring: Keyring, *, bound: Sequence[str] = ()) -> bytes:
    match = _SEALED.fullmatch(sealed)
    if match is None:
        raise _refusal()
    try:
        return _cipher(purpose, match[1], keyring).decrypt(_bytes(match[2]), _encoded(bound))
    except InvalidTag as error:
        raise _refusal() from error


def _cipher(purpose: str, key_id: str, keyring: Keyring) -> AESSIV:
    return AESSIV(keyring.derive(purpose, key_id))


def _encoded(bound: Sequence[str]) -> list[bytes] | None:
    """Each on its own, so that they cannot run into one; none may be empty, since AES-SIV may skip empty ones."""
    return [text.encode() for text in bound] or None


def _letters(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _bytes(letters: str) -> bytes:
    """Accepts only the form that `_letters` writes: the spare bits of the last letter must not be set."""
    if len(letters) % 4 == 1:
        raise _refusal()
    sealed = urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    if _letters(sealed) != letters:
        raise _refusal()
    return sealed


def _refusal() -> BadSignature:
    return BadSignature("this was altered, or sealed for something else")

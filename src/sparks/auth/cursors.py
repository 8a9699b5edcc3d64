"""Cursors: where a list goes on, sealed.

A position is a key of the table, and keys hold e-mail addresses: so a cursor cannot be read. Nor can it be altered, or
used for another list or by somebody else: the list with its parameters (`query`) and the caller (`who`) are sealed in.

It is `{key id}.{sealed position}`, sealed with AES-SIV (RFC 5297). [Note: no nonce] That mode is as safe with the same
key for good, where those with a random nonce wear out; the same page then has the same cursor, which tells nothing.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from sparks.model.errors import BadCursor, BadSignature
from sparks.model.keyring import Keyring
from sparks.table.port import Key

PURPOSE: Final = "cursor"
LONGEST: Final = 3000  # a key has at most 2 x 1,024 bytes, which are 4/3 as many letters

_CURSOR: Final = re.compile(r"([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)", re.ASCII)


def seal(position: Key | None, *, query: str, who: str, keyring: Keyring) -> str | None:
    """The cursor of what comes behind `position`; None is the end of the list, and has none."""
    if position is None:
        return None
    sealed = _cipher(keyring, keyring.current).encrypt(_packed(position), _bound(query, who))
    return f"{keyring.current}.{_letters(sealed)}"


def unseal(cursor: str | None, *, query: str, who: str, keyring: Keyring) -> Key | None:
    """The position that was sealed for this query and caller, None without a cursor, or else BadCursor."""
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor) if len(cursor) <= LONGEST else None
    if match is None:
        raise _refusal()
    try:
        return _unpacked(_cipher(keyring, match[1]).decrypt(_sealed_bytes(match[2]), _bound(query, who)))
    except (BadSignature, InvalidTag) as error:
        raise _refusal() from error


def _cipher(keyring: Keyring, key_id: str) -> AESSIV:
    return AESSIV(keyring.derive(PURPOSE, key_id))


def _bound(query: str, who: str) -> list[bytes]:
    """Two texts, which cannot run into one; none of them is ever empty, since AES-SIV may pass over empty ones."""
    return [f"query {query}".encode(), f"who {who}".encode()]


def _packed(position: Key) -> bytes:
    pk, sk = position.pk.encode(), position.sk.encode()
    return len(pk).to_bytes(2, "big") + pk + sk


def _unpacked(packed: bytes) -> Key:
    """What `_packed` made: the seal vouches for it."""
    end = 2 + int.from_bytes(packed[:2], "big")
    return Key(packed[2:end].decode(), packed[end:].decode())


def _letters(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _sealed_bytes(letters: str) -> bytes:
    """Only as `_letters` writes them: the last letter has spare bits, and must not have them set."""
    if len(letters) % 4 == 1:
        raise _refusal()
    sealed = urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    if _letters(sealed) != letters:
        raise _refusal()
    return sealed


def _refusal() -> BadCursor:
    return BadCursor(
        "this cursor is not one of this list for you, or was altered: begin the list anew, without a cursor"
    )

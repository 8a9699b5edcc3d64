"""Cursors: where a list goes on, sealed.

A position is a key of the table, and keys hold e-mail addresses: so a cursor cannot be read. Nor can it be altered, or
used for another list or by somebody else: the list with its parameters (`query`) and the caller (`who`) are sealed in.
"""

from typing import Final

from sparks.library.sealing import seal_bytes, unseal_bytes
from sparks.model.errors import BadCursor, BadSignature
from sparks.model.keyring import Keyring
from sparks.table.port import Key

PURPOSE: Final = "cursor"
LONGEST: Final = 3000  # a key has at most 2 x 1,024 bytes, which are 4/3 as many letters


def seal(position: Key | None, *, query: str, who: str, keyring: Keyring) -> str | None:
    """The cursor of what comes behind `position`; None is the end of the list, and has none."""
    if position is None:
        return None
    return seal_bytes(PURPOSE, _packed(position), keyring, bound=_bound(query, who))


def unseal(cursor: str | None, *, query: str, who: str, keyring: Keyring) -> Key | None:
    """The position that was sealed for this query and caller, None without a cursor, or else BadCursor."""
    if cursor is None:
        return None
    if len(cursor) > LONGEST:
        raise _refusal()
    try:
        return _unpacked(unseal_bytes(PURPOSE, cursor, keyring, bound=_bound(query, who)))
    except BadSignature as error:
        raise _refusal() from error


def _bound(query: str, who: str) -> tuple[str, str]:
    return f"query {query}", f"who {who}"


def _packed(position: Key) -> bytes:
    pk, sk = position.pk.encode(), position.sk.encode()
    return len(pk).to_bytes(2, "big") + pk + sk


def _unpacked(packed: bytes) -> Key:
    """What `_packed` made: the seal vouches for it."""
    end = 2 + int.from_bytes(packed[:2], "big")
    return Key(packed[2:end].decode(), packed[end:].decode())


def _refusal() -> BadCursor:
    return BadCursor(
        "this cursor is not one of this list for you, or was altered: begin the list anew, without a cursor"
    )

"""Cursors of lists: `limit` and encrypted `cursor` in, `lastEvaluatedKey` out.

A position is a key of the table, and keys hold e-mail addresses: so a cursor is encrypted. It cannot be altered, nor
used for another list or by another caller: the list with its parameters (`query`) and the caller (`who`) are bound to
it.
"""

from collections.abc import Callable
from typing import Annotated, Final, TypeVar

from fastapi import Query

from sparks.library.encryption import seal_bytes, unseal_bytes
from sparks.model.caller import Caller, caller_name
from sparks.model.errors import BadCursor, BadSignature
from sparks.model.keyring import Keyring
from sparks.table.port import Key

PURPOSE: Final = "cursor"
MAX_LENGTH: Final = 3000  # a key has at most 2 x 1,024 bytes, and base64 makes 4 characters of 3 bytes
MAX_LIMIT: Final = 500
T = TypeVar("T")
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The most entries of this page.")]
Cursor = Annotated[
    str | None,
    Query(max_length=MAX_LENGTH, description="The `lastEvaluatedKey` of the previous page; none for the first."),
]


def seal_cursor(position: Key | None, *, query: str, who: str, keyring: Keyring) -> str | None:
    """The cursor of the entries after `position`; None at the end of the list."""
    if position is None:
        return None
    return seal_bytes(PURPOSE, _packed(position), keyring, bound=_bound(query, who))


def unseal_cursor(cursor: str | None, *, query: str, who: str, keyring: Keyring) -> Key | None:
    """The position in a cursor of this query and caller; None without a cursor. BadCursor for any other cursor."""
    if cursor is None:
        return None
    if len(cursor) > MAX_LENGTH:
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
    """The reverse of `_packed`. The text is not checked, since only Sparks can seal a cursor."""
    end = 2 + int.from_bytes(packed[:2], "big")
    return Key(packed[2:end].decode(), packed[end:].decode())


def _refusal() -> BadCursor:
    return BadCursor("this cursor belongs to another list or caller, or was altered: start again without a cursor")


def read_page(
    read: Callable[[int, Key | None], tuple[list[T], Key | None]],
    *,
    query: str,
    caller: Caller,
    limit: int,
    cursor: str | None,
    keyring: Keyring,
) -> tuple[list[T], str | None]:
    """The page after the cursor, and the cursor of the next page. `query` names the list with its parameters."""
    who = caller_name(caller)
    values, after = read(limit, unseal_cursor(cursor, query=query, who=who, keyring=keyring))
    return values, seal_cursor(after, query=query, who=who, keyring=keyring)

"""What all lists take and answer: `limit` and `cursor` in, `lastEvaluatedKey` out while there is more."""

from collections.abc import Callable
from typing import Annotated, Final, TypeVar

from fastapi import Query

from sparks.auth.cursors import LONGEST, seal, unseal
from sparks.model.caller import Who, name_of
from sparks.model.keyring import Keyring
from sparks.table.port import Key

MOST: Final = 500

T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=LONGEST, description="The `lastEvaluatedKey` of the page before; none at the beginning."),
]


def page_of(
    read: Callable[[int, Key | None], tuple[list[T], Key | None]],
    *,
    query: str,
    who: Who,
    limit: int,
    cursor: str | None,
    keyring: Keyring,
) -> tuple[list[T], str | None]:
    """The page behind the cursor, and the cursor of the next one. `query` names the list, its parameters included."""
    asked = name_of(who)
    values, after = read(limit, unseal(cursor, query=query, who=asked, keyring=keyring))
    return values, seal(after, query=query, who=asked, keyring=keyring)

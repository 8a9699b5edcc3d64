"""When an item is over by its `ttl`, as DynamoDB reads it."""

import math
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from sparks.model.times import unix

TOO_LONG_AGO: Final = 5 * 365 * 24 * 3600
MOST: Final = 2**63 - 1


def ttl_of(item: Mapping[str, Any]) -> int | None:
    """From which second on the item may be dropped; None where it never may."""
    ttl = item.get("ttl")
    if isinstance(ttl, bool) or not isinstance(ttl, int | Decimal):
        return None
    return math.ceil(ttl) if -MOST <= ttl <= MOST else None


def over_by(at: datetime) -> tuple[int, int]:
    """The first and the last `ttl` that is over at that time."""
    return unix(at) - TOO_LONG_AGO, unix(at)


def is_over(item: Mapping[str, Any], at: datetime) -> bool:
    ttl = ttl_of(item)
    first, last = over_by(at)
    return ttl is not None and first <= ttl <= last

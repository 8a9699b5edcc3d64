"""What one caller can search, in a process that keeps an index."""

from datetime import datetime
from typing import Final

from sparks.feed.search import Searching
from sparks.journey import Stores
from sparks.model.caller import Member
from sparks.model.errors import Unavailable

NO_INDEX: Final = "this process keeps no search index: ask the one that `sparks serve` runs"


def searching_for(who: Member, *, at: datetime, stores: Stores) -> Searching:
    """Unavailable where there is no index to ask."""
    if stores.search is None:
        raise Unavailable(NO_INDEX)
    return Searching(who=who, at=at, index=stores.search, table=stores.table)

"""The counters of months and tags: each is the number of link rows that it counts, and goes with the last of them.

[Note: versions] What was built from a month is kept under the counter's `version`, so no version may ever come back
with other photos behind it. A counter that is made anew therefore begins with the time in microseconds: further on than
any counter of that name can have come, since none moves a million times a second.
"""

import time

from sparks.library import keys
from sparks.library.photos.links import Link
from sparks.model.pointer import MonthLink, TagLink
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.table.port import Absent, Add, AtLeast, Change, Check, Delete, Equals, Item, Key, Present


def counter_of(link: Link) -> Key:
    match link:
        case MonthLink():
            return keys.month_counter(link.scope, link.month)
        case TagLink():
            return keys.tag_counter(COMMUNITY if link.community else scope_of_owner(link.owner), link.tag)


def move_counter(key: Key, item: Item | None, by: int) -> Change:
    """The counter moved by so many and to another version; `item` is what was read of it.

    Part of a transaction that fails where the counter came or went since, so that whoever reads again plans anew.
    """
    if item is None:
        first = Add(key, {"count": by, "version": _new_version()}, when=(Absent(),))
        return first if by > 0 else Check(key, (Absent(),))
    count = item.get("count", 0)
    if count + by > 0:
        enough = (Present(),) if by >= 0 else (AtLeast("count", 1 - by),)
        return Add(key, {"count": by, "version": 1}, when=enough)
    return Delete(key, when=(Equals("count", count),))


def _new_version() -> int:
    return time.time_ns() // 1000

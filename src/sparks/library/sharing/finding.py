"""Finding links: by their key, and those of an album."""

from collections.abc import Iterator
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records import from_item
from sparks.model.access import NOT_THERE
from sparks.model.errors import BadInput
from sparks.model.share import Guest, ShareLink
from sparks.table.port import Key, Table, every

NO_LINK: Final = NOT_THERE.format("link")


def find_link(link_id: str, *, table: Table) -> ShareLink | None:
    """None where there is none, or this is no id."""
    try:
        item = table.get(keys.share_link(keys.plain(link_id)))
    except BadInput:
        return None
    return None if item is None else from_item(ShareLink, item)


def links_of(album_id: str, *, table: Table) -> list[ShareLink]:
    """Those of an album, the last made first. A list tells where to look, their own rows how they are."""
    listed = [Key(row["PK"], row["SK"]) for row in every(table, entity_types.share_link(album_id), only=frozenset())]
    found = (from_item(ShareLink, row) for row in table.get_many(listed).values())
    theirs = [link for link in found if link.album_id == album_id]
    return sorted(theirs, key=lambda link: (link.created_at, link.link_id), reverse=True)


def guests_of(link_id: str, *, table: Table) -> Iterator[Guest]:
    return (from_item(Guest, row) for row in every(table, keys.link_rows(link_id), keys.GUESTS))

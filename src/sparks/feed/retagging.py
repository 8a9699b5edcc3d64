"""Another name for a tag, some photos at a time: each job ends soon, and sends the next one on its way."""

from collections.abc import Iterator
from typing import Final

from sparks.library.tags import find_change, rename_some
from sparks.model.errors import NotFound
from sparks.model.events import Event, PhotoChanged, TagRenaming
from sparks.model.times import now
from sparks.table.port import Table

AT_ONCE: Final = 200


def rename_tag(event: TagRenaming, *, table: Table) -> Iterator[Event]:
    """The photos that still have the tag by its old name, some of them; open pages hear of each. Nothing happens where
    it is done, or its owner's account is gone.
    """
    try:
        change = find_change(event.change_id, table=table)
    except NotFound:
        return
    noted, changed = rename_some(change, most=AT_ONCE, at=now(), table=table)
    yield from (PhotoChanged(photo.image_id, photo.owner) for photo in changed)
    if noted.finished_at is None:
        yield event

"""Step that renames a tag on a batch of photos."""

from collections.abc import Iterator
from typing import Final

from sparks.library.tags import find_rename, rename_some
from sparks.model.errors import NotFound
from sparks.model.events import Event, PhotoChanged, TagRenameBegun
from sparks.model.times import now
from sparks.table.port import Table

BATCH_SIZE: Final = 200


def rename_tag(event: TagRenameBegun, *, table: Table) -> Iterator[Event]:
    """Renames the tag on a batch of the photos that still have the old one, and sends its event again until none is
    left. Nothing happens where the rename is finished, or the account was removed.
    """
    try:
        rename = find_rename(event.change_id, table=table)
    except NotFound:
        return
    state, changed = rename_some(rename, most=BATCH_SIZE, at=now(), table=table)
    yield from (PhotoChanged(photo.image_id, photo.owner) for photo in changed)
    if state.finished_at is None:
        yield event

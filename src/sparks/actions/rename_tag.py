"""Action that renames a tag on all photos of its owner."""

from datetime import datetime

from sparks.actions.outbox import Outbox
from sparks.library.tags import begin_rename, rename_some
from sparks.model.caller import Member
from sparks.model.events import PhotoChanged, TagRenameBegun
from sparks.model.system_records import TagRename
from sparks.table.port import Table
from sparks.tags.rename_tag import BATCH_SIZE


def rename_tag(caller: Member, tag: str, name: str, *, outbox: Outbox, at: datetime, table: Table) -> TagRename:
    """Renames the tag on the first photos. Where there are more, a job continues and `finished_at` is still None.

    NotFound where none of the caller's photos has the tag; BadInput where the new name is no tag.
    """
    rename = begin_rename(caller.email, tag, name, at=at, table=table)
    event = TagRenameBegun(rename.change_id)
    outbox.recheck(event)
    progress, changed = rename_some(rename, most=BATCH_SIZE, at=at, table=table)
    for photo in changed:
        outbox.send(PhotoChanged(photo.image_id, photo.owner))
    if progress.finished_at is None:
        outbox.send(event)
    return progress

"""Changing the row of a photo: planned from what was read, and written only if what matters is still so.

[Note: watched] Together these tell every change that people, the pipeline and a deletion make to what a plan is made
from. Thus nobody's edit is undone by the pipeline, a photo that was made private, trashed or deleted while it was
processed stays so, and an edit need not wait for the pipeline. What finds faces is not watched.
"""

from collections.abc import Callable, Iterable
from typing import Final

from sparks.library.records import changes, from_item, to_item
from sparks.model.access import NOT_THERE
from sparks.model.errors import Busy, ConditionFailed, NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import AttributeAbsent, Conditions, Equals, Item, Present, Table

NO_PHOTO: Final = NOT_THERE.format("photo")
TRIES: Final = 20

_WATCHED: Final = ("entityType", "version", "processingStatus", "sizes")

Plan = Callable[[Photo], Photo]


def change_photo(photo: Photo, plan: Plan, *, watching: Iterable[str] = (), table: Table) -> Photo:
    """The photo as `plan` makes it, planned anew where somebody else was faster; nothing is written where the plan
    changes nothing. `watching` are further attributes that the plan is made from. NotFound where it is gone or being
    deleted.
    """
    item, watched = to_item(photo), (*_WATCHED, *watching)
    for _ in range(TRIES):
        if photo.state is PhotoState.DELETING:
            raise NotFound(NO_PHOTO)
        planned = plan(photo)
        if planned == photo:
            return photo
        try:
            table.write(changes(photo, planned, when=as_read(item, watched)))
        except ConditionFailed as failed:
            if failed.found is None:
                raise NotFound(NO_PHOTO) from failed
            item = dict(failed.found)
            photo = from_item(Photo, item)
        else:
            return planned
    raise Busy("this photo is being changed by many at once: try again later")


def as_read(item: Item, names: Iterable[str]) -> Conditions:
    """The item is there, and these attributes are as they were."""
    same = (Equals(name, item[name]) if name in item else AttributeAbsent(name) for name in names)
    return (Present(), *same)

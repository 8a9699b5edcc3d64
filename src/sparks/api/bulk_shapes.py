"""What is asked of many photos at once, and what became of each."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, StrictBool

from sparks.api.shapes import Answer, Wish, Words
from sparks.library.photos import Adjustment
from sparks.model.photo import Photo, ProcessingStatus, Visibility

MOST: Final = 500

Id = Annotated[str, Field(max_length=100)]
Tags = Annotated[list[Words], Field(max_length=1000)]


class Outcome(StrEnum):
    TRASHED = "trashed"
    RESTORED = "restored"
    DELETED = "deleted"
    CHANGED = "changed"


class Photos(Wish):
    """Their ids; one that comes twice counts once."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST)]


class PhotosChange(Photos):
    """What is not named, or null, stays as it is. Tags are told apart whatever their case, and removed before others
    are added.
    """

    add_tags: Tags | None = None
    remove_tags: Tags | None = None
    visibility: Visibility | None = None
    favorite: StrictBool | None = None

    def adjustment(self) -> Adjustment:
        """BadInput for tags that no photo can have."""
        return Adjustment(
            add_tags=tuple(self.add_tags or ()),
            remove_tags=tuple(self.remove_tags or ()),
            visibility=self.visibility,
        )


class Undo(Answer):
    """What takes a change back, to be asked for in the same way: only what was really changed."""

    add_tags: list[str] | None = None
    remove_tags: list[str] | None = None
    visibility: Visibility | None = None
    favorite: bool | None = None


class Result(Answer):
    """What became of one photo: either a `status`, or an `error` with its `message`. `undo` where it was changed."""

    image_id: str
    status: Outcome | None = None
    version: int | None = None
    processing_status: ProcessingStatus | None = None
    undo: Undo | None = None
    error: str | None = None
    message: str | None = None


class Results(Answer):
    results: list[Result]


class Emptied(Answer):
    deleted: int


def undo_of(before: Photo, after: Photo, *, favorite: bool | None) -> Undo | None:
    """`favorite`: what it was, where that was changed. None where nothing was."""
    undo = Undo(
        add_tags=[tag for tag in before.tags if tag not in after.tags] or None,
        remove_tags=[tag for tag in after.tags if tag not in before.tags] or None,
        visibility=before.visibility if before.visibility is not after.visibility else None,
        favorite=favorite,
    )
    return None if undo == Undo() else undo

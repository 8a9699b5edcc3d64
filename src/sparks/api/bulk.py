"""Many photos at once: thrown away, taken back, deleted for good. Each has a result of its own."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from enum import StrEnum
from itertools import islice
from typing import Annotated, Final, TypeVar

from fastapi import APIRouter
from pydantic import Field

from sparks.api.changes import Changes
from sparks.api.errors import code_of
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.shapes import Answer, Wish
from sparks.library import entity_types
from sparks.library.records import from_item
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.errors import SparksError
from sparks.model.photo import Photo, ProcessingStatus
from sparks.table.port import Table, every

MOST: Final = 500
HANDS: Final = 8  # threads: their writes share commits

A = TypeVar("A")
B = TypeVar("B")

Id = Annotated[str, Field(max_length=100)]


class Outcome(StrEnum):
    TRASHED = "trashed"
    RESTORED = "restored"
    DELETED = "deleted"


class Photos(Wish):
    """Their ids; one that comes twice counts once."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST)]


class Result(Answer):
    """What became of one photo: either a `status`, or an `error` with its `message`."""

    image_id: str
    status: Outcome | None = None
    version: int | None = None
    processing_status: ProcessingStatus | None = None
    error: str | None = None
    message: str | None = None


class Results(Answer):
    results: list[Result]


class Emptied(Answer):
    deleted: int


class BulkRoutes:
    def __init__(self, *, gate: Gate, changes: Changes, table: Table) -> None:
        self._gate = gate
        self._changes = changes
        self._table = table

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="photos")
        trash, delete = Action.TRASH_PHOTO, Action.DELETE_PHOTO
        routes.add("POST", "/api/photos/trash", trash, self.trash_photos)
        routes.add("POST", "/api/photos/restore", trash, self.restore_photos)
        routes.add("POST", "/api/photos/delete", delete, self.delete_photos)
        routes.add("DELETE", "/api/me/trash", delete, self.empty_trash)
        return routes.router

    def trash_photos(self, who: Caller, photos: Photos) -> Results:
        """Throw photos away. They can be restored until they are deleted, which happens by itself after some weeks."""
        return _each(photos, who, self._changes.trash, Outcome.TRASHED)

    def restore_photos(self, who: Caller, photos: Photos) -> Results:
        """Take photos out of the trash."""
        return _each(photos, who, self._changes.restore, Outcome.RESTORED)

    def delete_photos(self, who: Caller, photos: Photos) -> Results:
        """Delete photos for good, whatever their state."""
        return _each(photos, who, self._changes.delete, Outcome.DELETED)

    def empty_trash(self, who: MemberCaller) -> Emptied:
        """Delete for good all that you have thrown away. What is restored meanwhile stays."""
        trashed = (from_item(Photo, row) for row in every(self._table, entity_types.trashed(who.email)))
        return Emptied(deleted=sum(_at_once(self._changes.delete_as_seen, trashed)))


def _each(photos: Photos, who: Who, change: Callable[[Who, str], Photo], outcome: Outcome) -> Results:
    def result(image_id: str) -> Result:
        try:
            photo = change(who, image_id)
        except SparksError as error:
            return Result(image_id=image_id, error=code_of(error), message=str(error))
        if outcome is Outcome.DELETED:
            return Result(image_id=photo.image_id, status=outcome)
        return Result(
            image_id=photo.image_id, status=outcome, version=photo.version, processing_status=photo.processing_status
        )

    return Results(results=list(_at_once(result, dict.fromkeys(photos.ids))))


def _at_once(work: Callable[[A], B], values: Iterable[A]) -> Iterator[B]:
    """What it makes of each, in their order; a few at a time, however many there are."""
    rest = iter(values)
    with ThreadPoolExecutor(HANDS, thread_name_prefix="bulk") as hands:
        while batch := list(islice(rest, MOST)):
            tasks = [hands.submit(copy_context().run, work, value) for value in batch]
            yield from [task.result() for task in tasks]

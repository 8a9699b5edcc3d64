"""Many photos at once: changed, thrown away, taken back, deleted for good. Each has a result of its own."""

from collections.abc import Callable
from typing import Final

from fastapi import APIRouter

from sparks.api.bulk_shapes import Emptied, Outcome, Photos, PhotosChange, Result, Results, Undo, undo_of
from sparks.api.changes import Changes
from sparks.api.errors import code_of
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.hands import at_once
from sparks.api.marks import Marks
from sparks.library import entity_types
from sparks.library.photos import Adjustment
from sparks.library.records import from_item
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.errors import BadInput, SparksError
from sparks.model.photo import Photo
from sparks.table.port import Table, every

NO_CHANGE: Final = "say what to change: addTags, removeTags, visibility or favorite"


class BulkRoutes:
    def __init__(self, *, gate: Gate, changes: Changes, marks: Marks, table: Table) -> None:
        self._gate = gate
        self._changes = changes
        self._marks = marks
        self._table = table

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="photos")
        trash, delete = Action.TRASH_PHOTO, Action.DELETE_PHOTO
        routes.add("POST", "/api/photos/change", Action.EDIT_PHOTO, self.change_photos)
        routes.add("POST", "/api/photos/trash", trash, self.trash_photos)
        routes.add("POST", "/api/photos/restore", trash, self.restore_photos)
        routes.add("POST", "/api/photos/delete", delete, self.delete_photos)
        routes.add("DELETE", "/api/me/trash", Action.TRASH_PHOTO, self.empty_trash)
        return routes.router

    def change_photos(self, who: Caller, wish: PhotosChange) -> Results:
        """Add and remove tags, say who sees the photos, and mark them. Tags and visibility are for the owner alone, a
        mark for whoever sees the photo; where one of them is not for the caller, nothing about that photo is changed.
        `undo` tells what takes it back.
        """
        adjustment = wish.adjustment()
        if adjustment.is_empty and wish.favorite is None:
            raise BadInput(NO_CHANGE)
        return _each(wish, lambda image_id: self._change(who, image_id, adjustment, wish.favorite))

    def trash_photos(self, who: Caller, photos: Photos) -> Results:
        """Throw photos away. They can be restored until they are deleted, which happens by itself after some weeks."""
        return _each(photos, lambda image_id: _told(Outcome.TRASHED, self._changes.trash(who, image_id)))

    def restore_photos(self, who: Caller, photos: Photos) -> Results:
        """Take photos out of the trash."""
        return _each(photos, lambda image_id: _told(Outcome.RESTORED, self._changes.restore(who, image_id)))

    def delete_photos(self, who: Caller, photos: Photos) -> Results:
        """Delete photos for good, whatever their state."""

        def delete(image_id: str) -> Result:
            return Result(image_id=self._changes.delete(who, image_id).image_id, status=Outcome.DELETED)

        return _each(photos, delete)

    def empty_trash(self, who: MemberCaller) -> Emptied:
        """Delete for good all that you have thrown away. What is restored meanwhile stays."""
        trashed = (from_item(Photo, row) for row in every(self._table, entity_types.trashed(who.email)))
        return Emptied(deleted=sum(at_once(self._changes.delete_as_seen, trashed)))

    def _change(self, who: Who, image_id: str, adjustment: Adjustment, favourite: bool | None) -> Result:
        if adjustment.is_empty:
            after, is_new = self._marks.mark(who, image_id, favourite=bool(favourite))
            before = after
        else:
            before, after = self._changes.adjust(who, image_id, adjustment)
            is_new = favourite is not None and self._marks.mark(who, image_id, favourite=favourite)[1]
        undo = undo_of(before, after, favorite=not favourite if is_new else None)
        return _told(Outcome.CHANGED, after, undo)


def _each(photos: Photos, work: Callable[[str], Result]) -> Results:
    def result(image_id: str) -> Result:
        try:
            return work(image_id)
        except SparksError as error:
            return Result(image_id=image_id, error=code_of(error), message=str(error))

    return Results(results=list(at_once(result, dict.fromkeys(photos.ids))))


def _told(outcome: Outcome, photo: Photo, undo: Undo | None = None) -> Result:
    return Result(
        image_id=photo.image_id,
        status=outcome,
        version=photo.version,
        processing_status=photo.processing_status,
        undo=undo,
    )

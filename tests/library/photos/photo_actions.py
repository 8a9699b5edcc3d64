"""Actions on a photo, each with the result of a small model."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from hypothesis import strategies as st

from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, retag_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.processing_state import (
    begin_processing,
    fail_processing,
    finish_processing,
    retry_processing,
)
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model.errors import Conflict, SparksError, VersionMismatch
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.table.port import Table
from tests.factories import NOON, a_photo
from tests.library.photos.photo_makers import LATER, MADE

READY, FAILED, PENDING = PhotoState.READY, PhotoState.FAILED, PhotoState.PENDING
TRASHED, DELETING = PhotoState.TRASHED, PhotoState.DELETING
PROCESSING, COMPLETED = ProcessingStatus.PROCESSING, ProcessingStatus.COMPLETED

Outcome = type[SparksError] | None


@dataclass(slots=True)
class Known:
    """A photo as the model knows it."""

    owner: str
    state: PhotoState = PENDING
    status: ProcessingStatus = ProcessingStatus.PENDING
    version: int = 1
    tags: tuple[str, ...] = ()
    month: str = "2025-08"
    visibility: Visibility = Visibility.COMMUNITY

    def lists(self) -> list[tuple[str, str]]:
        if self.state is not READY:
            return []
        scopes = [self.owner, *(["ALL"] if self.visibility is Visibility.COMMUNITY else [])]
        return [
            place
            for scope in scopes
            for place in [(f"TIMELINE#{scope}", self.month), *((f"TAGS#{scope}", tag.lower()) for tag in self.tags)]
        ]


@dataclass(frozen=True, slots=True)
class Act:
    """An action on a photo as it was read, and the result of the model: `now` is None where the photo is deleted,
    `seen` is the photo as it was read.
    """

    do: Callable[[Photo, Table], object]
    expect: Callable[[Known, Known], Outcome]
    spares_the_dead: bool = True  # NotFound for what is gone or being deleted


def edit(change: PhotoEdit) -> Act:
    def expect(now: Known, seen: Known) -> Outcome:
        if now.version != seen.version:
            return VersionMismatch
        now.tags = change.applied_to(a_photo(tags=now.tags)).tags
        now.month = now.month if not isinstance(change.taken_at, datetime) else f"{change.taken_at:%Y-%m}"
        now.visibility = now.visibility if not isinstance(change.visibility, Visibility) else change.visibility
        now.version += 1
        return None

    return Act(lambda photo, table: edit_photo(photo, change, version=photo.version, at=LATER, table=table), expect)


def finish(thumbhash: bytes) -> Act:
    made = replace(MADE, thumbhash=thumbhash)

    def expect(now: Known, seen: Known) -> Outcome:
        now.state = TRASHED if now.state is TRASHED else READY
        now.status = COMPLETED
        return None

    return Act(lambda photo, table: finish_processing(photo, made, at=LATER, table=table), expect)


def expect_trashed(now: Known, seen: Known) -> Outcome:
    if now.state is not TRASHED:
        now.state, now.version = TRASHED, now.version + 1
    return None


def expect_restored(now: Known, seen: Known) -> Outcome:
    if now.state is TRASHED:
        now.state = {COMPLETED: READY, ProcessingStatus.FAILED: FAILED}.get(now.status, PENDING)
        now.version += 1
    return None


def expect_begun(now: Known, seen: Known) -> Outcome:
    if now.status is ProcessingStatus.PENDING:
        now.status = PROCESSING
    return None


def expect_failed(now: Known, seen: Known) -> Outcome:
    if now.status is not COMPLETED:
        now.state = TRASHED if now.state is TRASHED else FAILED
        now.status = ProcessingStatus.FAILED
    return None


def expect_retried(now: Known, seen: Known) -> Outcome:
    if now.state not in {FAILED, PENDING}:
        return Conflict
    if now.state is FAILED:
        now.state, now.status = PENDING, ProcessingStatus.PENDING
    return None


def expect_deleted(now: Known, seen: Known) -> Outcome:
    """A photo that was read as trashed and restored since is not deleted as trash."""
    if seen.state is TRASHED and now.state not in {TRASHED, DELETING}:
        return Conflict
    now.state = DELETING
    return None


def expect_retagged(now: Known, seen: Known) -> Outcome:
    if any(tag.lower() == "sea" for tag in now.tags):
        others = [tag for tag in now.tags if tag.lower() not in {"sea", "blue"}]
        now.tags, now.version = ("Blue", *others), now.version + 1
    return None


def expect_nothing(now: Known, seen: Known) -> Outcome:
    return None


TRASH = Act(lambda photo, table: trash_photo(photo, at=LATER, table=table), expect_trashed)
RESTORE = Act(lambda photo, table: restore_photo(photo, at=LATER, table=table), expect_restored)
BEGIN = Act(lambda photo, table: begin_processing(photo, at=LATER, table=table), expect_begun)
FAIL = Act(lambda photo, table: fail_processing(photo, "broken", at=LATER, table=table), expect_failed)
RETRY = Act(lambda photo, table: retry_processing(photo, at=LATER, table=table), expect_retried)
RETAG = Act(lambda photo, table: retag_photo(photo, "sea", "Blue", at=LATER, table=table), expect_retagged)
HIDE = Act(lambda photo, table: begin_deletion(photo, table=table), expect_deleted, spares_the_dead=False)
SETTLE = Act(
    lambda photo, table: reconcile_links(photo.image_id, photo.owner, table=table),
    expect_nothing,
    spares_the_dead=False,
)

edits = st.one_of(
    st.builds(PhotoEdit, tags=st.lists(st.sampled_from(["Sea", "sea", "Blue"]), max_size=2).map(tuple)),
    st.builds(PhotoEdit, taken_at=st.sampled_from([NOON, LATER, datetime(2024, 7, 1, tzinfo=UTC)])),
    st.builds(PhotoEdit, visibility=st.sampled_from(Visibility)),
)
acts = st.one_of(
    edits.map(edit),
    st.sampled_from([b"one", b"two"]).map(finish),
    st.sampled_from([SETTLE, SETTLE, SETTLE, TRASH, RESTORE, RETAG, BEGIN, FAIL, RETRY, HIDE]),
)

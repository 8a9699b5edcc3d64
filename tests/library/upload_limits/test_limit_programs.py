"""Random programs over a limit and a few photos, each step compared with a model of a few lines."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from sparks.library.records import changes, key_of
from sparks.library.upload_limits.account_limit import change_limit, set_left
from sparks.library.upload_limits.photo_usage import confirm_photo, release_photo, reserve_photo
from sparks.model import ids
from sparks.model.errors import Conflict, NotFound, SparksError, UploadLimitReached
from sparks.model.photo import HIDDEN, Photo, PhotoState
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete
from tests.factories import NOON
from tests.library.tables import (
    a_reservation,
    account_from_elsewhere,
    arrived,
    limit_row,
    new_account,
    photo_in,
    recount,
)

IDS = [ids.new_image_id() for _ in range(3)]
EXPIRES = NOON + timedelta(hours=1)
RESERVED, PENDING, DELETING = PhotoState.RESERVED, PhotoState.PENDING, PhotoState.DELETING

image_ids = st.sampled_from(IDS)
sizes = st.sampled_from([0, 1, 40, 60])
deltas = st.sampled_from([-100, -50, -1, 0, 0, 1, 50])
Outcome = type[SparksError] | None


def outcome_of(call: Callable[[], None]) -> Outcome:
    try:
        call()
    except SparksError as error:
        return type(error)
    return None


class Limits(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.table = MemoryTable()
        self.photos: dict[str, tuple[PhotoState, int]] = {}
        self.seen: list[Photo] = []  # all photos that were ever read

    @initialize(photos=st.integers(0, 3), size=st.none() | st.sampled_from([0, 50, 100, 200]))
    def open_account(self, photos: int, size: int | None) -> None:
        """Limited in bytes, or from elsewhere and not."""
        self.left: dict[str, int] = {"limit": photos} | ({} if size is None else {"bytesLeft": size})
        self.given = {} if size is None else {"given": photos, "bytesGiven": size}
        self.owner = (
            account_from_elsewhere(self.table, photos=photos)
            if size is None
            else new_account(self.table, photos=photos, bytes=size)
        )

    # -- What photos do

    @rule(image_id=image_ids, size=sizes)
    def reserve(self, image_id: str, size: int) -> None:
        photo = a_reservation(self.owner, size, image_id=image_id, expires_at=EXPIRES)
        expected = self._reserve(image_id, size)
        assert outcome_of(lambda: reserve_photo(photo, table=self.table)) is expected

    def _reserve(self, image_id: str, size: int) -> Outcome:
        if image_id in self.photos:
            state, held = self.photos[image_id]
            return Conflict if state is DELETING or (state is RESERVED and held != size) else None
        if not self._fits(1, size):
            return UploadLimitReached
        self._take(1, size)
        self.photos[image_id] = RESERVED, size
        return None

    @precondition(lambda self: any(photo.state is RESERVED for photo in self.seen))
    @rule(size=sizes, late=st.booleans(), data=st.data())
    def confirm(self, size: int, late: bool, data: st.DataObject) -> None:
        before = data.draw(st.sampled_from([photo for photo in self.seen if photo.state is RESERVED]))
        after, at = arrived(before, size), EXPIRES if late else NOON
        expected = self._confirm(before, size, late)
        assert outcome_of(lambda: confirm_photo(before, after, at=at, table=self.table)) is expected

    def _confirm(self, before: Photo, size: int, late: bool) -> Outcome:
        state, held = self.photos.get(before.image_id, (DELETING, 0))
        if state is DELETING or (state is RESERVED and late):
            return NotFound
        if state is not RESERVED or held != before.file_size:
            return None if state is not RESERVED and held == size else Conflict
        if not self._fits(0, size - held):
            return UploadLimitReached
        self._take(0, size - held)
        self.photos[before.image_id] = PENDING, size
        return None

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        photo = data.draw(st.sampled_from(self.seen))
        expected = self._give_back(photo)
        assert outcome_of(lambda: release_photo(photo, table=self.table)) is expected

    def _give_back(self, seen: Photo) -> Outcome:
        state, size = self.photos.get(seen.image_id, (DELETING, 0))
        if DELETING in {state, seen.state}:
            return None
        if seen.state in HIDDEN and state is not seen.state:
            return Conflict
        self._take(-1, -size)
        self.photos[seen.image_id] = DELETING, size
        return None

    # -- What others do to them

    @rule(image_id=image_ids, state=st.sampled_from([PhotoState.READY, PhotoState.FAILED, PhotoState.TRASHED]))
    def move(self, image_id: str, state: PhotoState) -> None:
        now, size = self.photos.get(image_id, (DELETING, 0))
        photo = photo_in(self.table, a_reservation(self.owner, image_id=image_id))
        if photo is not None and now not in {RESERVED, DELETING}:
            self.table.write(changes(photo, replace(photo, state=state)))
            self.photos[image_id] = state, size

    @rule(image_id=image_ids)
    def look(self, image_id: str) -> None:
        photo = photo_in(self.table, a_reservation(self.owner, image_id=image_id))
        if photo is not None:
            self.seen.append(photo)

    @rule(image_id=image_ids)
    def finish_deletion(self, image_id: str) -> None:
        if self.photos.get(image_id, (None, 0))[0] is DELETING:
            self.table.write(Delete(key_of(a_reservation(self.owner, image_id=image_id))))
            del self.photos[image_id]

    # -- What administrators do

    @rule(photos=deltas, size=deltas)
    def change_limit(self, photos: int, size: int) -> None:
        expected: Outcome = None
        if (size and "bytesLeft" not in self.left) or not self._fits(-photos, -size):
            expected = Conflict
        else:
            self._give(photos, size)
        assert outcome_of(lambda: change_limit(self.owner, photos=photos, bytes=size, table=self.table)) is expected

    @rule(photos=st.none() | st.integers(0, 5), size=st.none() | st.sampled_from([0, 50, 200]))
    def set_left(self, photos: int | None, size: int | None) -> None:
        if size is not None:
            self.left.setdefault("bytesLeft", 0)
        self._give(
            0 if photos is None else photos - self.left["limit"],
            0 if size is None else size - self.left["bytesLeft"],
        )
        assert outcome_of(lambda: set_left(self.owner, photos=photos, bytes=size, table=self.table)) is None

    # -- The model

    def _fits(self, photos: int, size: int) -> bool:
        wanted = {"limit": photos, "bytesLeft": size}
        return all(left >= wanted[name] or wanted[name] <= 0 for name, left in self.left.items())

    def _take(self, photos: int, size: int) -> None:
        wanted = {"limit": photos, "bytesLeft": size}
        self.left = {name: left - wanted[name] for name, left in self.left.items()}

    def _give(self, photos: int, size: int) -> None:
        self._take(-photos, -size)
        more = {"given": photos, "bytesGiven": size}
        self.given = {name: given + more[name] for name, given in self.given.items()}

    @invariant()
    def rows_are_as_in_the_model(self) -> None:
        if not hasattr(self, "owner"):
            return
        row, used = limit_row(self.table, self.owner), recount(self.table, self.owner)
        held = [size for state, size in self.photos.values() if state is not DELETING]
        assert row == self.left | self.given
        assert used == (len(held), sum(held))
        if self.given:
            assert row["limit"] + used.photos == row["given"]
            assert row["bytesLeft"] + used.bytes == row["bytesGiven"]


def run(*, examples: int, **more: Any) -> None:
    run_state_machine_as_test(Limits, settings=settings(max_examples=examples, stateful_step_count=40, **more))


def test_random_programs_keep_the_sum() -> None:
    run(examples=60, derandomize=True, database=None)


@pytest.mark.long
def test_many_random_programs_keep_the_sum() -> None:
    run(examples=1000)

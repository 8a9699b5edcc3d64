"""Random programs over a few photos, each step compared with a model, sometimes with a concurrent writer.

At every moment a counter is the number of rows that say `counted`, and no version of a month ever shows two different
months. Once all is reconciled, the lists are those of the model; once all is deleted, nothing is left.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from sparks.blobs.memory import MemoryBlobs
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import key_of
from sparks.model import ids
from sparks.model.errors import NotFound, SparksError, Unavailable
from sparks.model.photo_index import MonthLink, TagLink
from sparks.model.scope import scope_of_owner
from sparks.sqlitefile import SqliteFile
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.table.sqlite import SqliteTable
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, BOB
from tests.library.photos.photo_actions import DELETING, Act, Known, Outcome, acts
from tests.library.photos.photo_lists import check_counts, check_settled, counters, counts_in, listed
from tests.library.photos.photo_makers import pending
from tests.library.tables import Meddled
from tests.stored_traces import traces_of

OWNERS: Final = {ids.new_image_id(): owner for owner in (ANN, ANN, BOB)}
BLOBS: Final = MemoryBlobs()

image_ids = st.sampled_from(list(OWNERS))


def outcome_of(call: Callable[[], object]) -> Outcome:
    try:
        call()
    except SparksError as error:
        return type(error)
    return None


class Photos(RuleBasedStateMachine):
    open_table: ClassVar[Callable[[], Table]] = MemoryTable

    def __init__(self) -> None:
        super().__init__()
        self.table: Table = type(self).open_table()
        self.known: dict[str, Known] = {}
        self.drawn: dict[tuple[Any, int], list[Any]] = {}  # what was to be seen under each version

    # -- What happens

    @rule(image_id=image_ids)
    def upload(self, image_id: str) -> None:
        if image_id not in self.known:
            pending(self.table, image_id=image_id, owner=OWNERS[image_id])
            self.known[image_id] = Known(OWNERS[image_id])

    @precondition(lambda self: self.known)
    @rule(act=acts, other=st.none() | acts, data=st.data())
    def act(self, act: Act, other: Act | None, data: st.DataObject) -> None:
        """Alone, or with another writer who is faster by a write."""
        image_id = data.draw(st.sampled_from(sorted(self.known)))
        photo = find_photo(image_id, table=self.table)
        assert photo is not None
        seen = replace(self.known[image_id])

        def meddle() -> None:
            if other is not None:
                assert outcome_of(lambda: other.do(photo, self.table)) is self._expect(image_id, other, seen)

        outcome = outcome_of(lambda: act.do(photo, Meddled(self.table, meddle)))
        assert outcome is self._expect(image_id, act, seen)

    @precondition(lambda self: self.known)
    @rule(writes=st.integers(0, 4), data=st.data())
    def lose_power(self, writes: int, data: st.DataObject) -> None:
        image_id = data.draw(st.sampled_from(sorted(self.known)))
        table = interrupted(self.table, after=writes)
        assert outcome_of(lambda: reconcile_links(image_id, OWNERS[image_id], table=table)) in {None, Unavailable}

    @precondition(lambda self: self.known)
    @rule(month=st.sampled_from(["2025-08", "2019-01"]), data=st.data())
    def import_rows(self, month: str, data: st.DataObject) -> None:
        """Rows that are not counted yet, and perhaps out of date."""
        image_id = data.draw(st.sampled_from(sorted(self.known)))
        owner = OWNERS[image_id]
        month_link = MonthLink(image_id=image_id, owner=owner, scope=scope_of_owner(owner), month=month)
        tag_link = TagLink(image_id=image_id, owner=owner, tag="sea", community=True)
        if self.known[image_id].state is not DELETING:
            for link in (month_link, tag_link):
                if self.table.get(key_of(link)) is None:
                    keep(self.table, link)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        image_id = data.draw(st.sampled_from(sorted(self.known)))
        photo = find_photo(image_id, table=self.table)
        assert photo is not None
        delete_rows_and_blobs(photo, table=self.table, blobs=BLOBS)
        del self.known[image_id]
        assert traces_of(image_id, table=self.table, blobs=BLOBS) == []

    @rule()
    def rest(self) -> None:
        for image_id, known in self.known.items():
            reconcile_links(image_id, known.owner, table=self.table)
        assert counts_in(self.table) == dict(Counter(place for known in self.known.values() for place in known.lists()))
        check_settled(self.table, ANN, BOB)

    # -- What holds

    def _expect(self, image_id: str, act: Act, seen: Known) -> Outcome:
        now = self.known[image_id]
        if act.spares_the_dead and now.state is DELETING:
            return NotFound
        return act.expect(now, seen)

    @invariant()
    def photos_are_as_in_the_model(self) -> None:
        for image_id, known in self.known.items():
            photo = find_photo(image_id, table=self.table)
            assert photo is not None
            assert (photo.state, photo.version) == (known.state, known.version)
            assert (photo.tags, photo.month, photo.visibility) == (known.tags, known.month, known.visibility)

    @invariant()
    def counters_count_what_says_it_is_counted(self) -> None:
        check_counts(everything(self.table))

    @invariant()
    def a_version_of_a_month_shows_one_month(self) -> None:
        """Looked at as a timeline does: it keeps what it built if it read as many rows as are counted."""
        items = everything(self.table)
        for key, counter in counters(items).items():
            rows = [row.drawn for row in listed(items) if row.counter == key]
            if len(rows) == counter["count"]:
                assert self.drawn.setdefault((key, counter["version"]), rows) == rows

    def teardown(self) -> None:
        self.rest()
        for image_id in list(self.known):
            photo = find_photo(image_id, table=self.table)
            assert photo is not None
            delete_rows_and_blobs(photo, table=self.table, blobs=BLOBS)
        assert everything(self.table) == []


def run(machine: type[Photos], *, examples: int, **more: Any) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=40, **more))


def test_random_programs_keep_lists_and_counters_true() -> None:
    run(Photos, examples=40, derandomize=True, database=None)


def test_random_programs_keep_lists_and_counters_true_on_sqlite(tmp_path: Path) -> None:
    with closing(SqliteFile(tmp_path / "sparks.db")) as file:

        class OnSqlite(Photos):
            open_table = lambda: SqliteTable(file)  # noqa: E731  emptied by each program's end

        run(OnSqlite, examples=8, derandomize=True, database=None)


@pytest.mark.long
def test_many_random_programs_keep_lists_and_counters_true() -> None:
    run(Photos, examples=1500)

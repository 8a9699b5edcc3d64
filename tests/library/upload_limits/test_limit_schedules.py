"""Concurrent uploads, deletions and changes by administrators on a table that fails: the sum is right."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from random import Random

import pytest

from sparks.library import entity_types
from sparks.library.records import key_of
from sparks.library.upload_limits.account_limit import change_limit, set_left
from sparks.library.upload_limits.photo_usage import confirm_photo, release_photo, reserve_photo
from sparks.model import ids
from sparks.model.errors import Busy, Conflict, NotFound, UploadLimitReached
from sparks.model.photo import Photo, PhotoState
from sparks.table.dynamodb import DynamoDbTable
from sparks.table.port import Delete, Equals, Table
from tests.conformance.table.adapters import client_of, new_name
from tests.conformance.table.faults import Fault, Faults, cancel, lose_answer, refuse
from tests.factories import NOON
from tests.library.tables import a_reservation, arrived, check_sum, limit_row, new_account, photo_in

DEVICES = 8
STEPS = 12
REFUSALS = (UploadLimitReached, Conflict, NotFound, Busy)
Step = Callable[[], None]


class Household:
    """A user who uploads, deletes and begins again on several devices, while administrators change the limit."""

    def __init__(self, table: Table, seed: int) -> None:
        self._table = table
        self._rng = Random(seed)
        self._owner = new_account(table, photos=4, bytes=400)
        self._ids = [ids.new_image_id() for _ in range(6)]

    def live(self) -> int:
        """Returns how many steps went through."""
        plans = [[self._step() for _ in range(STEPS)] for _ in range(DEVICES)]
        with ThreadPoolExecutor(DEVICES) as devices:
            return sum(devices.map(_run, plans))

    def check(self) -> None:
        check_sum(self._table, self._owner)

    def _step(self) -> Step:
        rng, table = self._rng, self._table
        photo = a_reservation(self._owner, rng.randrange(150), image_id=rng.choice(self._ids))
        more, left = rng.randint(-2, 2), rng.randint(0, 4)
        return rng.choice([
            partial(reserve_photo, photo, table=table),
            partial(self._upload, photo, rng.randrange(150)),
            partial(self._finish, photo, rng.randrange(150)),
            partial(self._delete, photo),
            partial(change_limit, self._owner, photos=more, bytes=50 * more, table=table),
            partial(set_left, self._owner, photos=left, bytes=100 * left, table=table),
        ])  # fmt: skip

    def _upload(self, photo: Photo, size: int) -> None:
        """All the way, each step made again at once."""
        for _ in range(2):
            reserve_photo(photo, table=self._table)
        for _ in range(2):
            confirm_photo(photo, arrived(photo, size), at=NOON, table=self._table)

    def _finish(self, photo: Photo, size: int) -> None:
        """Whichever device began it."""
        there = photo_in(self._table, photo)
        if there is not None and there.state is PhotoState.RESERVED:
            confirm_photo(there, arrived(there, size), at=NOON, table=self._table)

    def _delete(self, photo: Photo) -> None:
        """Twice, and then for good, so that its id can be reserved anew."""
        there = photo_in(self._table, photo)
        if there is not None:
            for _ in range(2):
                release_photo(there, table=self._table)
            self._table.write(Delete(key_of(photo), when=(Equals("entityType", entity_types.DELETING.value),)))


def _run(steps: list[Step]) -> int:
    done = 0
    for step in steps:
        try:
            step()
        except REFUSALS:
            continue
        done += 1
    return done


def live_through(table: Table, seeds: range) -> None:
    done = 0
    for seed in seeds:
        household = Household(table, seed)
        done += household.live()
        household.check()
    assert done > len(seeds) * DEVICES  # most of what is refused is refused rightly, but not all is


def test_the_sum_of_a_limit_holds_under_any_concurrent_calls(table: Table) -> None:
    live_through(table, range(20))


def test_the_sum_of_a_limit_holds_under_any_concurrent_calls_on_dynamodb(dynamodb: Table) -> None:
    live_through(dynamodb, range(2))


@pytest.mark.long
@pytest.mark.parametrize("engine", ["sqlite", "dynamodb"])
def test_the_sum_holds_time_and_again(engine: str, request: pytest.FixtureRequest) -> None:
    live_through(request.getfixturevalue(engine), range(20, 100))


# -- A table that fails


@pytest.fixture(scope="module")
def name() -> str:
    with closing(client_of("dynamodb-local")) as client:
        return new_name(client)


@pytest.fixture
def failing(name: str) -> Iterator[Callable[..., Table]]:
    """A table whose next transactions meet these faults."""
    with closing(client_of("dynamodb-local")) as client:
        faults = Faults(client)

        def table(*coming: Fault, deadline: float = 10) -> Table:
            faults.inject("TransactWriteItems", *coming)
            return DynamoDbTable(client, name, deadline=deadline, sleep=lambda _: None)

        yield table


@pytest.mark.parametrize(
    "fault",
    [
        cancel("None", "TransactionConflict"),
        cancel("TransactionConflict", "None"),
        lose_answer,
        refuse("ThrottlingException"),
    ],
    ids=["conflict", "conflict over the photo", "lost answer", "throttle"],
)
def test_each_step_counts_once_when_the_table_fails(failing: Callable[..., Table], fault: Fault) -> None:
    table = failing()
    owner = new_account(table, photos=2, bytes=300)
    photo = a_reservation(owner, 100)
    reserve_photo(photo, table=failing(fault, fault))
    assert limit_row(table, owner) == {"limit": 1, "bytesLeft": 200, "given": 2, "bytesGiven": 300}
    confirm_photo(photo, arrived(photo, 150), at=NOON, table=failing(fault, fault))
    assert limit_row(table, owner) == {"limit": 1, "bytesLeft": 150, "given": 2, "bytesGiven": 300}
    change_limit(owner, photos=1, bytes=1, table=failing(fault, fault))
    assert limit_row(table, owner) == {"limit": 2, "bytesLeft": 151, "given": 3, "bytesGiven": 301}
    release_photo(arrived(photo, 150), table=failing(fault, fault))
    assert limit_row(table, owner) == {"limit": 3, "bytesLeft": 301, "given": 3, "bytesGiven": 301}


@pytest.mark.parametrize("fault", [cancel("None", "TransactionConflict"), lose_answer], ids=["conflict", "lost answer"])
def test_a_call_may_be_repeated_after_the_table_was_busy(failing: Callable[..., Table], fault: Fault) -> None:
    table = failing()
    owner = new_account(table, photos=1, bytes=200)
    photo = a_reservation(owner, 100)
    steps: list[Callable[[Table], None]] = [
        lambda table: reserve_photo(photo, table=table),
        lambda table: confirm_photo(photo, arrived(photo, 150), at=NOON, table=table),
        lambda table: release_photo(arrived(photo, 150), table=table),
    ]
    for step in steps:
        with pytest.raises(Busy):
            step(failing(fault, deadline=0))
        check_sum(table, owner)
        step(table)
        check_sum(table, owner)
    assert limit_row(table, owner)["limit"] == 1

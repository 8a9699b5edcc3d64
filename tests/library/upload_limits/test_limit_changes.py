"""Changes of a limit by administrators, with concurrent uploads and deletions."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.records import to_item
from sparks.library.upload_limits.account_limit import change_limit, set_left
from sparks.library.upload_limits.photo_usage import release_photo, reserve_photo
from sparks.model.errors import BadInput, Busy, ConditionFailed, Conflict, NotFound
from sparks.model.system_records import RequestToken
from sparks.table.port import Absent, Delete, Put, Set, Table
from tests.factories import BOB, NOON
from tests.library.tables import Meddled, a_reservation, account_from_elsewhere, check_sum, limit_row, new_account


def used(table: Table, owner: str, photos: int) -> None:
    """So many photos of 100 bytes are reserved."""
    for _ in range(photos):
        reserve_photo(a_reservation(owner, 100), table=table)


def a_token(name: str) -> Put:
    return Put(to_item(RequestToken(token_id=name, created_at=NOON)), when=(Absent(),))


def test_granting_adds_to_what_is_left_and_taking_away_subtracts(any_table: Table) -> None:
    owner = new_account(any_table, photos=5, bytes=1000)
    used(any_table, owner, 2)
    change_limit(owner, photos=10, bytes=5000, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 13, "given": 15, "bytesLeft": 5800, "bytesGiven": 6000}
    change_limit(owner, photos=-13, table=any_table)
    change_limit(owner, bytes=-5800, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 0, "given": 2, "bytesLeft": 0, "bytesGiven": 200}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"photos": -4}, "3 photos left,"),
        ({"bytes": -801}, "800 bytes left,"),
        ({"photos": 9, "bytes": -801}, "800 bytes left,"),
    ],
)
def test_no_more_can_be_taken_away_than_is_left(table: Table, change: dict[str, Any], told: str) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    used(table, owner, 2)
    before = limit_row(table, owner)
    with pytest.raises(Conflict, match=told):
        change_limit(owner, **change, table=table)
    assert limit_row(table, owner) == before


def test_the_rest_of_a_limit_can_be_set(any_table: Table) -> None:
    owner = new_account(any_table, photos=5, bytes=1000)
    used(any_table, owner, 2)
    set_left(owner, photos=500, bytes=10**10, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 500, "given": 502, "bytesLeft": 10**10, "bytesGiven": 10**10 + 200}
    set_left(owner, photos=0, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 0, "given": 2, "bytesLeft": 10**10, "bytesGiven": 10**10 + 200}
    check_sum(any_table, owner)


def test_setting_it_again_changes_nothing(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    for _ in range(2):
        set_left(owner, photos=7, bytes=70, table=table)
    assert limit_row(table, owner) == {"limit": 7, "given": 7, "bytesLeft": 70, "bytesGiven": 70}


@pytest.mark.parametrize("act", [change_limit, set_left])
def test_changing_nothing_still_writes_the_rest(table: Table, act: Callable[..., None]) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    before = limit_row(table, owner)
    act(owner, also=[a_token("t")], table=table)
    assert limit_row(table, owner) == before
    assert table.get(keys.request_token("t")) is not None


@pytest.mark.parametrize("act", [change_limit, set_left])
def test_a_limit_does_not_spring_up(any_table: Table, act: Callable[..., None]) -> None:
    for amounts in ({"photos": 5, "bytes": 5}, {}):
        with pytest.raises(NotFound):
            act(BOB, **amounts, table=any_table)
    assert any_table.get(keys.upload_limit(BOB)) is None


@pytest.mark.parametrize("open_account", [partial(new_account, bytes=1000), account_from_elsewhere])
def test_a_limit_that_is_deleted_meanwhile_is_not_created_again(table: Table, open_account: Callable[..., str]) -> None:
    owner = open_account(table, photos=5)
    with pytest.raises(NotFound):
        set_left(owner, bytes=5, table=Meddled(table, lambda: table.write(Delete(keys.upload_limit(owner)))))
    assert table.get(keys.upload_limit(owner)) is None


@pytest.mark.parametrize(
    ("act", "amounts"),
    [
        (change_limit, {"photos": 2**63}),
        (change_limit, {"bytes": -(2**63)}),
        (set_left, {"photos": -1}),
        (set_left, {"bytes": 2**63}),
    ],
)
def test_amounts_that_do_not_fit_are_bad_input(table: Table, act: Callable[..., None], amounts: dict[str, int]) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    with pytest.raises(BadInput):
        act(owner, **amounts, table=table)


# -- Together with something else


def test_a_repeat_with_a_token_fails_at_the_token_and_counts_once(any_table: Table) -> None:
    owner = new_account(any_table, photos=5, bytes=1000)
    also = [a_token(f"other {owner}"), a_token(owner)]
    change_limit(owner, photos=-5, also=also, table=any_table)
    any_table.write(Delete(also[0].key))
    with pytest.raises(ConditionFailed) as failed:
        change_limit(owner, photos=-5, also=also, table=Meddled(any_table))
    assert (failed.value.position, limit_row(any_table, owner)["limit"]) == (1, 0)


# -- Between the read and the write


def test_an_upload_that_comes_between_is_not_lost(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    set_left(owner, photos=50, bytes=5000, table=Meddled(table, lambda: used(table, owner, 1)))
    assert limit_row(table, owner) == {"limit": 49, "given": 50, "bytesLeft": 4900, "bytesGiven": 5000}
    check_sum(table, owner)


def test_a_deletion_that_comes_between_is_not_lost(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    photo = a_reservation(owner, 100)
    reserve_photo(photo, table=table)
    set_left(owner, photos=50, bytes=5000, table=Meddled(table, lambda: release_photo(photo, table=table)))
    assert limit_row(table, owner) == {"limit": 51, "given": 51, "bytesLeft": 5100, "bytesGiven": 5100}
    check_sum(table, owner)


def test_the_rest_never_falls_below_zero_by_a_concurrent_upload(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    set_left(owner, photos=1, bytes=100, table=Meddled(table, lambda: used(table, owner, 3)))
    assert limit_row(table, owner) == {"limit": 1, "given": 4, "bytesLeft": 100, "bytesGiven": 400}
    check_sum(table, owner)


def test_the_last_photo_may_be_taken_before_it_is_taken_away(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    with pytest.raises(Conflict, match="4 photos"):
        change_limit(owner, photos=-5, table=Meddled(table, lambda: used(table, owner, 1)))
    check_sum(table, owner)


def test_two_administrators_who_set_the_same_do_not_add_up(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    set_left(owner, photos=50, table=Meddled(table, lambda: set_left(owner, photos=50, table=table)))
    assert limit_row(table, owner)["limit"] == 50


def test_the_change_of_another_administrator_is_not_lost(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    change_limit(owner, photos=10, table=Meddled(table, lambda: change_limit(owner, photos=1, bytes=1, table=table)))
    assert limit_row(table, owner) == {"limit": 16, "given": 16, "bytesLeft": 1001, "bytesGiven": 1001}


def test_a_change_that_always_loses_the_race_is_busy(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    meddling = [lambda: change_limit(owner, photos=1, table=table)] * 100
    with pytest.raises(Busy, match="later"):
        set_left(owner, photos=50, table=Meddled(table, *meddling))
    check_sum(table, owner)


# -- Limits from elsewhere


def test_an_imported_limit_is_changed_in_the_amounts_that_it_has(any_table: Table) -> None:
    owner = account_from_elsewhere(any_table, photos=5)
    change_limit(owner, photos=10, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 15}
    set_left(owner, photos=7, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 7}


def test_more_than_no_limit_is_none(table: Table) -> None:
    owner = account_from_elsewhere(table, photos=5)
    with pytest.raises(Conflict, match="not limited in bytes"):
        change_limit(owner, photos=1, bytes=100, table=table)
    assert limit_row(table, owner) == {"limit": 5}


@pytest.mark.parametrize("left", [0, 1000])
def test_bytes_can_be_limited_from_now_on(any_table: Table, left: int) -> None:
    owner = account_from_elsewhere(any_table, photos=5)
    set_left(owner, bytes=left, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 5, "bytesLeft": left}
    change_limit(owner, bytes=100, table=any_table)
    assert limit_row(any_table, owner) == {"limit": 5, "bytesLeft": left + 100}


def test_concurrent_uploads_count_where_the_granted_amount_is_unknown(table: Table) -> None:
    owner = account_from_elsewhere(table, photos=5, bytesLeft=1000)
    set_left(owner, photos=50, bytes=5000, table=Meddled(table, lambda: used(table, owner, 1)))
    assert limit_row(table, owner) == {"limit": 50, "bytesLeft": 5000}


def test_the_granted_amount_is_moved_once_it_is_known(table: Table) -> None:
    owner = account_from_elsewhere(table, photos=5)
    count = Set(keys.upload_limit(owner), {"given": 5})
    change_limit(owner, photos=2, table=Meddled(table, lambda: table.write(count)))
    assert limit_row(table, owner) == {"limit": 7, "given": 7}

"""Reservations and the limit: every result, error and repeat."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from sparks.library import keys
from sparks.library.records import key_of
from sparks.library.upload_limits.account_limit import new_limit, read_limit, set_left
from sparks.library.upload_limits.photo_usage import confirm_photo, release_photo, reserve_photo
from sparks.model.account import UploadLimit
from sparks.model.errors import BadInput, Conflict, Damaged, NotFound, UploadLimitReached
from sparks.model.photo import Photo, PhotoState
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Equals, Set, Table
from tests.factories import ANN, BOB, NOON
from tests.library.tables import (
    Meddled,
    a_reservation,
    account_from_elsewhere,
    arrived,
    check_sum,
    limit_row,
    move,
    new_account,
    photo_in,
    recount,
    reserved,
)


def test_a_photo_is_reserved_confirmed_and_released(any_table: Table) -> None:
    owner = new_account(any_table, photos=2, bytes=1000)
    photo = a_reservation(owner, 100)
    reserve_photo(photo, table=any_table)
    assert photo_in(any_table, photo) == photo
    assert limit_row(any_table, owner) == {"limit": 1, "bytesLeft": 900, "given": 2, "bytesGiven": 1000}
    confirm_photo(photo, arrived(photo, 150), at=NOON, table=any_table)
    assert photo_in(any_table, photo) == arrived(photo, 150)
    assert limit_row(any_table, owner) == {"limit": 1, "bytesLeft": 850, "given": 2, "bytesGiven": 1000}
    release_photo(arrived(photo, 150), table=any_table)
    assert photo_in(any_table, photo) == replace(arrived(photo, 150), state=PhotoState.DELETING)
    assert limit_row(any_table, owner) == {"limit": 2, "bytesLeft": 1000, "given": 2, "bytesGiven": 1000}


def test_a_new_limit_is_whole_and_unused() -> None:
    limit = new_limit(ANN, photos=500, bytes=50_000_000_000)
    assert (limit.photos_left, limit.bytes_left) == (limit.photos_given, limit.bytes_given) == (500, 50_000_000_000)
    assert (limit.used, limit.bytes_used) == (0, 0)


@pytest.mark.parametrize(
    "limit", [{"photos": -1, "bytes": 0}, {"photos": 0, "bytes": -1}, {"photos": 2**63, "bytes": 0}]
)
def test_a_limit_is_a_number_that_fits(limit: dict[str, int]) -> None:
    with pytest.raises(BadInput):
        new_limit(ANN, **limit)


def test_the_used_amount_is_known_where_the_granted_one_is(table: Table) -> None:
    owner = new_account(table, photos=3, bytes=1000)
    reserved(table, owner, 10)
    limit = read_limit(owner, table=table)
    assert (limit.used, limit.bytes_used) == (1, 10)
    unknown = UploadLimit(email=ANN, photos_left=3, bytes_left=5)
    assert (unknown.used, unknown.bytes_used) == (None, None)


def test_an_account_without_a_limit_gets_an_error(any_table: Table) -> None:
    for ask in (lambda: read_limit(BOB, table=any_table), lambda: reserve_photo(a_reservation(BOB), table=any_table)):
        with pytest.raises(NotFound, match="no upload limit"):
            ask()
    assert any_table.get(keys.upload_limit(BOB)) is None


# -- Reserving


@pytest.mark.parametrize(
    ("photos", "most_bytes", "told"),
    [(0, 1000, "0 photos and 1,000 bytes"), (1, 99, "1 photo and 99 bytes"), (0, 0, "0 photos and 0 bytes")],
)
def test_the_error_of_a_reached_limit_names_the_rest_and_whom_to_ask(
    any_table: Table, photos: int, most_bytes: int, told: str
) -> None:
    owner = new_account(any_table, photos=photos, bytes=most_bytes)
    with pytest.raises(UploadLimitReached) as refused:
        reserved(any_table, owner, 100)
    assert str(refused.value).startswith(f"this upload needs 1 photo and 100 bytes, and what is left is {told}: ")
    assert "administrator" in str(refused.value)
    assert (refused.value.photos_left, refused.value.bytes_left) == (photos, most_bytes)
    assert recount(any_table, owner) == (0, 0)
    check_sum(any_table, owner)


def test_a_limit_can_be_used_up_to_the_last_byte(table: Table) -> None:
    owner = new_account(table, photos=2, bytes=100)
    reserved(table, owner, 100)
    reserved(table, owner, 0)
    assert limit_row(table, owner) == {"limit": 0, "bytesLeft": 0, "given": 2, "bytesGiven": 100}


@pytest.mark.parametrize(
    "photo",
    [
        a_reservation(size=-1),
        a_reservation(size=2**63),
        a_reservation(size=None),
        a_reservation(state=PhotoState.PENDING),
        a_reservation(state=PhotoState.DELETING),
    ],
)
def test_reserving_a_photo_in_another_state_is_bad_input(photo: Photo) -> None:
    with pytest.raises(BadInput):
        reserve_photo(photo, table=MemoryTable())


def test_a_repeat_takes_nothing_even_when_nothing_is_left(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=100)
    photo = reserved(any_table, owner, 100)
    reserve_photo(photo, table=any_table)
    check_sum(any_table, owner)


@pytest.mark.parametrize(
    "state", [PhotoState.PENDING, PhotoState.READY, PhotoState.FAILED, PhotoState.TRASHED], ids=lambda state: state.name
)
def test_a_repeated_reservation_is_harmless_in_any_state_of_the_photo(table: Table, state: PhotoState) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    photo = reserved(table, owner, 100)
    confirm_photo(photo, arrived(photo, 120), at=NOON, table=table)
    now = move(table, arrived(photo, 120), state)
    reserve_photo(photo, table=table)
    assert photo_in(table, photo) == now
    check_sum(table, owner)


def test_a_repeat_with_another_size_is_a_conflict(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    photo = reserved(table, owner, 100)
    with pytest.raises(Conflict, match="another size"):
        reserve_photo(replace(photo, file_size=101), table=table)
    check_sum(table, owner)


def test_a_repeat_after_it_was_given_back_is_a_conflict(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    photo = reserved(table, owner)
    release_photo(photo, table=table)
    with pytest.raises(Conflict, match="begin a new one"):
        reserve_photo(photo, table=table)
    check_sum(table, owner)


def test_a_repeat_after_it_was_deleted_for_good_is_a_new_reservation(table: Table) -> None:
    owner = new_account(table, photos=5, bytes=1000)
    photo = reserved(table, owner)
    release_photo(photo, table=table)
    table.write(Delete(key_of(photo)))
    reserve_photo(photo, table=table)
    assert recount(table, owner) == (1, 100)
    check_sum(table, owner)


def test_the_id_of_another_users_photo_is_a_conflict(any_table: Table) -> None:
    owner, other = (new_account(any_table, photos=5, bytes=1000) for _ in range(2))
    photo = reserved(any_table, owner)
    with pytest.raises(Conflict, match="another user's photo"):
        reserve_photo(replace(photo, owner=other), table=any_table)
    assert recount(any_table, other) == (0, 0)
    check_sum(any_table, other)


# -- Limits from elsewhere


def test_an_imported_limit_counts_photos_only(any_table: Table) -> None:
    owner = account_from_elsewhere(any_table, photos=2)
    photo = reserved(any_table, owner, 10**12)
    assert limit_row(any_table, owner) == {"limit": 1}
    confirm_photo(photo, arrived(photo, 2 * 10**12), at=NOON, table=any_table)
    reserved(any_table, owner)
    with pytest.raises(UploadLimitReached, match="what is left is 0 photos:"):
        reserved(any_table, owner)
    release_photo(arrived(photo, 2 * 10**12), table=any_table)
    assert limit_row(any_table, owner) == {"limit": 1}


@pytest.mark.parametrize(
    "act",
    [
        lambda photo, table: reserve_photo(a_reservation(photo.owner, 7), table=table),
        lambda photo, table: confirm_photo(photo, arrived(photo, 90), at=NOON, table=table),
        lambda photo, table: confirm_photo(photo, arrived(photo, 110), at=NOON, table=table),
        lambda photo, table: release_photo(photo, table=table),
    ],
    ids=["reserve", "shrink", "grow", "give back"],
)
def test_the_sum_is_constant_from_the_moment_in_which_bytes_are_limited(
    table: Table, act: Callable[[Photo, Table], None]
) -> None:
    owner = account_from_elsewhere(table, photos=5)
    photo = reserved(table, owner, 100)
    meddled = Meddled(table, lambda: None, lambda: set_left(owner, bytes=1000, table=table))
    act(photo, meddled)
    assert limit_row(table, owner)["bytesLeft"] + recount(table, owner).bytes == 1100


def test_a_broken_limit_is_damage(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=100)
    table.write(Set(keys.upload_limit(owner), remove=frozenset({"limit"}), when=(Equals("given", 1),)))
    with pytest.raises(Damaged):
        reserved(table, owner)

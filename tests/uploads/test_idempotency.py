"""Repeated requests with the same idempotency key get the first result, for a day."""

from datetime import datetime, timedelta

import pytest

from sparks.model.errors import ConditionFailed, Conflict
from sparks.model.keyring import Keyring
from sparks.table.port import Table
from sparks.uploads.idempotency import EarlierResult, IdempotentRequest
from tests.account_makers import everything
from tests.factories import ANN, BOB, NOON, a_photo
from tests.uploads.files import KEYRING

PHOTO = a_photo()


def repeats(
    table: Table, key: str = "one", *, who: str = ANN, request: str = "complete this", at: datetime = NOON
) -> IdempotentRequest:
    return IdempotentRequest(key, who=who, request=request, at=at, table=table, keyring=KEYRING)


@pytest.mark.parametrize("duplicate", [False, True])
def test_a_repeated_request_gets_the_first_result(table: Table, duplicate: bool) -> None:
    first = repeats(table)
    assert first.answered() is None
    table.write(*first.note(PHOTO, duplicate=duplicate))
    assert repeats(table).answered() == EarlierResult(PHOTO.image_id, duplicate)


def test_the_same_key_for_another_request_is_a_conflict(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    with pytest.raises(Conflict, match="used for another request"):
        repeats(table, request="complete that").answered()


def test_two_callers_may_use_the_same_key(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    assert repeats(table, who=BOB).answered() is None


def test_of_two_concurrent_requests_one_is_the_first(table: Table) -> None:
    one, other = repeats(table), repeats(table)
    table.write(*one.note(PHOTO, duplicate=False))
    with pytest.raises(ConditionFailed):
        table.write(*other.note(a_photo(), duplicate=False))


def test_a_key_may_be_used_again_after_a_day(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    later = repeats(table, at=NOON + timedelta(days=1))
    assert later.answered() is None
    table.write(*later.note(a_photo(), duplicate=False))


def test_the_row_does_not_reveal_the_photo(table: Table) -> None:
    """Though the caller has named the request after it."""
    named = repeats(table, key=PHOTO.image_id, request=f"complete {PHOTO.image_id}")
    table.write(*named.note(PHOTO, duplicate=False))
    assert PHOTO.image_id not in str(everything(table))
    assert ANN not in str(everything(table))


def test_after_a_change_of_the_secret_a_repeat_counts_as_the_first(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    ring = Keyring("new", {"new": b"n" * 32, **KEYRING.secrets})
    new = IdempotentRequest("one", who=ANN, request="complete this", at=NOON, table=table, keyring=ring)
    assert new.answered() is None

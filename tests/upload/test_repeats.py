"""Repeated requests: answered as the first one was, for a day, and told apart from others."""

from datetime import datetime, timedelta

import pytest

from sparks.model.errors import ConditionFailed, Conflict
from sparks.model.keyring import Keyring
from sparks.table.port import Table
from sparks.upload.repeats import Answered, Repeats
from tests.accounts import everything
from tests.factories import ANN, BOB, NOON, a_photo
from tests.upload.files import KEYRING

PHOTO = a_photo()


def repeats(
    table: Table, key: str = "one", *, who: str = ANN, request: str = "complete this", at: datetime = NOON
) -> Repeats:
    return Repeats(key, who=who, request=request, at=at, table=table, keyring=KEYRING)


@pytest.mark.parametrize("duplicate", [False, True])
def test_a_repeat_has_the_answer_of_the_first(table: Table, duplicate: bool) -> None:
    first = repeats(table)
    assert first.answered() is None
    table.write(*first.note(PHOTO, duplicate=duplicate))
    assert repeats(table).answered() == Answered(PHOTO.image_id, duplicate)


def test_the_same_key_for_another_request_is_a_conflict(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    with pytest.raises(Conflict, match="used for another request"):
        repeats(table, request="complete that").answered()


def test_everybody_has_keys_of_their_own(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    assert repeats(table, who=BOB).answered() is None


def test_of_two_at_once_one_is_the_first(table: Table) -> None:
    one, other = repeats(table), repeats(table)
    table.write(*one.note(PHOTO, duplicate=False))
    with pytest.raises(ConditionFailed):
        table.write(*other.note(a_photo(), duplicate=False))


def test_after_a_day_a_key_is_as_good_as_new(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    later = repeats(table, at=NOON + timedelta(days=1))
    assert later.answered() is None
    table.write(*later.note(a_photo(), duplicate=False))


def test_nobody_reads_from_the_row_which_photo_it_was(table: Table) -> None:
    """Though the caller has named the request after it."""
    named = repeats(table, key=PHOTO.image_id, request=f"complete {PHOTO.image_id}")
    table.write(*named.note(PHOTO, duplicate=False))
    assert PHOTO.image_id not in str(everything(table))
    assert ANN not in str(everything(table))


def test_where_the_secret_has_changed_the_repeat_is_a_first_one(table: Table) -> None:
    table.write(*repeats(table).note(PHOTO, duplicate=False))
    ring = Keyring("new", {"new": b"n" * 32, **KEYRING.secrets})
    new = Repeats("one", who=ANN, request="complete this", at=NOON, table=table, keyring=ring)
    assert new.answered() is None

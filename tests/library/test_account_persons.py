"""Who a user is, and what shows them: by what is really there, whoever else changes it at once."""

from functools import partial

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library.accounts import (
    become_person,
    begin_removal,
    claim_person,
    drop_picture,
    get_user,
    keep_picture,
    page_of_claims,
    settle_claim,
    users_who_are,
)
from sparks.library.accounts.persons import ANOTHER_CLAIM, NO_CLAIM
from sparks.model.errors import Conflict, NotFound, Unavailable
from sparks.model.ids import random_id
from sparks.table.memory import MemoryTable
from sparks.table.port import Change, Table
from tests.accounts import an_account, at_once, blob_keys
from tests.factories import ANN, BOB
from tests.library.tables import Meddled


class LostAnswers(Meddled):
    """Whatever is written is there, and nobody hears of it."""

    def write(self, *changes: Change, token: str | None = None) -> None:
        super().write(*changes, token=token)
        raise Unavailable("no answer came in time")


class WrittenTwice(Meddled):
    """As where an answer was lost, and what is written is written again."""

    def write(self, *changes: Change, token: str | None = None) -> None:
        super().write(*changes, token=token)
        super().write(*changes, token=token)


def test_whoever_becomes_a_person_claims_nothing_any_more(table: Table) -> None:
    an_account(table)
    claim_person(ANN, "person1", table=table)
    become_person(ANN, "person2", table=table)
    user = get_user(ANN, table=table)
    assert (user.person_id, user.claimed_person_id) == ("person2", None)


def test_whoever_is_somebody_already_stays_so_where_that_is_asked_for() -> None:
    table = MemoryTable()
    an_account(table)
    for person_id in ("person1", "person2"):
        become_person(ANN, person_id, unless_known=True, table=table)
    assert get_user(ANN, table=table).person_id == "person1"


def test_a_claim_that_is_refused_leaves_one_who_one_was() -> None:
    table = MemoryTable()
    an_account(table, person_id="person1")
    claim_person(ANN, "person2", table=table)
    settle_claim(ANN, confirmed=False, person_id="person2", table=table)
    user = get_user(ANN, table=table)
    assert (user.person_id, user.claimed_person_id) == ("person1", None)


def test_only_a_claim_that_is_there_is_settled() -> None:
    table = MemoryTable()
    an_account(table)
    with pytest.raises(NotFound, match=NO_CLAIM):
        settle_claim(ANN, confirmed=True, person_id="person2", table=table)
    claim_person(ANN, "person2", table=table)
    with pytest.raises(Conflict, match=ANOTHER_CLAIM):
        settle_claim(ANN, confirmed=True, person_id="person1", table=table)


def test_claims_are_listed_until_somebody_leaves(table: Table) -> None:
    for email in (ANN, BOB, "carol@example.com"):
        an_account(table, email)
    for email in (ANN, BOB):
        claim_person(email, "person1", table=table)
    assert {user.email for user in page_of_claims(limit=10, after=None, table=table)[0]} == {ANN, BOB}
    begin_removal(BOB, table=table)
    assert {user.email for user in page_of_claims(limit=10, after=None, table=table)[0]} == {ANN}


def test_those_who_are_a_person_are_found_by_any_of_its_ids(table: Table) -> None:
    an_account(table, person_id="person1")
    an_account(table, BOB, person_id="person3")
    found = users_who_are({"person1", "person2"}, table=table)
    assert [user.email for user in found] == [ANN]


# -- Pictures


def test_of_many_pictures_at_once_one_is_left(any_table: Table) -> None:
    blobs, email = MemoryBlobs(), f"{random_id()}@example.com"
    an_account(any_table, email)
    at_once(*[partial(keep_picture, email, b"%d" % each, table=any_table, blobs=blobs) for each in range(6)])
    assert blob_keys(blobs) == [get_user(email, table=any_table).profile_picture]


def test_where_there_is_no_user_no_picture_is_left() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    with pytest.raises(NotFound):
        keep_picture(ANN, b"a picture", table=table, blobs=blobs)
    assert blob_keys(blobs) == []


def test_a_picture_stays_where_nobody_knows_whether_it_shows_somebody() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    an_account(table)
    with pytest.raises(Unavailable):
        keep_picture(ANN, b"a picture", table=LostAnswers(table), blobs=blobs)
    assert blob_keys(blobs) == [get_user(ANN, table=table).profile_picture]


def test_a_picture_that_is_written_twice_is_not_taken_for_the_one_before() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    an_account(table)
    user = keep_picture(ANN, b"a picture", table=WrittenTwice(table), blobs=blobs)
    assert blob_keys(blobs) == [user.profile_picture]


def test_a_picture_from_elsewhere_is_not_ours_to_delete() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    blobs.put("elsewhere/ann.jpg", [b"a picture"])
    an_account(table, profile_picture="elsewhere/ann.jpg")
    drop_picture(ANN, table=table, blobs=blobs)
    assert blob_keys(blobs) == ["elsewhere/ann.jpg"]

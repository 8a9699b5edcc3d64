"""The person and the picture of a user, also under concurrent changes."""

from functools import partial

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library.accounts.lifecycle import begin_removal
from sparks.library.accounts.person_claims import (
    ANOTHER_CLAIM,
    NO_CLAIM,
    claim_person,
    link_person,
    page_of_claims,
    settle_claim,
    users_linked_to,
)
from sparks.library.accounts.profile_picture import drop_picture, store_picture
from sparks.library.accounts.users import get_user
from sparks.model.errors import Conflict, NotFound, Unavailable
from sparks.model.ids import random_id
from sparks.table.memory import MemoryTable
from sparks.table.port import Change, Table
from tests.account_makers import an_account, at_once, stored_keys
from tests.factories import ANN, BOB
from tests.library.tables import Meddled


class LostAnswers(Meddled):
    """Every write succeeds, and its response is lost."""

    def write(self, *changes: Change, token: str | None = None) -> None:
        super().write(*changes, token=token)
        raise Unavailable("no answer came in time")


class WrittenTwice(Meddled):
    """As where an answer was lost, and what is written is written again."""

    def write(self, *changes: Change, token: str | None = None) -> None:
        super().write(*changes, token=token)
        super().write(*changes, token=token)


def test_linking_a_user_to_a_person_drops_their_claim(table: Table) -> None:
    an_account(table)
    claim_person(ANN, "person1", table=table)
    link_person(ANN, "person2", table=table)
    user = get_user(ANN, table=table)
    assert (user.person_id, user.claimed_person_id) == ("person2", None)


def test_a_linked_user_stays_linked_when_unless_known_is_given() -> None:
    table = MemoryTable()
    an_account(table)
    for person_id in ("person1", "person2"):
        link_person(ANN, person_id, unless_known=True, table=table)
    assert get_user(ANN, table=table).person_id == "person1"


def test_a_refused_claim_keeps_the_link() -> None:
    table = MemoryTable()
    an_account(table, person_id="person1")
    claim_person(ANN, "person2", table=table)
    settle_claim(ANN, confirmed=False, person_id="person2", table=table)
    user = get_user(ANN, table=table)
    assert (user.person_id, user.claimed_person_id) == ("person1", None)


def test_only_an_existing_claim_can_be_settled() -> None:
    table = MemoryTable()
    an_account(table)
    with pytest.raises(NotFound, match=NO_CLAIM):
        settle_claim(ANN, confirmed=True, person_id="person2", table=table)
    claim_person(ANN, "person2", table=table)
    with pytest.raises(Conflict, match=ANOTHER_CLAIM):
        settle_claim(ANN, confirmed=True, person_id="person1", table=table)


def test_claims_are_listed_until_the_user_is_removed(table: Table) -> None:
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
    found = users_linked_to({"person1", "person2"}, table=table)
    assert [user.email for user in found] == [ANN]


# -- Pictures


def test_one_of_many_concurrent_pictures_is_left(any_table: Table) -> None:
    blobs, email = MemoryBlobs(), f"{random_id()}@example.com"
    an_account(any_table, email)
    at_once(*[partial(store_picture, email, b"%d" % each, table=any_table, blobs=blobs) for each in range(6)])
    assert stored_keys(blobs) == [get_user(email, table=any_table).profile_picture]


def test_no_picture_is_left_for_a_missing_user() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    with pytest.raises(NotFound):
        store_picture(ANN, b"a picture", table=table, blobs=blobs)
    assert stored_keys(blobs) == []


def test_a_picture_stays_when_the_result_of_the_write_is_unknown() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    an_account(table)
    with pytest.raises(Unavailable):
        store_picture(ANN, b"a picture", table=LostAnswers(table), blobs=blobs)
    assert stored_keys(blobs) == [get_user(ANN, table=table).profile_picture]


def test_a_picture_that_is_written_twice_is_not_deleted_as_the_former_one() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    an_account(table)
    user = store_picture(ANN, b"a picture", table=WrittenTwice(table), blobs=blobs)
    assert stored_keys(blobs) == [user.profile_picture]


def test_an_imported_picture_is_not_deleted() -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    blobs.put("elsewhere/ann.jpg", [b"a picture"])
    an_account(table, profile_picture="elsewhere/ann.jpg")
    drop_picture(ANN, table=table, blobs=blobs)
    assert stored_keys(blobs) == ["elsewhere/ann.jpg"]

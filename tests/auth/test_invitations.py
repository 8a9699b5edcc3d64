"""Invitations: good for so many, for so long, and for as long as whoever made them is an administrator."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from sparks.auth.invitations import (
    NOT_GOOD,
    find_invitation,
    invitations,
    make_invitation,
    revoke_invitation,
    using,
)
from sparks.library.accounts import begin_removal, change_role, erase_account, get_user
from sparks.model.account import Role
from sparks.model.credential import Invitation
from sparks.model.errors import BadInput, ConditionFailed, NotAllowed
from sparks.model.secret import Secret, new_secret
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table
from tests.accounts import an_account, everything
from tests.factories import ANN, BOB, NOON

MOMENT = timedelta(milliseconds=1)
WEEK = timedelta(days=7)
NOTE = Put({"PK": "x", "SK": "x"})


@pytest.fixture(autouse=True)
def administrators(table: MemoryTable) -> None:
    for email in (ANN, BOB):
        an_account(table, email, with_password=False, role=Role.ADMIN)


def made(table: Table, **more: Any) -> tuple[Invitation, Secret]:
    by = get_user(more.pop("by", ANN), table=table)
    return make_invitation(by, **{"expires_at": NOON + WEEK, "at": NOON, **more}, table=table)


def is_good(secret: Secret | str, table: Table, *, at: datetime = NOON) -> bool:
    try:
        find_invitation(secret if isinstance(secret, str) else secret.text, at=at, table=table)
    except NotAllowed as error:
        return str(error) != NOT_GOOD
    return True


def listed(table: Table, *, at: datetime = NOON) -> list[str]:
    return [each.invitation_id for each in invitations(at=at, table=table)]


def remove(table: Table) -> None:
    begin_removal(ANN, table=table)
    erase_account(ANN, table=table)


def test_an_invitation_is_found_by_its_secret(table: MemoryTable) -> None:
    told = {"role": Role.ADMIN, "photos": 7, "bytes": 0, "uses": 3, "note": "for Cyd"}
    invitation, secret = made(table, **told)
    assert find_invitation(secret.text, at=NOON, table=table) == invitation
    assert (invitation.role, invitation.photos, invitation.bytes, invitation.uses_left) == (Role.ADMIN, 7, 0, 3)
    assert (invitation.note, invitation.created_by, invitation.ttl) == ("for Cyd", ANN, NOON + WEEK)
    assert listed(table) == [invitation.invitation_id]


def test_neither_the_row_nor_what_is_printed_holds_the_secret(table: MemoryTable) -> None:
    invitation, secret = made(table)
    assert secret.random not in repr((everything(table), invitation, secret))
    assert invitation.secret_hash not in repr(invitation)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"expires_at": NOON}, "must expire in the future"),
        ({"uses": 0}, "used once at least"),
        ({"uses": -1}, "used once at least"),
    ],
)
def test_an_invitation_that_nobody_could_use_is_not_made(table: MemoryTable, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        made(table, **more)
    assert listed(table) == []


def test_what_is_no_invitation_is_told_in_the_same_words(table: MemoryTable) -> None:
    (_, one), (_, other) = made(table), made(table)
    wrong = [f"{one.id}.{other.random}", new_secret().text, one.id, "", "\ud800", "x" * 100_000, f"{one.text} "]
    assert [is_good(each, table) for each in wrong] == [False] * len(wrong)


def test_an_invitation_is_over_when_it_expires(table: MemoryTable) -> None:
    _, secret = made(table)
    for at, good in ((NOON + WEEK - MOMENT, True), (NOON + WEEK, False)):
        assert (is_good(secret, table, at=at), bool(listed(table, at=at))) == (good, good)


def test_an_invitation_is_over_when_it_is_used_up(table: MemoryTable) -> None:
    invitation, secret = made(table, uses=2)
    for _ in range(2):
        assert is_good(secret, table)
        table.write(*using(invitation))
    assert not is_good(secret, table)
    assert listed(table) == []
    with pytest.raises(ConditionFailed):
        table.write(*using(invitation))


def test_an_invitation_for_all_is_never_used_up(table: MemoryTable) -> None:
    invitation, secret = made(table, uses=None)
    before = everything(table)
    for number in range(5):
        table.write(*using(invitation), Put({"PK": "x", "SK": str(number)}))
    assert is_good(secret, table)
    assert len(everything(table)) == len(before) + 5


@pytest.mark.parametrize("uses", [1, None])
def test_an_invitation_that_is_revoked_is_over_for_who_has_it_in_hand_too(table: MemoryTable, uses: int | None) -> None:
    invitation, secret = made(table, uses=uses)
    assert revoke_invitation(invitation.invitation_id, also=(NOTE,), table=table)
    assert not is_good(secret, table)
    with pytest.raises(ConditionFailed):
        table.write(*using(invitation))
    assert not revoke_invitation(invitation.invitation_id, table=table)


@pytest.mark.parametrize(
    "end",
    [
        lambda table: change_role(ANN, Role.MEMBER, table=table),
        lambda table: begin_removal(ANN, table=table),
        remove,
    ],
    ids=["demoted", "closed", "gone"],
)
def test_an_invitation_holds_no_longer_than_its_maker_is_an_administrator(
    table: MemoryTable, end: Callable[[Table], object]
) -> None:
    (_, secret), (theirs, other) = made(table), made(table, by=BOB)
    end(table)
    assert (is_good(secret, table), is_good(other, table)) == (False, True)
    assert listed(table) == [theirs.invitation_id]


def test_an_invitation_of_an_earlier_account_is_not_that_of_the_next_one(table: MemoryTable) -> None:
    _, secret = made(table)
    remove(table)
    an_account(table, with_password=False, role=Role.ADMIN, created_at=NOON + MOMENT)
    assert not is_good(secret, table, at=NOON + MOMENT)

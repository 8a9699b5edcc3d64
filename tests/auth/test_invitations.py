"""Invitations: for a number of accounts, for some time, and while their maker is an administrator."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from sparks.auth.invitations import (
    INVALID_INVITATION,
    find_invitation,
    invitations,
    make_invitation,
    revoke_invitation,
    use_invitation,
)
from sparks.library.accounts.lifecycle import begin_removal, finish_removal
from sparks.library.accounts.users import change_role, get_user
from sparks.model.account import Role
from sparks.model.credential import Invitation
from sparks.model.errors import BadInput, ConditionFailed, NotAllowed
from sparks.model.secret import Secret, new_secret
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table
from tests.account_makers import an_account, everything
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
        return str(error) != INVALID_INVITATION
    return True


def listed(table: Table, *, at: datetime = NOON) -> list[str]:
    return [each.invitation_id for each in invitations(at=at, table=table)]


def remove(table: Table) -> None:
    begin_removal(ANN, table=table)
    finish_removal(ANN, table=table)


def test_an_invitation_is_found_by_its_secret(table: MemoryTable) -> None:
    told = {"role": Role.ADMIN, "photos": 7, "bytes": 0, "uses": 3, "note": "for Cyd"}
    invitation, secret = made(table, **told)
    assert find_invitation(secret.text, at=NOON, table=table) == invitation
    assert (invitation.role, invitation.photos, invitation.bytes, invitation.uses_left) == (Role.ADMIN, 7, 0, 3)
    assert (invitation.note, invitation.created_by, invitation.ttl) == ("for Cyd", ANN, NOON + WEEK)
    assert listed(table) == [invitation.invitation_id]


def test_neither_the_row_nor_the_repr_holds_the_secret(table: MemoryTable) -> None:
    invitation, secret = made(table)
    assert secret.random not in repr((everything(table), invitation, secret))
    assert invitation.secret_hash not in repr(invitation)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"expires_at": NOON}, "must expire in the future"),
        ({"uses": 0}, "at least one use"),
        ({"uses": -1}, "at least one use"),
    ],
)
def test_an_invitation_that_could_not_be_used_is_not_made(
    table: MemoryTable, more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(BadInput, match=reason):
        made(table, **more)
    assert listed(table) == []


def test_all_invalid_invitations_get_the_same_message(table: MemoryTable) -> None:
    (_, one), (_, other) = made(table), made(table)
    wrong = [f"{one.id}.{other.random}", new_secret().text, one.id, "", "\ud800", "x" * 100_000, f"{one.text} "]
    assert [is_good(each, table) for each in wrong] == [False] * len(wrong)


def test_an_expired_invitation_is_refused(table: MemoryTable) -> None:
    _, secret = made(table)
    for at, good in ((NOON + WEEK - MOMENT, True), (NOON + WEEK, False)):
        assert (is_good(secret, table, at=at), bool(listed(table, at=at))) == (good, good)


def test_a_used_up_invitation_is_refused(table: MemoryTable) -> None:
    invitation, secret = made(table, uses=2)
    for _ in range(2):
        assert is_good(secret, table)
        table.write(*use_invitation(invitation))
    assert not is_good(secret, table)
    assert listed(table) == []
    with pytest.raises(ConditionFailed):
        table.write(*use_invitation(invitation))


def test_an_invitation_without_a_limit_of_uses_is_never_used_up(table: MemoryTable) -> None:
    invitation, secret = made(table, uses=None)
    before = everything(table)
    for number in range(5):
        table.write(*use_invitation(invitation), Put({"PK": "x", "SK": str(number)}))
    assert is_good(secret, table)
    assert len(everything(table)) == len(before) + 5


@pytest.mark.parametrize("uses", [1, None])
def test_a_revoked_invitation_is_refused_even_if_it_was_found_before(table: MemoryTable, uses: int | None) -> None:
    invitation, secret = made(table, uses=uses)
    assert revoke_invitation(invitation.invitation_id, also=(NOTE,), table=table)
    assert not is_good(secret, table)
    with pytest.raises(ConditionFailed):
        table.write(*use_invitation(invitation))
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
def test_an_invitation_is_valid_only_while_its_maker_is_an_administrator(
    table: MemoryTable, end: Callable[[Table], object]
) -> None:
    (_, secret), (theirs, other) = made(table), made(table, by=BOB)
    end(table)
    assert (is_good(secret, table), is_good(other, table)) == (False, True)
    assert listed(table) == [theirs.invitation_id]


def test_an_invitation_of_a_removed_account_does_not_belong_to_its_successor(table: MemoryTable) -> None:
    _, secret = made(table)
    remove(table)
    an_account(table, with_password=False, role=Role.ADMIN, created_at=NOON + MOMENT)
    assert not is_good(secret, table, at=NOON + MOMENT)

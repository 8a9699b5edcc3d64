"""New accounts: by invitation or by open registration, created once under concurrent requests."""

from datetime import timedelta
from typing import Any

import pytest

from sparks.accounts.remove_account import close_account, remove_account
from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user, register
from sparks.auth.invitations import INVALID_INVITATION, make_invitation, revoke_invitation
from sparks.auth.passwords import verify_password
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.library import keys
from sparks.library.accounts.users import all_users, find_user, find_user_and_password, get_user
from sparks.library.audit import page_of_entries
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.account import Role, User
from sparks.model.credential import Invitation
from sparks.model.errors import AlreadyThere, BadInput, NotAllowed
from sparks.model.keyring import Keyring
from sparks.model.secret import Secret
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import PASSWORD, an_account, at_once, everything
from tests.auth.password_hashes import CountingHasher
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled

ALLOWANCE = UploadAllowance(photos=500, bytes=10_000)
CYD = "cyd@example.com"


def newcomer(email: str = CYD, password: str | None = None) -> NewAccount:
    """Without a password there is nothing to hash, which takes long."""
    return NewAccount.called(email, password)


def come(table: Table, who: NewAccount | None = None, *, invitation: str | None = None, is_open: bool = False) -> User:
    return register(
        who or newcomer(), invitation=invitation, is_open=is_open, allowance=ALLOWANCE, at=NOON, table=table
    )


def invite(table: Table, **more: Any) -> tuple[Invitation, Secret]:
    if find_user(ANN, table=table) is None:
        an_account(table, with_password=False, role=Role.ADMIN)
    told = {"expires_at": NOON + timedelta(days=7), "at": NOON, **more}
    return make_invitation(get_user(ANN, table=table), **told, table=table)


def left_of(invitation: Invitation, table: Table) -> int | None:
    item = table.get(keys.invitation(invitation.invitation_id))
    return None if item is None else item["usesLeft"]


# -- What they say


def test_a_new_account_is_checked_and_named_after_its_address() -> None:
    assert newcomer(" Cyd@Example.COM ") == NewAccount(CYD, None, "cyd")
    assert NewAccount.called(CYD, PASSWORD, " Cyd C. ") == NewAccount(CYD, PASSWORD, "Cyd C.")
    assert PASSWORD not in repr(NewAccount.called(CYD, PASSWORD))


@pytest.mark.parametrize(
    ("email", "password", "username", "reason"),
    [
        ("cyd", PASSWORD, None, "not an e-mail address"),
        (CYD, "short", None, "at least 10"),
        (CYD, "cyd@example.com", None, "one of the first"),
        (CYD, PASSWORD, "", "a name has"),
    ],
)
def test_an_invalid_new_account_is_refused_with_a_reason(
    email: str, password: str, username: str | None, reason: str
) -> None:
    with pytest.raises(BadInput, match=reason):
        NewAccount.called(email, password, username)


# -- How they come in


def test_a_new_account_is_in_the_audit_log_and_its_password_is_hashed_once(
    table: MemoryTable, hasher: CountingHasher
) -> None:
    user = add_user(newcomer(password=PASSWORD), role=Role.ADMIN, allowance=ALLOWANCE, by=ANN, at=NOON, table=table)
    assert hasher.count == 1
    found, kept = find_user_and_password(CYD, table=table)
    assert found == user
    assert kept is not None
    assert verify_password(PASSWORD, kept.password_hash)
    limit = read_limit(CYD, table=table)
    assert (limit.photos_left, limit.bytes_left) == (500, 10_000)
    [entry], _ = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert (entry.who, entry.action, entry.target, entry.details) == (ANN, "user-made", CYD, {"role": "admin"})
    assert PASSWORD not in repr(everything(table))


def test_registration_without_an_invitation_works_only_where_it_is_open(table: MemoryTable) -> None:
    with pytest.raises(NotAllowed, match="registration is by invitation here: ask an administrator"):
        come(table)
    assert everything(table) == []
    assert come(table, is_open=True).role is Role.MEMBER


def test_an_invitation_decides_the_role_and_the_limit(table: MemoryTable) -> None:
    _, secret = invite(table, role=Role.ADMIN, photos=0, bytes=77)
    assert come(table, invitation=secret.text).role is Role.ADMIN
    limit = read_limit(CYD, table=table)
    assert (limit.photos_left, limit.bytes_left) == (0, 77)
    item = table.get(keys.ADMINISTRATORS)
    assert item is not None
    assert item["count"] == 2


def test_an_invitation_without_a_limit_leaves_the_default_limit(table: MemoryTable) -> None:
    _, secret = invite(table, photos=3)
    come(table, invitation=secret.text)
    limit = read_limit(CYD, table=table)
    assert (limit.photos_left, limit.bytes_left) == (3, 10_000)


@pytest.mark.parametrize("is_open", [True, False])
def test_an_invalid_invitation_is_refused_even_where_registration_is_open(
    table: MemoryTable, hasher: CountingHasher, is_open: bool
) -> None:
    with pytest.raises(NotAllowed, match="this invitation is not valid"):
        come(table, newcomer(password=PASSWORD), invitation="made up", is_open=is_open)
    assert (everything(table), hasher.count) == ([], 0)


def test_registering_an_existing_address_does_not_use_up_an_invitation(table: MemoryTable) -> None:
    invitation, secret = invite(table)
    with pytest.raises(AlreadyThere):
        come(table, newcomer(ANN), invitation=secret.text)
    assert left_of(invitation, table) == 1


def test_an_invitation_that_is_revoked_at_the_last_moment_creates_no_account(table: MemoryTable) -> None:
    for uses in (1, None):
        invitation, secret = invite(table, uses=uses)
        late = Meddled(table, lambda: revoke_invitation(invitation.invitation_id, table=table))  # noqa: B023
        with pytest.raises(NotAllowed) as refused:
            come(late, invitation=secret.text)
        assert str(refused.value) == INVALID_INVITATION
        assert find_user(CYD, table=table) is None


def test_an_invitation_that_was_used_does_not_open_the_account_of_who_comes_after_a_removal(table: MemoryTable) -> None:
    _, secret = invite(table)
    come(table, invitation=secret.text)
    closed = close_account(CYD, by=ANN, at=NOON, table=table)
    keyring = Keyring("test", {"test": b"t" * 32})
    remove_account(closed, table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=keyring)
    with pytest.raises(NotAllowed):
        come(table, invitation=secret.text)
    come(table, is_open=True)
    with pytest.raises(NotAllowed):
        come(table, newcomer(BOB), invitation=secret.text)


# -- At once


def test_an_invitation_for_one_use_creates_one_account(raced: Table) -> None:
    for number in range(3):
        invitation, secret = invite(raced)
        newcomers = [newcomer(f"user{number}-{each}@example.com") for each in range(6)]
        results = at_once(*[lambda who=who: come(raced, who, invitation=secret.text) for who in newcomers])  # noqa: B023
        [winner] = [result for result in results if isinstance(result, User)]
        assert [type(result) for result in results].count(NotAllowed) == 5
        assert get_user(winner.email, table=raced) == winner
        assert left_of(invitation, raced) == 0
    assert len(list(all_users(table=raced))) == 4


def test_parallel_registrations_of_one_address_use_one_invitation(sqlite: Table) -> None:
    made = [invite(sqlite) for _ in range(5)]
    results = at_once(*[lambda secret=secret: come(sqlite, invitation=secret.text) for _, secret in made])
    assert [type(result) for result in results].count(AlreadyThere) == 4
    assert sorted(left_of(invitation, sqlite) or 0 for invitation, _ in made) == [0, 1, 1, 1, 1]

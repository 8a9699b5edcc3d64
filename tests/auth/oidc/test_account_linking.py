"""The account of a user whom the provider authenticated."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from sparks.auth.account_creation import UploadAllowance
from sparks.auth.api_keys import authenticate_key, make_key
from sparks.auth.oidc.account_linking import NewAccountPolicy, account_for, find_account, link_account, unlink_account
from sparks.auth.oidc.claims import Claims
from sparks.auth.sessions import SessionLifetime, authenticate_session, open_session
from sparks.library import keys
from sparks.library.accounts.identities import link_identity
from sparks.library.accounts.lifecycle import begin_removal, create_user, finish_removal
from sparks.library.accounts.users import find_user, get_user
from sparks.library.audit import AuditAction
from sparks.library.records import from_item
from sparks.model import times
from sparks.model.account import Identity, Role, UploadLimit, User
from sparks.model.errors import AlreadyThere, BadInput, Conflict, NotAllowed, NotFound, NotSignedIn, SparksError
from sparks.model.system_records import AuditEntry
from sparks.table.memory import MemoryTable
from tests.auth.oidc.conftest import WELCOME

ISSUER = "https://login.example.org"
NOW = times.now()
DAY = timedelta(days=1)
ADA = Claims(iss=ISSUER, sub="ada", email="ada@example.org", email_verified=True, name="Ada", expires_at=times.now())
TRUSTING = replace(WELCOME, trust_email=True)
CLOSED = replace(WELCOME, sign_up=False)


def arrived(claims: Claims, table: MemoryTable, policy: NewAccountPolicy = WELCOME) -> User:
    return account_for(claims, policy=policy, at=NOW, table=table)


def add_user(email: str, table: MemoryTable, *, password: bool = True) -> User:
    user = User(email=email, username="somebody", created_at=NOW)
    create_user(user, photos=1, bytes=1, password_hash="hash" if password else None, table=table)
    return user


def deeds(table: MemoryTable) -> list[str]:
    entries = table.query(keys.audit(times.month_of(NOW))).items
    return [from_item(AuditEntry, item).action for item in entries]


# -- New here


def test_a_first_sign_in_creates_an_account_with_its_upload_limit(table: MemoryTable) -> None:
    welcome = NewAccountPolicy(sign_up=True, trust_email=False, allowance=UploadAllowance(7, 7000))

    user = arrived(ADA, table, welcome)

    limit = table.get(keys.upload_limit(user.email))
    assert limit is not None
    assert from_item(UploadLimit, limit) == UploadLimit(
        email="ada@example.org", photos_left=7, bytes_left=7000, photos_given=7, bytes_given=7000
    )
    assert user == User(
        email="ada@example.org",
        username="Ada",
        account_id=user.account_id,
        role=Role.MEMBER,
        created_at=NOW,
        identities=(f"{ISSUER}#ada",),
    )
    assert get_user(user.email, table=table) == user
    assert table.get(keys.password(user.email)) is None
    assert deeds(table) == [AuditAction.USER_MADE]


def test_the_next_sign_in_finds_the_account_even_if_other_claims_change(table: MemoryTable) -> None:
    user = arrived(ADA, table)

    assert arrived(replace(ADA, email="other@example.org", name="Other"), table) == user
    assert arrived(replace(ADA, email=None, email_verified=False), table, CLOSED) == user


def test_without_a_name_the_account_is_named_after_its_address(table: MemoryTable) -> None:
    assert arrived(replace(ADA, name=None), table).username == "ada"


def test_the_same_subject_of_another_provider_is_another_user(table: MemoryTable) -> None:
    arrived(ADA, table)

    with pytest.raises(NotAllowed):
        arrived(replace(ADA, iss="https://other.example.org"), table)


@pytest.mark.parametrize(
    ("claims", "policy", "reason"),
    [
        (ADA, CLOSED, "ask an administrator for an invitation"),
        (replace(ADA, email=None, email_verified=False), WELCOME, "send the ID token"),
        (replace(ADA, email_verified=False), WELCOME, "has not verified your e-mail address"),
        (replace(ADA, email_verified=False), TRUSTING, "has not verified your e-mail address"),
    ],
)
def test_a_refused_identity_gets_a_message_that_says_what_to_do(
    table: MemoryTable, claims: Claims, policy: NewAccountPolicy, reason: str
) -> None:
    with pytest.raises(NotAllowed, match=reason):
        arrived(claims, table, policy)

    assert table.scan().items == []


def test_an_invalid_address_creates_no_account(table: MemoryTable) -> None:
    with pytest.raises(BadInput):
        arrived(replace(ADA, email="ada@-"), table)


# -- With an account already


def test_an_existing_account_of_the_address_is_not_linked(table: MemoryTable) -> None:
    add_user("ada@example.org", table)

    with pytest.raises(NotAllowed, match="sign in with your password and link it"):
        arrived(ADA, table)
    assert get_user("ada@example.org", table=table).identities == ()


def test_an_existing_account_of_the_address_is_linked_if_the_provider_is_trusted(table: MemoryTable) -> None:
    add_user("ada@example.org", table)

    user = arrived(ADA, table, replace(TRUSTING, sign_up=False))

    assert (user.email, user.identities) == ("ada@example.org", (f"{ISSUER}#ada",))
    assert arrived(replace(ADA, email=None, email_verified=False), table) == user
    assert deeds(table) == [AuditAction.IDENTITY_LINKED]


def test_an_unverified_address_links_nothing_and_reveals_nothing(table: MemoryTable) -> None:
    """Whether or not there is an account, the answer is the same."""
    unchecked = replace(ADA, email_verified=False)
    answers = []
    for _ in range(2):
        with pytest.raises(NotAllowed) as refused:
            arrived(unchecked, table, TRUSTING)
        answers.append(str(refused.value))
        if len(answers) == 1:
            add_user("ada@example.org", table)

    assert answers[0] == answers[1]


def test_a_signed_in_user_can_link_any_identity(table: MemoryTable) -> None:
    add_user("lovelace@example.org", table)

    link_account(replace(ADA, email_verified=False), "lovelace@example.org", at=NOW, table=table)

    assert arrived(ADA, table).email == "lovelace@example.org"
    assert find_user("ada@example.org", table=table) is None


def test_an_identity_of_another_account_cannot_be_linked(table: MemoryTable) -> None:
    arrived(ADA, table)
    add_user("eve@example.org", table)

    with pytest.raises(AlreadyThere):
        link_account(ADA, "eve@example.org", at=NOW, table=table)


def test_linking_twice_is_harmless(table: MemoryTable) -> None:
    user = arrived(ADA, table)

    assert link_account(ADA, user.email, at=NOW, table=table) == user


# -- On the way out


def test_an_account_that_is_being_removed_refuses_sign_ins(table: MemoryTable) -> None:
    user = arrived(ADA, table)
    begin_removal(user.email, table=table)

    for claims in (ADA, replace(ADA, sub="another")):
        with pytest.raises(NotSignedIn, match="is being removed"):
            arrived(claims, table, TRUSTING)
    with pytest.raises(NotSignedIn):
        find_account(ISSUER, "ada", table=table)


def test_after_its_removal_an_account_can_be_created_again(table: MemoryTable) -> None:
    user = arrived(ADA, table)
    begin_removal(user.email, table=table)
    finish_removal(user.email, table=table)

    anew = arrived(ADA, table)
    assert anew == replace(user, account_id=anew.account_id)
    assert anew.account_id != user.account_id


def unlink(user: User, name: str, table: MemoryTable, issuer: str | None = ISSUER) -> None:
    unlink_account(user, name, issuer=issuer, at=NOW, table=table)


def test_linking_by_address_ends_all_credentials_of_the_earlier_user(table: MemoryTable) -> None:
    """The earlier user may have registered another user's address, because no proof was required."""
    add_user("ada@example.org", table)
    squatter = link_identity("ada@example.org", "https://old.example.org", "mallory", table=table)
    session = open_session(squatter, span=SessionLifetime(DAY, DAY), at=NOW, table=table)
    _, key = make_key(squatter, name="spy", at=NOW, table=table)

    owner = arrived(ADA, table, TRUSTING)

    assert (owner.identities, table.get(keys.password(owner.email))) == ((f"{ISSUER}#ada",), None)
    assert find_account("https://old.example.org", "mallory", table=table) is None
    with pytest.raises(NotSignedIn):
        authenticate_session(session.text, idle=DAY, at=NOW, table=table)
    with pytest.raises(NotSignedIn):
        authenticate_key(key, at=NOW, table=table)


def test_a_user_with_a_password_can_unlink_an_identity(table: MemoryTable) -> None:
    add_user("ada@example.org", table)
    user = link_account(ADA, "ada@example.org", at=NOW, table=table)

    unlink(user, f"{ISSUER}#ada", table, issuer=None)

    assert find_account(ISSUER, "ada", table=table) is None
    assert get_user(user.email, table=table).identities == ()
    assert deeds(table) == [AuditAction.IDENTITY_LINKED, AuditAction.IDENTITY_UNLINKED]


def test_the_only_way_to_sign_in_cannot_be_unlinked(table: MemoryTable) -> None:
    user = arrived(ADA, table)

    with pytest.raises(Conflict, match="your only way to sign in"):
        unlink(user, f"{ISSUER}#ada", table)


def test_an_identity_of_a_former_provider_does_not_count_as_a_way_to_sign_in(table: MemoryTable) -> None:
    arrived(ADA, table)
    user = link_identity("ada@example.org", "https://old.example.org", "ada", table=table)

    with pytest.raises(Conflict):
        unlink(user, f"{ISSUER}#ada", table)
    unlink(user, "https://old.example.org#ada", table)


def test_an_identity_that_is_not_linked_cannot_be_unlinked(table: MemoryTable) -> None:
    for name in ("", f"{ISSUER}#eve"):
        with pytest.raises(NotFound):
            unlink(arrived(ADA, table), name, table)


# -- All at once


def at_once(*calls: Callable[[], object]) -> list[object]:
    """Result or error of each call, when all begin together."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        barrier.wait(30)
        try:
            return call()
        except SparksError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


@pytest.mark.parametrize("seed", range(5))
def test_parallel_first_sign_ins_create_one_account(table: MemoryTable, seed: int) -> None:
    users = at_once(*[lambda: arrived(ADA, table)] * 8)

    assert users == [get_user("ada@example.org", table=table)] * 8
    assert deeds(table) == [AuditAction.USER_MADE]


@pytest.mark.parametrize("seed", range(5))
def test_parallel_sign_ins_of_two_identities_with_one_address_create_one_account(table: MemoryTable, seed: int) -> None:
    others = [replace(ADA, sub=f"ada{number}") for number in range(4)]

    results = at_once(*[lambda claims=claims: arrived(claims, table) for claims in others])

    assert sorted(type(result).__name__ for result in results) == ["NotAllowed"] * 3 + ["User"]


@pytest.mark.parametrize("seed", range(5))
def test_parallel_requests_cannot_unlink_both_identities(table: MemoryTable, seed: int) -> None:
    arrived(ADA, table)
    user = link_account(replace(ADA, sub="ada2"), "ada@example.org", at=NOW, table=table)

    results = at_once(*[lambda name=name: unlink(user, name, table) for name in user.identities])

    assert sorted(type(result).__name__ for result in results) == ["Conflict", "NoneType"]
    (left,) = get_user(user.email, table=table).identities
    assert find_account(ISSUER, left.partition("#")[2], table=table) is not None


def test_an_identity_names_its_user(table: MemoryTable) -> None:
    user = arrived(ADA, table)

    item = table.get(keys.identity(ISSUER, "ada"))
    assert item is not None
    assert from_item(Identity, item) == Identity(iss=ISSUER, sub="ada", email=user.email)

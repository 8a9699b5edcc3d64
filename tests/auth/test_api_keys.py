"""API keys: shown once, limited by scopes, and ended by expiry, revocation or the removal of the account."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from sparks.auth.api_keys import (
    BAD_KEY,
    LAST_USED_INTERVAL,
    MAX_KEYS,
    allowed_scopes,
    authenticate_key,
    keys_of,
    make_key,
    member_of_key,
    revoke_key,
)
from sparks.library import keys
from sparks.library.accounts.lifecycle import begin_removal, finish_removal
from sparks.library.accounts.users import change_role, set_password
from sparks.library.records import from_item
from sparks.model.access import Action, authorize
from sparks.model.account import Role, User
from sparks.model.caller import Credential, Member
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import BadInput, Busy, NotAllowed, NotFound, NotSignedIn, StorageFull
from sparks.model.secret import new_secret
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table
from tests.account_makers import an_account, everything
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled

MOMENT = timedelta(milliseconds=1)
DAY = timedelta(days=1)
NOTE = Put({"PK": "x", "SK": "x"})


@pytest.fixture
def user(table: MemoryTable) -> User:
    return an_account(table, with_password=False)


def made(user: User, table: Table, **more: Any) -> tuple[ApiKey, str]:
    return make_key(user, **{"name": "backup", "at": NOON, **more}, table=table)


def kept(key: ApiKey, table: Table) -> ApiKey:
    item = table.get(keys.api_key(key.key_id))
    assert item is not None
    return from_item(ApiKey, item)


def is_bad(text: str, table: Table, *, at: datetime = NOON) -> bool:
    try:
        authenticate_key(text, at=at, table=table)
    except NotSignedIn as error:
        return str(error) == BAD_KEY
    return False


# -- Making


def test_a_key_identifies_its_user_and_scopes(user: User, table: MemoryTable) -> None:
    key, text = made(user, table, scopes=[KeyScope.READ])
    member = Member(user, Credential("key", key.key_id), frozenset({KeyScope.READ}))
    assert authenticate_key(text, at=NOON, table=table) == member_of_key(key.key_id, at=NOON, table=table) == member
    assert text.startswith(f"sk_{key.key_id}.")


def test_neither_the_row_nor_the_repr_holds_the_secret(user: User, table: MemoryTable) -> None:
    key, text = made(user, table)
    random = text.partition(".")[2]
    assert random not in repr((everything(table), key))
    assert key.secret_hash not in repr(key)


@pytest.mark.parametrize(
    ("role", "scopes"), [(Role.MEMBER, set(KeyScope) - {KeyScope.ADMIN}), (Role.ADMIN, set(KeyScope))]
)
def test_without_scopes_a_key_has_all_that_the_role_allows(
    table: MemoryTable, role: Role, scopes: set[KeyScope]
) -> None:
    key, _ = made(an_account(table, with_password=False, role=role), table)
    assert key.scopes == scopes == allowed_scopes(role)


@pytest.mark.parametrize(
    ("more", "error", "reason"),
    [
        ({"scopes": []}, BadInput, "a key needs a scope: edit, people, read, upload"),
        ({"scopes": [KeyScope.READ, KeyScope.ADMIN]}, NotAllowed, "does not allow a key with the scope admin"),
        ({"expires_at": NOON}, BadInput, "must expire in the future"),
        ({"name": " "}, BadInput, "a name has 1 to 60 characters"),
        ({"name": "x\ny"}, BadInput, "a name has 1 to 60 characters"),
    ],
)
def test_a_key_with_invalid_properties_is_not_made(
    user: User, table: MemoryTable, more: dict[str, Any], error: type[Exception], reason: str
) -> None:
    before = everything(table)
    with pytest.raises(error, match=reason):
        made(user, table, **more)
    assert everything(table) == before


def test_the_number_of_keys_of_an_account_is_limited(user: User, table: MemoryTable) -> None:
    made(user, table, expires_at=NOON + DAY)
    first, *_ = [made(user, table) for _ in range(MAX_KEYS - 1)]
    with pytest.raises(NotAllowed, match="at most 100 keys: revoke those that are not used"):
        made(user, table)
    made(user, table, at=NOON + DAY)  # one has expired
    revoke_key(ANN, first[0].key_id, table=table)
    made(user, table, at=NOON + DAY)


# -- Using


def test_all_invalid_keys_get_the_same_message(user: User, table: MemoryTable) -> None:
    (key, text), (other, _) = made(user, table), made(user, table)
    secret = new_secret().random
    wrong = [
        f"sk_{other.key_id}.{text.partition('.')[2]}",
        f"sk_{key.key_id}.{secret}",
        text[:-1],
        f"{text}x",
        f"sk_{text}",
        f"sk_{new_secret().text}",
        "sk_",
        "sk_.",
        "sk_\ud800",
        "sk_" + "x" * 100_000,
    ]
    assert [is_bad(each, table) for each in wrong] == [True] * len(wrong)
    assert not is_bad(text, table)
    with pytest.raises(NotSignedIn, match="this API key is not valid"):
        member_of_key("nothing", at=NOON, table=table)


def test_an_expired_key_is_refused(user: User, table: MemoryTable) -> None:
    key, text = made(user, table, expires_at=NOON + DAY)
    assert not is_bad(text, table, at=NOON + DAY - MOMENT)
    assert is_bad(text, table, at=NOON + DAY)
    assert [list(keys_of(ANN, at=at, table=table)) == [] for at in (NOON, NOON + DAY)] == [False, True]
    assert kept(key, table).ttl == NOON + DAY


def test_a_key_that_never_expires_is_never_dropped(user: User, table: MemoryTable) -> None:
    key, text = made(user, table)
    assert kept(key, table).ttl is None
    assert not is_bad(text, table, at=NOON + 10_000 * DAY)


def test_the_time_of_use_is_written_every_ten_minutes(user: User, table: MemoryTable) -> None:
    key, text = made(user, table)
    assert kept(key, table).last_used_at is None
    for at, noted in (
        (NOON, NOON),
        (NOON + LAST_USED_INTERVAL - MOMENT, NOON),
        (NOON + LAST_USED_INTERVAL, NOON + LAST_USED_INTERVAL),
    ):
        authenticate_key(text, at=at, table=table)
        assert kept(key, table).last_used_at == noted


@pytest.mark.parametrize("error", [StorageFull("no room"), Busy("too much")])
def test_keys_stay_usable_while_nothing_can_be_written(user: User, table: MemoryTable, error: Exception) -> None:
    _, text = made(user, table)

    def fail() -> None:
        raise error

    assert not is_bad(text, Meddled(table, fail))


def test_a_key_that_is_revoked_while_it_is_used_is_refused(user: User, table: MemoryTable) -> None:
    key, text = made(user, table)
    assert is_bad(text, Meddled(table, lambda: revoke_key(ANN, key.key_id, table=table)))
    assert table.get(keys.api_key(key.key_id)) is None


# -- The end


def test_only_its_owner_can_revoke_a_key(user: User, table: MemoryTable) -> None:
    key, text = made(user, table)
    assert not revoke_key(BOB, key.key_id, also=(NOTE,), table=table)
    assert not is_bad(text, table)
    assert revoke_key(ANN, key.key_id, also=(NOTE,), table=table)
    assert is_bad(text, table)
    assert not revoke_key(ANN, key.key_id, table=table)


def test_a_key_outlives_a_new_password(user: User, table: MemoryTable) -> None:
    _, text = made(user, table)
    set_password(ANN, "new", table=table)
    assert not is_bad(text, table)


def test_a_key_never_allows_more_than_its_owner_may_do_now(table: MemoryTable) -> None:
    an_account(table, BOB, with_password=False, role=Role.ADMIN)
    _, text = made(an_account(table, with_password=False, role=Role.ADMIN), table)
    authorize(authenticate_key(text, at=NOON, table=table), Action.MANAGE_USERS, at=NOON)
    change_role(ANN, Role.MEMBER, table=table)
    with pytest.raises(NotAllowed, match="only administrators"):
        authorize(authenticate_key(text, at=NOON, table=table), Action.MANAGE_USERS, at=NOON)


@pytest.mark.parametrize("after", [lambda table: finish_removal(ANN, table=table), lambda _: None])
def test_a_key_of_a_closed_account_is_refused(user: User, table: MemoryTable, after: Callable[[Table], None]) -> None:
    key, text = made(user, table)
    begin_removal(ANN, table=table)
    after(table)
    assert is_bad(text, table)
    with pytest.raises(NotSignedIn):
        member_of_key(key.key_id, at=NOON, table=table)
    with pytest.raises(NotFound):
        made(user, table)


def test_no_key_is_made_while_an_account_is_closed(user: User, table: MemoryTable) -> None:
    with pytest.raises(NotFound, match="there is no user"):
        made(user, Meddled(table, lambda: begin_removal(ANN, table=table)))
    assert list(keys_of(ANN, at=NOON, table=table)) == []


def test_a_key_of_an_earlier_account_does_not_open_the_next_one(user: User, table: MemoryTable) -> None:
    key, text = made(user, table)
    begin_removal(ANN, table=table)
    finish_removal(ANN, table=table)
    an_account(table, with_password=False, created_at=NOON + MOMENT)
    assert is_bad(text, table, at=NOON + MOMENT)
    with pytest.raises(NotSignedIn):
        member_of_key(key.key_id, at=NOON + MOMENT, table=table)

"""Sessions: opened, used, renewed and ended."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from sparks.auth.sessions import (
    LAST_USED_INTERVAL,
    MAX_DEVICE_LENGTH,
    SESSION_OVER,
    SessionLifetime,
    authenticate_session,
    end_session,
    member_of_session,
    open_session,
    sessions_of,
)
from sparks.library import keys
from sparks.library.accounts.lifecycle import begin_removal, finish_removal
from sparks.library.accounts.users import end_all_sessions, get_user, set_password
from sparks.library.records import from_item
from sparks.model.account import User
from sparks.model.caller import Credential, Member
from sparks.model.credential import Session
from sparks.model.errors import Busy, NotSignedIn, StorageFull
from sparks.model.secret import Secret, new_secret
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table
from tests.account_makers import an_account, at_once, everything, keep
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled

SPAN = SessionLifetime(idle=timedelta(days=30), most=timedelta(days=180))
MOMENT = timedelta(milliseconds=1)
DAY = timedelta(days=1)
NOTE = Put({"PK": "x", "SK": "x"})


@pytest.fixture
def user(table: MemoryTable) -> User:
    return an_account(table, with_password=False)


def opened(user: User, table: Table, **more: object) -> Secret:
    return open_session(user, **{"span": SPAN, "at": NOON, **more}, table=table)  # type: ignore[arg-type]


def use(secret: Secret | str, table: Table, *, at: datetime = NOON) -> Member:
    return authenticate_session(secret if isinstance(secret, str) else secret.text, idle=SPAN.idle, at=at, table=table)


def is_over(secret: Secret | str, table: Table, *, at: datetime = NOON) -> bool:
    try:
        use(secret, table, at=at)
    except NotSignedIn as error:
        return str(error) == SESSION_OVER
    return False


def kept(secret: Secret, table: Table) -> Session:
    item = table.get(keys.session(secret.id))
    assert item is not None
    return from_item(Session, item)


# -- Who it is


def test_a_session_identifies_its_user(user: User, table: MemoryTable) -> None:
    secret = opened(user, table, device=" Fire\nfox " + "x" * 500, also=(NOTE,))
    assert use(secret, table) == Member(user, Credential("session", secret.id))
    assert member_of_session(secret.id, at=NOON, table=table) == use(secret, table)
    device = kept(secret, table).device
    assert device is not None
    assert device.startswith("Fire fox x")
    assert len(device) == MAX_DEVICE_LENGTH
    assert table.get(NOTE.key) is not None


def test_neither_the_row_nor_the_repr_holds_the_secret(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    session = kept(secret, table)
    for text in (repr(everything(table)), repr(session), repr(secret)):
        assert secret.random not in text
    assert session.secret_hash not in repr(session)


def test_all_invalid_sessions_get_the_same_message(user: User, table: MemoryTable) -> None:
    secret, other = opened(user, table), opened(user, table)
    wrong = [
        f"{secret.id}.{other.random}",
        f"{secret.id}.{secret.random[:-1]}",
        f"{secret.id}.{secret.random}x",
        f"{secret.id}.",
        secret.id,
        new_secret().text,
        "",
        ".",
        "\ud800",
        "x" * 100_000,
        f"{'x' * 64}.{secret.random}",
        f"../{secret.text}",
        f" {secret.text}",
    ]
    assert [is_over(text, table) for text in wrong] == [True] * len(wrong)
    with pytest.raises(NotSignedIn, match=SESSION_OVER):
        member_of_session("nothing", at=NOON, table=table)


# -- How long


def test_an_unused_session_ends_when_it_expires(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    member_of_session(secret.id, at=NOON + SPAN.idle - MOMENT, table=table)
    assert is_over(secret, table, at=NOON + SPAN.idle)
    assert not is_over(secret, table, at=NOON + SPAN.idle - MOMENT)


def test_each_use_extends_a_session_up_to_its_final_end(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    for days in range(20, 180, 20):
        at = NOON + timedelta(days=days)
        assert not is_over(secret, table, at=at)
        session = kept(secret, table)
        assert session.last_used_at == at
        assert session.expires_at == min(at + SPAN.idle, NOON + SPAN.most)
    assert not is_over(secret, table, at=NOON + SPAN.most - MOMENT)
    assert kept(secret, table).expires_at == NOON + SPAN.most
    assert is_over(secret, table, at=NOON + SPAN.most)


def test_the_time_of_use_is_written_once_an_hour(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    use(secret, table, at=NOON + LAST_USED_INTERVAL - MOMENT)
    assert kept(secret, table).last_used_at == NOON
    use(secret, table, at=NOON + LAST_USED_INTERVAL)
    assert kept(secret, table).last_used_at == NOON + LAST_USED_INTERVAL


def test_a_media_url_does_not_count_as_use(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    member_of_session(secret.id, at=NOON + DAY, table=table)
    assert kept(secret, table).last_used_at == NOON


def test_a_session_never_lasts_longer_than_its_maximum(user: User, table: MemoryTable) -> None:
    secret = opened(user, table, span=SessionLifetime(idle=timedelta(days=30), most=timedelta(days=1)))
    assert kept(secret, table).expires_at == NOON + DAY
    assert is_over(secret, table, at=NOON + DAY)
    assert list(sessions_of(user, at=NOON + DAY, table=table)) == []


def test_the_final_end_counts_even_if_the_row_expires_later(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    keep(table, replace(kept(secret, table), ends_at=NOON + DAY))
    member_of_session(secret.id, at=NOON + DAY - MOMENT, table=table)
    assert is_over(secret, table, at=NOON + DAY)


def test_the_ttl_of_a_session_is_not_before_its_end(user: User, table: MemoryTable) -> None:
    assert kept(opened(user, table), table).ttl == NOON + SPAN.most


@pytest.mark.parametrize("error", [StorageFull("no room"), Busy("too much")])
def test_sessions_stay_usable_while_nothing_can_be_written(user: User, table: MemoryTable, error: Exception) -> None:
    secret = opened(user, table)

    def fail() -> None:
        raise error

    assert not is_over(secret, Meddled(table, fail), at=NOON + DAY)
    assert kept(secret, table).last_used_at == NOON
    assert not is_over(secret, table, at=NOON + DAY)
    assert kept(secret, table).last_used_at == NOON + DAY


# -- The end


def test_signing_in_again_ends_the_session_that_the_browser_had(user: User, table: MemoryTable) -> None:
    other = an_account(table, BOB, with_password=False)
    before = opened(other, table)
    after = opened(user, table, replaces=before)
    assert (is_over(before, table), use(after, table).email) == (True, ANN)


def test_signing_in_ends_no_session_without_its_secret(user: User, table: MemoryTable) -> None:
    theirs = opened(user, table)
    opened(user, table, replaces=replace(new_secret(), id=theirs.id))
    opened(user, table, replaces=new_secret())
    assert not end_session(BOB, theirs.id, also=(NOTE,), table=table)
    assert not is_over(theirs, table)
    assert table.get(NOTE.key) is None


def test_a_session_is_ended_at_once(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    assert end_session(ANN, secret.id, also=(NOTE,), table=table)
    assert is_over(secret, table)
    assert not end_session(ANN, secret.id, table=table)


def test_a_session_that_is_ended_while_it_is_used_is_refused(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    end = Meddled(table, lambda: end_session(ANN, secret.id, table=table))
    assert is_over(secret, end, at=NOON + DAY)
    assert table.get(keys.session(secret.id)) is None


def test_all_sessions_are_ended_at_once(user: User, table: MemoryTable) -> None:
    ours = [opened(user, table) for _ in range(3)]
    of_bob = opened(an_account(table, BOB, with_password=False), table)
    now = end_all_sessions(ANN, also=(NOTE,), table=table)
    assert [is_over(each, table) for each in (*ours, of_bob)] == [True, True, True, False]
    assert not is_over(opened(now, table), table)
    assert table.get(NOTE.key) is not None


def test_the_list_shows_the_valid_sessions(user: User, table: MemoryTable) -> None:
    old = opened(user, table)
    set_password(ANN, "new", table=table)
    user = get_user(ANN, table=table)
    ours = {opened(user, table).id for _ in range(2)}
    opened(user, table, at=NOON - SPAN.idle)
    assert is_over(old, table)
    assert {session.session_id for session in sessions_of(user, at=NOON, table=table)} == ours


def test_a_new_password_ends_all_sessions_also_those_being_opened(user: User, table: MemoryTable) -> None:
    before = opened(user, table)
    meanwhile = opened(user, Meddled(table, lambda: set_password(ANN, "new", table=table)))
    assert (is_over(before, table), is_over(meanwhile, table)) == (True, True)
    assert not is_over(opened(get_user(ANN, table=table), table), table)


@pytest.mark.parametrize("after", [lambda table: finish_removal(ANN, table=table), lambda _: None])
def test_sessions_of_a_closed_account_are_refused(
    user: User, table: MemoryTable, after: Callable[[Table], None]
) -> None:
    secret = opened(user, table)
    begin_removal(ANN, table=table)
    after(table)
    assert is_over(secret, table)
    with pytest.raises(NotSignedIn):
        opened(user, table)
    with pytest.raises(NotSignedIn):
        member_of_session(secret.id, at=NOON, table=table)


def test_no_session_is_opened_while_an_account_is_closed(user: User, table: MemoryTable) -> None:
    with pytest.raises(NotSignedIn):
        opened(user, Meddled(table, lambda: begin_removal(ANN, table=table)), also=(NOTE,))
    assert table.get(NOTE.key) is None
    assert not [item for item in everything(table) if item["PK"].startswith("SESSION#")]


def test_a_session_of_an_earlier_account_does_not_open_the_next_one(user: User, table: MemoryTable) -> None:
    secret = opened(user, table)
    begin_removal(ANN, table=table)
    finish_removal(ANN, table=table)
    again = an_account(table, with_password=False, created_at=NOON + MOMENT)
    assert is_over(secret, table, at=NOON + MOMENT)
    assert list(sessions_of(again, at=NOON + MOMENT, table=table)) == []


def test_parallel_uses_leave_the_session_valid(sqlite: Table) -> None:
    secret = opened(an_account(sqlite, with_password=False), sqlite)
    answers = at_once(*[lambda: use(secret, sqlite, at=NOON + DAY).email] * 6)
    assert answers == [ANN] * 6
    assert kept(secret, sqlite).expires_at == NOON + DAY + SPAN.idle

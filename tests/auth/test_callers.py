"""Resolution of callers: a credential leads to its owner, and anything else to no caller."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from sparks.auth.api_keys import make_key
from sparks.auth.callers import MAX_TOKEN_LENGTH, UNKNOWN_TOKEN, CallerResolver
from sparks.auth.link_sessions import guest_token
from sparks.auth.sessions import SessionLifetime, open_session
from sparks.auth.signed_media_urls import Viewer, ViewerKind, viewer_of
from sparks.model.account import User
from sparks.model.caller import Credential, GuestCaller, Member
from sparks.model.credential import KeyScope
from sparks.model.errors import NotSignedIn
from sparks.model.secret import new_secret
from sparks.table.memory import MemoryTable
from tests.account_makers import an_account, keep
from tests.auth.test_link_sessions import a_link, arrived
from tests.factories import ANN, NOON

IDLE = timedelta(days=30)


@pytest.fixture
def user(table: MemoryTable) -> User:
    return an_account(table, with_password=False)


def callers_of(table: MemoryTable, user: User | None = None) -> CallerResolver:
    """With a user, of an issuer whose tokens and subjects all are theirs."""
    if user is None:
        return CallerResolver(table=table, idle=IDLE)

    def member(text: str) -> Member:
        return Member(user, Credential("token", text))

    return CallerResolver(table=table, idle=IDLE, token_member=member, subject_member=member)


def test_a_session_is_resolved_by_its_cookie_and_by_a_url_signed_for_it(user: User, table: MemoryTable) -> None:
    secret = open_session(user, span=SessionLifetime(IDLE, IDLE), at=NOON, table=table)
    who = callers_of(table).by_cookie(secret.text, at=NOON)
    assert who == Member(user, Credential("session", secret.id))
    assert callers_of(table).by_viewer(viewer_of(who), at=NOON) == who


def test_a_key_is_resolved_by_its_text_and_by_a_url_signed_for_it(user: User, table: MemoryTable) -> None:
    key, text = make_key(user, name="backup", scopes=[KeyScope.READ], at=NOON, table=table)
    who = callers_of(table).by_bearer(text, at=NOON)
    assert who == Member(user, Credential("key", key.key_id), frozenset({KeyScope.READ}))
    assert isinstance(who, Member)
    assert callers_of(table).by_viewer(viewer_of(who), at=NOON) == who


def test_a_guest_is_resolved_by_their_token_and_by_a_url_signed_for_them(table: MemoryTable) -> None:
    link = a_link()
    guest, secret = arrived(table, link)
    who = callers_of(table).by_bearer(guest_token(link.link_id, secret), at=NOON)
    assert who == GuestCaller(link, guest)
    assert callers_of(table).by_viewer(viewer_of(who), at=NOON) == who


def test_an_oidc_token_is_resolved_where_a_provider_is_configured(user: User, table: MemoryTable) -> None:
    who = callers_of(table, user).by_bearer("eyJ..", at=NOON)
    assert who == Member(user, Credential("token", "eyJ.."))
    assert callers_of(table, user).by_viewer(Viewer(ViewerKind.TOKEN, "subject"), at=NOON) == Member(
        user, Credential("token", "subject")
    )


def test_without_a_provider_every_other_token_is_refused(table: MemoryTable) -> None:
    callers = callers_of(table)
    asking: list[Callable[[], object]] = [
        lambda: callers.by_bearer("eyJ..", at=NOON),
        lambda: callers.by_viewer(Viewer(ViewerKind.TOKEN, "subject"), at=NOON),
    ]
    for ask in asking:
        with pytest.raises(NotSignedIn) as refused:
            ask()
        assert str(refused.value) == UNKNOWN_TOKEN


def test_a_token_that_is_too_long_is_refused_unread(user: User, table: MemoryTable) -> None:
    callers = callers_of(table, user)
    callers.by_bearer("e" * MAX_TOKEN_LENGTH, at=NOON)
    with pytest.raises(NotSignedIn):
        callers.by_bearer("e" * (MAX_TOKEN_LENGTH + 1), at=NOON)


def test_an_api_key_is_never_passed_to_the_provider(user: User, table: MemoryTable) -> None:
    for text in ("sk_", f"sk_{new_secret().text}", "gt_", f"gt_link_{new_secret().text}"):
        with pytest.raises(NotSignedIn):
            callers_of(table, user).by_bearer(text, at=NOON)


def test_a_credential_of_one_kind_is_not_accepted_as_another(user: User, table: MemoryTable) -> None:
    """Though all are made in the same way."""
    session = open_session(user, span=SessionLifetime(IDLE, IDLE), at=NOON, table=table)
    key, text = make_key(user, name="backup", at=NOON, table=table)
    link = a_link()
    guest, secret = arrived(table, link)
    keep(table, link)
    callers = callers_of(table)
    asking: list[Callable[[], object]] = [
        lambda: callers.by_bearer(session.text, at=NOON),
        lambda: callers.by_bearer(f"sk_{session.text}", at=NOON),
        lambda: callers.by_cookie(text, at=NOON),
        lambda: callers.by_cookie(text.removeprefix("sk_"), at=NOON),
        lambda: callers.by_cookie(secret.text, at=NOON),
        lambda: callers.by_bearer(f"sk_{secret.text}", at=NOON),
        lambda: callers.by_bearer(f"gt_{link.link_id}_{session.text}", at=NOON),
        lambda: callers.by_viewer(Viewer(ViewerKind.SESSION, key.key_id), at=NOON),
        lambda: callers.by_viewer(Viewer(ViewerKind.KEY, session.id), at=NOON),
        lambda: callers.by_viewer(Viewer(ViewerKind.GUEST, guest.guest_id), at=NOON),
        lambda: callers.by_viewer(Viewer(ViewerKind.SESSION, ANN), at=NOON),
    ]
    for ask in asking:
        with pytest.raises(NotSignedIn):
            ask()

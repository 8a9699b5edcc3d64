"""Rules about accounts: the limits of API keys, and the receipts of erasures."""

import pytest

from sparks.model.access import (
    authorize_account_change,
    authorize_invitation,
    is_administrator,
    may_see_erasure,
)
from sparks.model.account import Role
from sparks.model.biometric_erasure import Erasure
from sparks.model.caller import ANONYMOUS, Credential, Member
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed
from tests.factories import ANN, BOB, NOON, a_user
from tests.model.access_cases import a_guest

SESSION = Credential("session", "s")
KEY = Credential("key", "k")


def an_admin(via: Credential = SESSION, scopes: frozenset[KeyScope] | None = None) -> Member:
    return Member(a_user(role=Role.ADMIN), via, scopes)


def test_only_a_user_with_the_role_is_an_administrator() -> None:
    assert is_administrator(an_admin())
    assert not is_administrator(Member(a_user(), SESSION))
    assert not is_administrator(a_guest())
    assert not is_administrator(ANONYMOUS)


def test_an_administrator_in_a_browser_may_make_administrators_and_set_passwords() -> None:
    authorize_account_change(an_admin(), makes_administrator=True, sets_password=True)
    authorize_invitation(an_admin(), Role.ADMIN)


def test_an_api_key_may_do_neither() -> None:
    with pytest.raises(NotAllowed, match="may not make administrators"):
        authorize_account_change(an_admin(KEY), makes_administrator=True)
    with pytest.raises(NotAllowed, match="set passwords"):
        authorize_account_change(an_admin(KEY), makes_administrator=False, sets_password=True)
    with pytest.raises(NotAllowed, match="may not invite administrators"):
        authorize_invitation(an_admin(KEY), Role.ADMIN)


def test_an_api_key_may_change_and_invite_members() -> None:
    authorize_account_change(an_admin(KEY), makes_administrator=False)
    authorize_invitation(an_admin(KEY), Role.MEMBER)


def test_the_receipt_of_an_erasure_is_for_its_requester_its_subject_and_administrators() -> None:
    erasure = Erasure(erasure_id="e", subject=ANN, who=BOB, asked_at=NOON)
    assert may_see_erasure(Member(a_user(ANN), SESSION), erasure)
    assert may_see_erasure(Member(a_user(BOB), SESSION), erasure)
    assert not may_see_erasure(Member(a_user("carl@example.com"), SESSION), erasure)
    admin = a_user("carl@example.com", role=Role.ADMIN)
    assert may_see_erasure(Member(admin, SESSION), erasure)
    assert not may_see_erasure(Member(admin, KEY, frozenset({KeyScope.READ})), erasure)

"""Accounts: one key for one address, and the rules of their values."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.library import keys
from sparks.model.account import UploadLimit, account_email
from sparks.model.errors import BadInput
from sparks.model.share import guest_of, who_is_guest
from tests.factories import ANN


@pytest.mark.parametrize(
    ("text", "email"),
    [
        ("ann@example.com", "ann@example.com"),
        (" Ann@Example.COM\n", "ann@example.com"),
        ("jose\u0301@example.com", "jos\u00e9@example.com"),
        ("JOSE\u0301@example.com", "jos\u00e9@example.com"),
        ("a#b+c@example.com", "a#b+c@example.com"),
    ],
)
def test_an_address_is_keyed_in_one_form(text: str, email: str) -> None:
    assert account_email(text) == email


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "@example.com",
        "ann@",
        "ann@bob@example.com",
        "ann @example.com",
        "ann@exam\u200bple.com",
        "ann@example.com#x",
        "ann\x00@example.com",
        "guest:ann@example.com",
        f"{'a' * 250}@example.com",
    ],
)
def test_an_address_that_no_key_can_hold_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        account_email(text)


@given(st.builds("{}@{}".format, st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8)))
def test_an_address_in_its_form_stays_as_it_is_and_can_be_a_key(text: str) -> None:
    try:
        email = account_email(text)
    except BadInput:
        return
    assert account_email(email) == email
    assert unicodedata.is_normalized("NFC", email)
    assert keys.user(email) == (email, email)


def test_a_guest_name_is_not_an_account() -> None:
    assert guest_of(who_is_guest("7k2")) == "7k2"
    assert guest_of("ann@example.com") is None


# -- Users and limits


@pytest.mark.parametrize(
    ("limit", "used", "bytes_used"),
    [
        (UploadLimit(email=ANN, photos_left=3, photos_given=5, bytes_left=10, bytes_given=30), 2, 20),
        (UploadLimit(email=ANN, photos_left=5, photos_given=5, bytes_left=0, bytes_given=0), 0, 0),
        (UploadLimit(email=ANN, photos_left=3), None, None),
        (UploadLimit(email=ANN, photos_left=3, bytes_left=10), None, None),
        (UploadLimit(email=ANN, photos_left=3, bytes_given=10), None, None),
    ],
)
def test_the_used_amount_is_the_granted_one_without_the_rest(
    limit: UploadLimit, used: int | None, bytes_used: int | None
) -> None:
    assert (limit.used, limit.bytes_used) == (used, bytes_used)

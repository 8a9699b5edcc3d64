"""Names that a user may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.auth.account_names import MAX_NAME_LENGTH, checked_email, checked_username, username_from_email
from sparks.auth.passwords import NO_EMAIL
from sparks.library import keys
from sparks.model.account import account_email
from sparks.model.errors import BadInput


@pytest.mark.parametrize(
    ("text", "email"),
    [
        (" Ann@Example.COM ", "ann@example.com"),
        ("ann+photos@example.co.uk", "ann+photos@example.co.uk"),
        ("ann@nas.local", "ann@nas.local"),
        ("ann@localhost", "ann@localhost"),
        ("ann@home.test", "ann@home.test"),
        ("jose\u0301@example.com", "jos\u00e9@example.com"),
        ("ann@m\u00fcnchen.example", "ann@m\u00fcnchen.example"),
        ("o'ann#1@example.com", "o'ann#1@example.com"),
    ],
)
def test_a_valid_address_is_normalized(text: str, email: str) -> None:
    assert checked_email(text) == email
    assert account_email(email) == email


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "ann@",
        "@example.com",
        "ann@@example.com",
        "ann@example..com",
        "ann.@example.com",
        ".ann@example.com",
        "ann@-example.com",
        "ann@exa_mple.com",
        "ann@[127.0.0.1]",
        '"ann b"@example.com',
        "ann@example.invalid",
        "ann@example.onion",
        "Ann <ann@example.com>",
        "ann@example.com\nbcc: bob@example.com",
        "ann\x00@example.com",
        "ann/bob@example.com",
        "ann\ud800@example.com",
        "ann\u202e@example.com",
        "guest:ann@example.com",
        f"ann@{'a' * 64}.com",
        f"ann@{'a.' * 130}com",
        NO_EMAIL,
    ],
)
def test_an_invalid_address_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(BadInput, match=r"that is not an e-mail address|cannot begin with guest|cannot be used here"):
        checked_email(text)


@given(st.text() | st.emails())
def test_every_accepted_address_can_be_a_key_and_is_stable(text: str) -> None:
    try:
        email = checked_email(text)
    except BadInput:
        return
    assert keys.user(email).pk == checked_email(email) == account_email(text)
    assert checked_username(username_from_email(email)) == username_from_email(email)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" Ann ", "Ann"),
        ("Ann  B. O'C\u00e9line", "Ann  B. O'C\u00e9line"),
        ("Ce\u0301line", "C\u00e9line"),
        ("\u5c71\u7530", "\u5c71\u7530"),
        ("x" * MAX_NAME_LENGTH, "x" * MAX_NAME_LENGTH),
        ("e\u0301" * MAX_NAME_LENGTH, "\u00e9" * MAX_NAME_LENGTH),
    ],
)
def test_a_valid_name_is_kept_as_typed(text: str, name: str) -> None:
    assert checked_username(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\u00a0",
        "x" * (MAX_NAME_LENGTH + 1),
        "Ann\nBob",
        "Ann\tBob",
        "\u202enna",
        "A\x00",
        "A\ud800",
        "A\u200b",
    ],
)
def test_a_name_that_cannot_be_shown_in_one_line_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="1 to 60 characters"):
        checked_username(text)


def test_a_user_without_a_name_is_named_after_their_address() -> None:
    assert username_from_email("ann@example.com") == "ann"
    assert len(username_from_email(f"{'a' * 64}@example.com")) == MAX_NAME_LENGTH

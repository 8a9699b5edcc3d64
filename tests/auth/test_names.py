"""What people may be called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.auth.names import LONGEST_NAME, checked_name, name_from, new_email
from sparks.auth.sign_in import NOBODY
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
def test_a_good_address_is_taken_in_one_form(text: str, email: str) -> None:
    assert new_email(text) == email
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
        NOBODY,
    ],
)
def test_what_is_no_address_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(BadInput, match=r"that is not an e-mail address|does not begin with guest|cannot be used here"):
        new_email(text)


@given(st.text() | st.emails())
def test_whatever_is_taken_can_be_a_key_and_is_found_again(text: str) -> None:
    try:
        email = new_email(text)
    except BadInput:
        return
    assert keys.user(email).pk == new_email(email) == account_email(text)
    assert checked_name(name_from(email)) == name_from(email)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" Ann ", "Ann"),
        ("Ann  B. O'C\u00e9line", "Ann  B. O'C\u00e9line"),
        ("Ce\u0301line", "C\u00e9line"),
        ("\u5c71\u7530", "\u5c71\u7530"),
        ("x" * LONGEST_NAME, "x" * LONGEST_NAME),
        ("e\u0301" * LONGEST_NAME, "\u00e9" * LONGEST_NAME),
    ],
)
def test_a_name_is_shown_as_it_was_typed(text: str, name: str) -> None:
    assert checked_name(text) == name


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\u00a0", "x" * (LONGEST_NAME + 1), "Ann\nBob", "Ann\tBob", "\u202enna", "A\x00", "A\ud800", "A\u200b"],
)
def test_what_cannot_be_seen_in_a_line_is_no_name(text: str) -> None:
    with pytest.raises(BadInput, match="1 to 60 characters"):
        checked_name(text)


def test_whoever_says_no_name_is_called_by_their_address() -> None:
    assert name_from("ann@example.com") == "ann"
    assert len(name_from(f"{'a' * 64}@example.com")) == LONGEST_NAME

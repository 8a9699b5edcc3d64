"""Cursors: valid for their list and caller only, unaltered, and unreadable."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.api.http.cursors import MAX_LENGTH, PURPOSE, seal_cursor, unseal_cursor
from sparks.model.errors import BadCursor
from sparks.model.keyring import Keyring
from sparks.table.port import Key
from tests.factories import ANN, BOB

RING = Keyring("old", {"old": b"o" * 32})
ROTATED = Keyring("new", {"old": b"o" * 32, "new": b"n" * 32})
AFTER_ROTATION = Keyring("new", {"new": b"n" * 32})
POSITION = Key("0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a", f"UPLOADED_BY#{BOB}")
QUERY = "photos tag=sea limit=100"

key_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def sealed(position: Key = POSITION, *, query: str = QUERY, who: str = ANN, keyring: Keyring = RING) -> str:
    cursor = seal_cursor(position, query=query, who=who, keyring=keyring)
    assert cursor is not None
    return cursor


def refuse(cursor: str, *, query: str = QUERY, who: str = ANN, keyring: Keyring = RING) -> None:
    with pytest.raises(BadCursor, match="start again without a cursor"):
        unseal_cursor(cursor, query=query, who=who, keyring=keyring)


@given(st.builds(Key, key_texts, key_texts), key_texts, key_texts)
def test_a_cursor_holds_its_position(position: Key, query: str, who: str) -> None:
    cursor = seal_cursor(position, query=query, who=who, keyring=RING)
    assert unseal_cursor(cursor, query=query, who=who, keyring=RING) == position


def test_at_the_end_of_a_list_there_is_no_cursor() -> None:
    assert seal_cursor(None, query=QUERY, who=ANN, keyring=RING) is None


def test_without_a_cursor_a_list_begins_at_its_beginning() -> None:
    assert unseal_cursor(None, query=QUERY, who=ANN, keyring=RING) is None


def test_a_cursor_is_readable_by_later_versions() -> None:
    """A fixed value: a client may continue its list after an upgrade of Sparks."""
    cursor = (
        "old.4ah7Tz9h-TIHLQNUKuti5Z1V3qAoUBh6QKszGIG763pZkeWbtV"
        "T3kUCh-tiySX0Hw8wPYES77qGaxnMjOG3sCOT3pBcDseTeTayBTTd0q88G"
    )
    assert sealed() == cursor
    assert unseal_cursor(cursor, query=QUERY, who=ANN, keyring=RING) == POSITION


def test_a_cursor_needs_no_escaping_in_a_url() -> None:
    assert set(sealed().replace(".", "")) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_cursor_does_not_reveal_its_position() -> None:
    inside = urlsafe_b64decode(sealed().partition(".")[2] + "==")
    for result in (*POSITION, BOB, ANN, QUERY):
        assert result.encode() not in inside
    one, other = (urlsafe_b64decode(sealed(Key(POSITION.pk, sk)).partition(".")[2] + "==") for sk in "ab")
    assert sum(mine == theirs for mine, theirs in zip(one, other, strict=True)) < len(one) // 4


def test_every_bit_of_a_cursor_counts() -> None:
    cursor = sealed()
    for position in range(len(cursor)):
        for bit in range(8):
            refuse(cursor[:position] + chr(ord(cursor[position]) ^ 1 << bit) + cursor[position + 1 :])


@pytest.mark.parametrize("length", range(33, 37))
def test_a_cursor_has_one_form_only(length: int) -> None:
    """Not all bits of the last letter count: another letter in its place could mean the same bytes."""
    cursor = sealed(Key("p", "k" * length))
    for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        if last != cursor[-1]:
            refuse(cursor[:-1] + last)
    for other in (f"{cursor}=", f"{cursor}==", f" {cursor}", f"{cursor}\n", cursor.replace("-", "+"), f"{cursor}A"):
        if other != cursor:
            refuse(other)


def test_every_cut_of_a_cursor_is_refused() -> None:
    cursor = sealed()
    for length in range(len(cursor)):
        refuse(cursor[:length])
        refuse(cursor[length + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "old", "old.", ".AAAA", "old.old.AAAA", "gone.AAAA", "old.A", "old.AAAA"),
        *("old.é", "٣.AAAA", "old.\udcff", "old.\0"),
    ],
)
def test_a_text_that_is_no_cursor_is_refused(text: str) -> None:
    refuse(text)


def test_a_text_longer_than_any_cursor_is_refused_unread() -> None:
    refuse(sealed(Key("p" * MAX_LENGTH, "k")))
    for beginning in ("", "old.", sealed()):
        refuse(beginning + "A" * 1_000_000)


@given(st.text() | st.text("ABab01-_.", max_size=80).map("old.{}".format))
def test_any_other_text_is_refused(text: str) -> None:
    refuse(text)


@given(st.binary(max_size=100))
def test_forged_bytes_are_refused(made: bytes) -> None:
    refuse(f"old.{urlsafe_b64encode(made).rstrip(b'=').decode()}")


def test_a_cursor_of_another_query_is_refused() -> None:
    for other in ("photos tag=sea limit=10", "photos tag=sea", "", f"{QUERY} ", f"{QUERY}{ANN}"):
        refuse(sealed(), query=other)


def test_a_cursor_of_another_caller_is_refused() -> None:
    for other in (BOB, "", f"{ANN}x", ANN[1:]):
        refuse(sealed(), who=other)


def test_the_query_and_the_caller_are_bound_separately() -> None:
    refuse(sealed(query="ab", who="c"), query="a", who="bc")
    refuse(sealed(query="ab", who=""), query="a", who="b")
    refuse(sealed(query="a", who="b"), query="b", who="a")


def test_after_a_rotation_old_cursors_stay_valid_and_new_ones_use_the_new_secret() -> None:
    assert unseal_cursor(sealed(), query=QUERY, who=ANN, keyring=ROTATED) == POSITION
    assert sealed(keyring=ROTATED).startswith("new.")


def test_a_cursor_is_refused_once_its_secret_is_gone() -> None:
    refuse(sealed(), keyring=AFTER_ROTATION)


def test_a_cursor_of_one_secret_does_not_pass_as_that_of_another() -> None:
    refuse(sealed().replace("old.", "new."), keyring=ROTATED)


def test_the_longest_position_has_a_cursor() -> None:
    longest = Key("p" * 1024, "é" * 512)
    ring = Keyring("x" * 32, {"x" * 32: b"x" * 32})
    cursor = sealed(longest, keyring=ring)
    assert len(cursor) <= MAX_LENGTH
    assert unseal_cursor(cursor, query=QUERY, who=ANN, keyring=ring) == longest


def test_a_signature_for_another_purpose_is_no_cursor() -> None:
    key_id, signature = RING.sign(PURPOSE, b"anything")
    refuse(f"{key_id}.{signature}")

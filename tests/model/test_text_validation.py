"""Texts of a photo: kept and refused ones, also from files."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.model.errors import BadInput
from sparks.model.text_validation import (
    checked_alt_text,
    checked_description,
    checked_tags,
    checked_title,
    tag_key,
    usable_tags,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # joined by characters that cannot be seen, and one picture
UNSEEN = ["\0", "\x1b", "\x7f", "\x85", "\u202e", "\u2066", "\ufeff", "\ud83d"]

texts = st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Sea", "Sea"),
        ("  two\n\twords ", "two words"),
        ("e\u0301te\u0301", "été"),
        (f"us {FAMILY}", f"us {FAMILY}"),
        ("שלום", "שלום"),
        ("", None),
        (" \n ", None),
        (None, None),
    ],
)
def test_a_title_is_one_line_or_nothing(text: str | None, title: str | None) -> None:
    assert checked_title(text) == title
    assert checked_alt_text(text) == title


def test_a_description_keeps_its_lines() -> None:
    assert checked_description(" one\r\ntwo\rthree\u2028\n ") == "one\ntwo\nthree"
    assert checked_description(" \r\n") is None
    assert checked_description(None) is None


@pytest.mark.parametrize(
    ("check", "most"), [(checked_title, 255), (checked_alt_text, 255), (checked_description, 5000)]
)
def test_a_text_that_is_too_long_is_refused_with_both_lengths(check: type[str], most: int) -> None:
    assert check(" " + "e\u0301" * most + " ") == "é" * most
    with pytest.raises(BadInput, match=f"at most {most:,} characters, not {most + 1:,}"):
        check("x" * (most + 1))


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
def test_invisible_characters_are_refused(unseen: str) -> None:
    for check in (checked_title, checked_alt_text, checked_description, lambda text: checked_tags([text])):
        with pytest.raises(BadInput, match="cannot be seen"):
            check(f"a{unseen}b")


def test_tags_keep_case_and_order_and_are_unique_ignoring_case() -> None:
    tags = ["Sea", " new\n York", "sea", "", "  ", "e\u0301te\u0301", "ÉTÉ", "NEW YORK"]
    assert checked_tags(tags) == ("Sea", "new York", "été")


def test_a_photo_has_at_most_twenty_tags_of_fifty_characters() -> None:
    assert len(checked_tags([f"{number}" for number in range(20)] * 2)) == 20
    assert checked_tags(["x" * 50]) == ("x" * 50,)
    with pytest.raises(BadInput, match="at most 20 tags, not 21"):
        checked_tags([f"{number}" for number in range(21)])
    with pytest.raises(BadInput, match="a tag has at most 50 characters, not 51"):
        checked_tags(["x" * 51])


def test_keywords_of_a_file_are_never_refused() -> None:
    keywords = ["Sea", "x" * 51, *UNSEEN, "a\x00b", *(f"{number}" for number in range(30))]
    assert usable_tags(keywords) == ("Sea", "ab", *(f"{number}" for number in range(18)))


@given(st.lists(texts, max_size=30))
def test_usable_tags_are_valid_tags(keywords: list[str]) -> None:
    tags = usable_tags(keywords)
    assert checked_tags(tags) == tags


@given(texts)
def test_the_list_of_a_tag_is_the_same_however_it_is_written(text: str) -> None:
    key = tag_key(text)
    assert key == tag_key(unicodedata.normalize("NFD", f" {text}\t"))
    if key is not None:
        assert key == tag_key(key)
        assert key == unicodedata.normalize("NFC", key)


@pytest.mark.parametrize("tag", ["", " ", "a\0", "\ud83d", "x" * 1001, "ü" * 501])
def test_an_imported_tag_that_no_key_can_hold_has_no_list(tag: str) -> None:
    assert tag_key(tag) is None

"""JSON that is refused before it is parsed."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparks.api.http.middleware.request_limits import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, check_json
from sparks.model.errors import BadInput


def depth(value: Any) -> int:
    match value:
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case list():
            return 1 + max(map(depth, value), default=0)
        case _:
            return 0


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")) | st.text('[]{}",:\\/NIe\n')
numbers = st.integers(-(10**60), 10**60) | st.floats(-1e99, 1e99)
values = st.recursive(
    st.none() | st.booleans() | numbers | storable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(storable, inner, max_size=4),
    max_leaves=12,
)
wraps = st.lists(st.booleans(), max_size=MAX_DEPTH + 8)


@given(values, wraps, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_json_is_refused_exactly_if_it_is_too_deep(
    value: Any, around: list[bool], ascii_only: bool, indent: int | str | None
) -> None:
    for as_list in around:
        value = [value] if as_list else {"a]": value}
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    if depth(json.loads(text)) <= MAX_DEPTH:
        check_json(text)
    else:
        with pytest.raises(BadInput, match="deeper"):
            check_json(text)


def is_sane(value: Any) -> bool:
    match value:
        case dict():
            return all(is_sane(each) for pair in value.items() for each in pair)
        case list():
            return all(map(is_sane, value))
        case str():
            return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
        case float():
            return math.isfinite(value)
        case _:
            return True


pieces = st.sampled_from(
    [
        "[",
        "]",
        "{",
        "}",
        '"',
        ",",
        ":",
        "\\",
        "\\\\",
        '\\"',
        "\\u0000",
        "u0000",
        "\\ud83d",
        "\\uDE00",
        "ud83d",
        "\ud800",
        "NaN",
        "Infinity",
        "-",
        "1e99",
        "1E+100",
        "1e0400",
        "0.1",
        "9" * 60,
        "true",
        "null",
        " ",
        "\0",
        "a",
        "é",
        "\ufeff",
    ]
)


@given(st.lists(pieces).map("".join))
@example('"\\\\ud83d\\ude00"')
@example('"\\ud83d\\\\\\ude00"')
@example('"\\ud83d\\ud83d\\ude00"')
@example('["\\\\"]')
def test_a_text_that_passes_is_no_json_or_harmless(text: str) -> None:
    body = text.encode(errors="surrogatepass")
    try:
        check_json(body)
        value = json.loads(body)
    except (BadInput, json.JSONDecodeError):
        return
    assert is_sane(value)
    assert depth(value) <= MAX_DEPTH


@given(st.binary())
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
def test_only_utf_8_is_accepted(encoding: str, tail: bytes) -> None:
    with pytest.raises(BadInput):
        check_json('["a"]'.encode(encoding) + tail)


@pytest.mark.parametrize(
    "text",
    [
        r'"\\u0000"',
        r'"\\ud800"',
        r'"\ud83d\ude00"',
        r'"\uD83D\uDE00"',
        '"\U0001f600"',
        '"NaN"',
        '{"Infinity": "1e999"}',
        '["' + "[" * 100 + '"]',
        f'"{"9" * 1000}"',
        "9" * MAX_DIGITS,
        "[1e99, 1e-400, 1.5E+05]",
        '"\\"[[["',
        "\ufeff[]",
    ],
)
def test_a_text_that_only_looks_dangerous_passes(text: str) -> None:
    check_json(text.encode())


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (nested(1000), "deeper"),
        (b"[" * 100_000, "deeper"),
        (b'{"a":' * 1000 + b"1" + b"}" * 1000, "deeper"),
        (b"NaN", "number"),
        (b"[-Infinity]", "number"),
        (b'{"a": 1e999}', "number"),
        (b"1E+400", "number"),
        (b"9" * 100_000, "number"),
        (b'{"a": ' + b"1" * (MAX_DIGITS + 1) + b"}", "number"),
        (rb'"\u0000"', "NUL"),
        (rb'"\\\u0000"', "NUL"),
        (b'"\0"', "NUL"),
        (rb'"\ud800"', "surrogate"),
        (rb'"\udc00\ud800"', "surrogate"),
        (rb'{"\uDFFF": 1}', "surrogate"),
        (rb'"\\ud83d\ude00"', "surrogate"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"[" + b"[]," * (MAX_VALUES // 2) + b"0]", "too many values"),
        (b'"' * (MAX_VALUES + 1), "too many values"),
    ],
)
def test_harmful_json_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        check_json(body)

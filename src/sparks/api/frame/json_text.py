"""JSON that a client sent: refused before it is parsed where parsing it, or keeping what it says, would do harm.

[Note: why bytes] Python's parser takes what JSON does not have (NaN, UTF-16, halves of surrogate pairs, numbers that
become infinite), and gives up on deep nesting with an error of its own. A look at the bytes is faster than a look at
all the values, and what is wrong in other ways is left to the parser.
"""

import re
from array import array
from itertools import accumulate
from typing import Final

from sparks.model.errors import BadInput

DEEPEST: Final = 32
MOST_MARKS: Final = 200_000
MOST_DIGITS: Final = 64

_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_SHAPES: Final = bytes.maketrans(b"123456789E", b"000000000e")
_NO_NUMBERS: Final = (b"N", b"I", b"e000", b"0" * (MOST_DIGITS + 1))  # NaN, Infinity, 1e100, many digits
_PAIR: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def check_json(body: bytes) -> None:
    """BadInput for a text that is too much to take in, cannot be stored, or holds numbers that no client means."""
    _check_characters(body)
    if b"\\" in body:
        body = body.replace(b"\\\\", b"__")  # of the backslashes that are left, each begins an escape
        _check_escapes(body)
        body = body.replace(b'\\"', b"__")
    if sum(map(body.count, (b'"', b",", b"[", b"{"))) > MOST_MARKS:
        raise BadInput("the JSON holds too many values: send them in several requests")
    bare = b'""'.join(body.split(b'"')[::2])
    if depth_of(bare) > DEEPEST:
        raise BadInput(f"the JSON is nested deeper than {DEEPEST} levels")
    shapes = bare.translate(_SHAPES, b"+")
    if any(shape in shapes for shape in _NO_NUMBERS):
        raise BadInput(
            f"the JSON holds a number that Sparks does not take: NaN, 1e100 or more than {MOST_DIGITS} digits"
        )


def depth_of(bare: bytes) -> int:
    """How deep a JSON text is nested, its strings left out. Where brackets do not match, no parser gets deeper."""
    return max(accumulate(array("b", bare.translate(_STEPS, _NO_BRACKETS))), default=0)


def _check_characters(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"the JSON is not UTF-8 at byte {error.start}") from error
    if b"\0" in body:
        raise BadInput("the JSON holds a NUL character: leave it out")


def _check_escapes(body: bytes) -> None:
    if b"\\u0000" in body:
        raise BadInput("the JSON holds a NUL character: leave it out")
    if _HALF.search(body) and _HALF.search(_PAIR.sub(b"__", body)):
        raise BadInput("the JSON holds half of a surrogate pair, which is no character: leave it out")

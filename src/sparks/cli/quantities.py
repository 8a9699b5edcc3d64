"""Numbers of photos, bytes and times: parse and print."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import click

from sparks.settings.field_types import parse_bytes

MAX_PHOTOS: Final = 10**9
MAX_BYTES: Final = 10**15
UNITS: Final = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))

Callback = Callable[[click.Context, click.Parameter, Any], Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A new value, as `100`, or a change, as `+100` and `-100`."""

    number: int
    is_change: bool = False


def parse_quantity(read: Callable[[str], int]) -> Callback:
    """A click callback that parses a Quantity; `read` parses its number."""

    def convert(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Quantity | None:
        if text is None:
            return None
        if text[:1] in {"+", "-"}:
            number = read(text[1:])
            return Quantity(-number if text[0] == "-" else number, is_change=True)
        return Quantity(read(text))

    return convert


def parse_number(read: Callable[[str], int]) -> Callback:
    """A click callback that parses an optional number with `read`."""

    def convert(_context: click.Context, _parameter: click.Parameter, text: str | None) -> int | None:
        return None if text is None else read(text)

    return convert


def parse_photos(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= MAX_PHOTOS):
        raise click.BadParameter(f"{text!r} is not a number of photos from 0 to {MAX_PHOTOS}")
    return int(text)


def parse_size(text: str) -> int:
    number = parse_bytes(text)
    if not isinstance(number, int) or number > MAX_BYTES:
        raise click.BadParameter(f"{text!r} is not a number of bytes up to 1000 TB, such as 500 MB or 50 GB")
    return number


def format_photos(number: int) -> str:
    return f"{number:,} photo{'' if number == 1 else 's'}"


def format_size(number: int) -> str:
    """With one decimal, in the largest unit that fits."""
    for unit, bytes_per_unit in UNITS:
        if number >= bytes_per_unit:
            return f"{number / bytes_per_unit:.1f}".removesuffix(".0") + f" {unit}"
    return f"{number} byte{'' if number == 1 else 's'}"


def format_time(iso: str | None, *, otherwise: str) -> str:
    """To the minute."""
    return otherwise if iso is None else f"{iso[:10]} {iso[11:16]} UTC"

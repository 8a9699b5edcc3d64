"""Numbers of photos, bytes and times, as people write and read them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import click

from sparks.settings.kinds import in_bytes

MOST_PHOTOS: Final = 10**9
MOST_BYTES: Final = 10**15
UNITS: Final = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))

Callback = Callable[[click.Context, click.Parameter, Any], Any]


@dataclass(frozen=True, slots=True)
class Amount:
    """`100` is how many there are to be. `+100` and `-100` are a change: so many more, or less."""

    number: int
    is_change: bool = False


def amount_of(read: Callable[[str], int]) -> Callback:
    """A callback for click: the Amount that the text says, in what `read` reads."""

    def convert(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Amount | None:
        if text is None:
            return None
        if text[:1] in {"+", "-"}:
            number = read(text[1:])
            return Amount(-number if text[0] == "-" else number, is_change=True)
        return Amount(read(text))

    return convert


def number_of(read: Callable[[str], int]) -> Callback:
    """A callback for click: the number that the text says, in what `read` reads."""

    def convert(_context: click.Context, _parameter: click.Parameter, text: str | None) -> int | None:
        return None if text is None else read(text)

    return convert


def photos(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= MOST_PHOTOS):
        raise click.BadParameter(f"{text!r} is not a number of photos from 0 to {MOST_PHOTOS}")
    return int(text)


def size(text: str) -> int:
    number = in_bytes(text)
    if not isinstance(number, int) or number > MOST_BYTES:
        raise click.BadParameter(f"{text!r} is not a number of bytes up to 1000 TB, as 500 MB or 50 GB")
    return number


def shown_photos(number: int) -> str:
    return f"{number:,} photo{'' if number == 1 else 's'}"


def shown_size(number: int) -> str:
    """To one decimal, in the unit that makes it short."""
    for unit, worth in UNITS:
        if number >= worth:
            return f"{number / worth:.1f}".removesuffix(".0") + f" {unit}"
    return f"{number} byte{'' if number == 1 else 's'}"


def shown_time(iso: str | None, *, otherwise: str) -> str:
    """To the minute."""
    return otherwise if iso is None else f"{iso[:10]} {iso[11:16]} UTC"

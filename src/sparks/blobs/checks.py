"""What the port's arguments may be, checked alike by every adapter; what they may not be is a BadInput."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from sparks.blobs.port import LONGEST_SIGNED, MOST_LISTED, MOST_PARTS, SMALLEST_PART, Part
from sparks.model.errors import BadInput, Damaged

_WORD: Final = r"[A-Za-z0-9!#$&^_.+-]+"
_PARAMETER: Final = rf'; ?{_WORD}=({_WORD}|"[ !#-\[\]-~]*")'
_CONTENT_TYPE: Final = re.compile(rf"(?=.{{1,100}}\Z){_WORD}/{_WORD}({_PARAMETER})*", re.ASCII)
_PRINTABLE: Final = re.compile(r"[!-~]([ -~]{0,998}[!-~])?", re.ASCII)
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)


def checked_content_type(content_type: str) -> str:
    if _CONTENT_TYPE.fullmatch(content_type) is None:
        raise BadInput(f"not a content type like image/jpeg: {content_type[:80]!r}")
    return content_type


def checked_sha256(sha256: str | None) -> str | None:
    """In lower case."""
    if sha256 is not None and _SHA256.fullmatch(sha256) is None:
        raise BadInput(f"not a sha256 of 64 hex digits: {sha256[:80]!r}")
    return sha256.lower() if sha256 is not None else None


def check_arrived(
    *, size: int, announced_size: int | None, sha256: str | None = None, announced_sha256: str | None = None
) -> None:
    """Damaged, unless what came is what was announced."""
    if announced_size not in (None, size):
        raise Damaged(f"{size} bytes came, and {announced_size} were announced")
    if announced_sha256 not in (None, sha256):
        raise Damaged("the bytes that came have another sha256 than the one announced")


def no_more_than(size: int | None, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks; Damaged as soon as they are more than announced, lest what never ends fills the disk."""
    seen = 0
    for chunk in chunks:
        seen += len(chunk)
        if size is not None and seen > size:
            raise Damaged(f"more bytes came than the {size} that were announced")
        yield chunk


def checked_size(size: int) -> int:
    if size < 0:
        raise BadInput(f"no blob is {size} bytes long")
    return size


def checked_range(start: int, end: int | None) -> None:
    if start < 0 or (end is not None and end < start):
        raise BadInput(f"no bytes lie between {start} and {end}")


def cut_range(start: int, end: int | None, size: int) -> tuple[int, int]:
    """The range as far as there are bytes."""
    checked_range(start, end)
    if start >= size and start > 0:
        raise BadInput(f"byte {start} is past the end: there are {size}")
    return start, size if end is None else min(end, size)


def checked_limit(limit: int) -> int:
    if not 1 <= limit <= MOST_LISTED:
        raise BadInput(f"a page has 1 to {MOST_LISTED} blobs, not {limit}")
    return limit


def checked_expiry(expires_in: int) -> int:
    if not 1 <= expires_in <= LONGEST_SIGNED:
        raise BadInput(f"a signed address lives for 1 to {LONGEST_SIGNED} seconds, not {expires_in}")
    return expires_in


def checked_disposition(disposition: str) -> str:
    if _PRINTABLE.fullmatch(disposition) is None:
        raise BadInput(f"not a content disposition of printable ASCII: {disposition[:80]!r}")
    return disposition


def checked_part_number(number: int) -> int:
    if not 1 <= number <= MOST_PARTS:
        raise BadInput(f"a part has a number from 1 to {MOST_PARTS}, not {number}")
    return number


def checked_order(parts: Sequence[Part]) -> Sequence[Part]:
    """Parts in ascending order, at least one."""
    numbers = [checked_part_number(part.number) for part in parts]
    if not numbers or any(number >= following for number, following in pairwise(numbers)):
        raise BadInput("an upload is completed from at least one part, in ascending order of their numbers")
    return parts


def check_sizes(parts: Sequence[Part]) -> None:
    """Their sizes as they are stored: only the last may be small."""
    for part in parts[:-1]:
        if part.size < SMALLEST_PART:
            raise BadInput(f"part {part.number} is not the last and smaller than {SMALLEST_PART} bytes")


def plain_etag(etag: str) -> str:
    """Without the quotes that it has in an HTTP header."""
    return etag.removeprefix('"').removesuffix('"')

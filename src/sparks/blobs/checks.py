"""Argument checks shared by the blob adapters."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from sparks.blobs.port import MAX_PAGE_SIZE, MAX_PARTS, MAX_URL_SECONDS, MIN_PART_SIZE, UploadPart
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
    """The hash in lower case."""
    if sha256 is not None and _SHA256.fullmatch(sha256) is None:
        raise BadInput(f"not a sha256 of 64 hex digits: {sha256[:80]!r}")
    return sha256.lower() if sha256 is not None else None


def check_arrived(
    *, size: int, announced_size: int | None, sha256: str | None = None, announced_sha256: str | None = None
) -> None:
    """Raises Damaged where the received bytes are not the announced ones."""
    if announced_size not in (None, size):
        raise Damaged(f"{size} bytes arrived, but {announced_size} were announced")
    if announced_sha256 not in (None, sha256):
        raise Damaged("the bytes that arrived have another sha256 than announced")


def no_more_than(size: int | None, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks; Damaged as soon as they exceed `size`, so that an endless source does not fill the disk."""
    seen = 0
    for chunk in chunks:
        seen += len(chunk)
        if size is not None and seen > size:
            raise Damaged(f"more bytes arrived than the {size} that were announced")
        yield chunk


def checked_size(size: int) -> int:
    if size < 0:
        raise BadInput(f"a blob cannot have {size} bytes")
    return size


def checked_range(start: int, end: int | None) -> None:
    if start < 0 or (end is not None and end < start):
        raise BadInput(f"not a range of bytes: {start} to {end}")


def cut_range(start: int, end: int | None, size: int) -> tuple[int, int]:
    """The range, cut to the bytes of the blob."""
    checked_range(start, end)
    if start >= size and start > 0:
        raise BadInput(f"byte {start} is past the end: the blob has {size} bytes")
    return start, size if end is None else min(end, size)


def checked_limit(limit: int) -> int:
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise BadInput(f"a page has 1 to {MAX_PAGE_SIZE} blobs, not {limit}")
    return limit


def checked_expiry(expires_in: int) -> int:
    if not 1 <= expires_in <= MAX_URL_SECONDS:
        raise BadInput(f"a signed URL is valid for 1 to {MAX_URL_SECONDS} seconds, not {expires_in}")
    return expires_in


def checked_disposition(disposition: str) -> str:
    if _PRINTABLE.fullmatch(disposition) is None:
        raise BadInput(f"not a content disposition of printable ASCII: {disposition[:80]!r}")
    return disposition


def checked_part_number(number: int) -> int:
    if not 1 <= number <= MAX_PARTS:
        raise BadInput(f"a part has a number from 1 to {MAX_PARTS}, not {number}")
    return number


def checked_order(parts: Sequence[UploadPart]) -> Sequence[UploadPart]:
    """The parts: at least one, in ascending order."""
    numbers = [checked_part_number(part.number) for part in parts]
    if not numbers or any(number >= following for number, following in pairwise(numbers)):
        raise BadInput("an upload is completed with at least one part, in ascending order of the part numbers")
    return parts


def check_sizes(parts: Sequence[UploadPart]) -> None:
    """Raises BadInput where a stored part other than the last is too small."""
    for part in parts[:-1]:
        if part.size < MIN_PART_SIZE:
            raise BadInput(f"part {part.number} is smaller than {MIN_PART_SIZE} bytes and not the last")


def plain_etag(etag: str) -> str:
    """The etag without the quotes of an HTTP header."""
    return etag.removeprefix('"').removesuffix('"')

"""Parsers of Range, If-None-Match and Accept-Encoding."""

import re
from typing import Final

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
_REFUSED: Final = re.compile(r";\s*q=0(\.0*)?\s*$")


def parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    """The first byte and the end of the range; an empty range where there are no such bytes.

    None means all bytes: there is no header, it cannot be read, or it has several ranges.
    """
    match = _RANGE.fullmatch(header) if header is not None else None
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        return max(0, size - int(match[2])), size
    first = int(match[1])
    last = int(match[2]) if match[2] else size
    if last < first:
        return None if match[2] else (size, size)
    return min(first, size), min(last + 1, size)


def etag_matches(header: str | None, etag: str) -> bool:
    """Whether If-None-Match has the ETag, which includes its quotes."""
    if header is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in tags or tags == ["*"]


def accepted_encodings(header: str) -> set[str]:
    """The encodings of an Accept-Encoding header, without those that it refuses."""
    entries = (entry for entry in header.lower().split(",") if not _REFUSED.search(entry))
    return {entry.partition(";")[0].strip() for entry in entries}

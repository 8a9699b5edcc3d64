"""What the Range and If-None-Match headers of a request ask for."""

import re
from typing import Final

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


def asked_range(header: str | None, size: int) -> tuple[int, int] | None:
    """From which byte up to, not including, which: an empty range where there are no such bytes.

    None stands for the whole: no header, one that cannot be read, or one that asks for several ranges.
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


def is_known(header: str | None, etag: str) -> bool:
    """Whether If-None-Match names the etag, which has its quotes."""
    if header is None:
        return False
    known = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in known or known == ["*"]

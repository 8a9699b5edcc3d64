"""How an answer may travel: the encodings that a browser says it can read."""

import re
from typing import Final

_REFUSED: Final = re.compile(r";\s*q=0(\.0*)?\s*$")


def accepted_encodings(header: str) -> set[str]:
    """Those of an Accept-Encoding header that are not refused in it."""
    words = (word for word in header.lower().split(",") if not _REFUSED.search(word))
    return {word.partition(";")[0].strip() for word in words}

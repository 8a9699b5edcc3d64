"""Texts from files: any encoding, any length and any control character come in; short plain text goes out."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MOST_NAME: Final = 100  # characters of a camera, a lens, a keyword
MOST_TITLE: Final = 255
MOST_DESCRIPTION: Final = 5000
MOST_KEYWORDS: Final = 100

_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_SPACES: Final = re.compile(r"\s+")


def decode(raw: bytes) -> str:
    """UTF-8 where it is that, else what old Windows programs wrote. A text ends at its first NUL."""
    text = raw.partition(b"\x00")[0]
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace").replace("\ufffd", "")


def name(text: str | bytes | None, most: int = MOST_NAME) -> str | None:
    """On one line, or None where nothing is left."""
    cleaned = _SPACES.sub(" ", _plain(text, most)).strip()[:most].strip()
    return cleaned or None


def passage(text: str | bytes | None, most: int = MOST_DESCRIPTION) -> str | None:
    """With its line breaks, or None where nothing is left."""
    lines = _plain(text, most).replace("\r\n", "\n").replace("\r", "\n").strip()
    return lines[:most].strip() or None


def names(texts: Iterable[str | bytes]) -> tuple[str, ...]:
    """Each once, whatever its case, in their order. Half a keyword is none: those that are too long are left out."""
    unique: dict[str, str] = {}
    for text in texts:
        cleaned = name(text, MOST_TITLE)
        if cleaned is not None and len(cleaned) <= MOST_NAME:
            unique.setdefault(cleaned.casefold(), cleaned)
        if len(unique) == MOST_KEYWORDS:
            break
    return tuple(unique.values())


def _plain(text: str | bytes | None, most: int) -> str:
    """Composed (NFC) and without control characters, among them those that turn the direction of reading."""
    if not text:
        return ""
    known = decode(text[: 8 * most]) if isinstance(text, bytes) else text[: 2 * most]
    return unicodedata.normalize("NFC", _CONTROLS.sub("", known))

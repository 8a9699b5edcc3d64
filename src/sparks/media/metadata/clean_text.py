"""Cleans text from files: any encoding in, short plain text out."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from sparks.model.text_validation import MAX_DESCRIPTION, MAX_TITLE

MAX_NAME: Final = 100  # characters of a camera, a lens, a keyword
MAX_KEYWORDS: Final = 100

_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_SPACES: Final = re.compile(r"\s+")


def decode(raw: bytes) -> str:
    """Decodes valid UTF-8, and else cp1252, as old Windows programs write it. A text ends at its first NUL."""
    text = raw.partition(b"\x00")[0]
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace").replace("\ufffd", "")


def clean_line(text: str | bytes | None, max_length: int = MAX_NAME) -> str | None:
    """The text on one line, cut at `max_length` characters; None where nothing is left."""
    cleaned = _SPACES.sub(" ", _plain(text, max_length)).strip()[:max_length].strip()
    return cleaned or None


def clean_title(text: str | bytes | None) -> str | None:
    return clean_line(text, MAX_TITLE)


def clean_paragraph(text: str | bytes | None) -> str | None:
    """The text with its line breaks, cut at the length of a description; None where nothing is left."""
    lines = _plain(text, MAX_DESCRIPTION).replace("\r\n", "\n").replace("\r", "\n").strip()
    return lines[:MAX_DESCRIPTION].strip() or None


def clean_keywords(texts: Iterable[str | bytes]) -> tuple[str, ...]:
    """Each keyword once, ignoring case, in their order. Keywords that are too long are left out, not cut."""
    unique: dict[str, str] = {}
    for text in texts:
        cleaned = clean_title(text)
        if cleaned is not None and len(cleaned) <= MAX_NAME:
            unique.setdefault(cleaned.casefold(), cleaned)
        if len(unique) == MAX_KEYWORDS:
            break
    return tuple(unique.values())


def _plain(text: str | bytes | None, max_length: int) -> str:
    """The text in NFC, without control characters and marks of the reading direction."""
    if not text:
        return ""
    decoded = decode(text[: 8 * max_length]) if isinstance(text, bytes) else text[: 2 * max_length]
    return unicodedata.normalize("NFC", _CONTROLS.sub("", decoded))

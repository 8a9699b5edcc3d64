"""The words that people give a photo: composed (NFC), trimmed, no longer than told, and without what cannot be seen.

[Note: tags] A photo keeps its tags as they were written, each once whatever its case. The lists of tags go by
`tag_key`, in lower case: `Sea` and `sea` are one list.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from sparks.model.errors import BadInput

MOST_TITLE: Final = 255  # characters
MOST_DESCRIPTION: Final = 5000
MOST_ALT_TEXT: Final = 255
MOST_NAME: Final = 100
MOST_TAGS: Final = 20
MOST_TAG: Final = 50
MOST_KEY_BYTES: Final = 1000  # of a tag that came from elsewhere: what a key can hold

# Control characters but for tab and line ends, halves of characters, and those that turn the direction of reading.
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff]")
_LINE_ENDS: Final = re.compile(r"\r\n|[\r\u2028\u2029]")
_SPACES: Final = re.compile(r"\s+")
_ID: Final = re.compile(r"person[0-9]+", re.IGNORECASE)


def checked_title(text: str | None) -> str | None:
    """On one line; None where nothing is left. BadInput where it is too long or holds what nobody can see."""
    return _line(text, "a title", MOST_TITLE)


def checked_alt_text(text: str | None) -> str | None:
    """As a title."""
    return _line(text, "an alternative text", MOST_ALT_TEXT)


def checked_name(text: str | None) -> str | None:
    """Of a person: as a title, and not like the id that somebody without a name is called by."""
    name = _line(text, "a name", MOST_NAME)
    if name is not None and _ID.fullmatch(name) is not None:
        raise BadInput(f"{name} is what somebody without a name is called: choose another one")
    return name


def checked_description(text: str | None) -> str | None:
    """As a title, but with its line breaks."""
    return checked_words(text, "a description", MOST_DESCRIPTION)


def checked_words(text: str | None, what: str, most: int) -> str | None:
    """The same for whatever it is called, and however many characters it may have."""
    lines = _LINE_ENDS.sub("\n", _seen(text or "", what)).strip()
    return _short(lines, what, most) or None


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """In their order, each once whatever its case, and none that is empty; BadInput as for a title."""
    unique = _unique(_line(tag, "a tag", MOST_TAG) for tag in tags)
    if len(unique) > MOST_TAGS:
        raise BadInput(f"a photo has at most {MOST_TAGS} tags, not {len(unique):,}")
    return unique


def usable_tags(keywords: Iterable[str]) -> tuple[str, ...]:
    """Those of a file's keywords that can be tags, as many as a photo may have: nobody is there to hear why not."""
    cleaned = (_one_line(_UNSEEN.sub("", keyword)) for keyword in keywords)
    return _unique(tag for tag in cleaned if len(tag) <= MOST_TAG)[:MOST_TAGS]


def tag_key(tag: str) -> str | None:
    """What the lists of tags call it; None where no list can hold it."""
    key = unicodedata.normalize("NFC", _one_line(tag).lower())
    if not key or _UNSEEN.search(key) is not None or len(key.encode()) > MOST_KEY_BYTES:
        return None
    return key


def _line(text: str | None, what: str, most: int) -> str | None:
    return _short(_one_line(_seen(text or "", what)), what, most) or None


def _seen(text: str, what: str) -> str:
    if _UNSEEN.search(text) is not None:
        raise BadInput(f"{what} holds characters that cannot be seen: take them out")
    return unicodedata.normalize("NFC", text)


def _short(text: str, what: str, most: int) -> str:
    if len(text) > most:
        raise BadInput(f"{what} has at most {most:,} characters, not {len(text):,}")
    return text


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


def _unique(tags: Iterable[str | None]) -> tuple[str, ...]:
    by_key: dict[str, str] = {}
    for tag in tags:
        if tag and (key := tag_key(tag)) is not None:
            by_key.setdefault(key, tag)
    return tuple(by_key.values())

"""Validation of titles, descriptions, names and tags: NFC, trimmed, bounded, printable.

A photo keeps its tags as they were written, each once whatever its case. The lists of tags go by `tag_key`, in lower
case: `Sea` and `sea` are one list.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from sparks.model.errors import BadInput

MAX_TITLE: Final = 255  # characters
MAX_DESCRIPTION: Final = 5000
MAX_ALT_TEXT: Final = 255
MAX_NAME: Final = 100
MAX_TAGS: Final = 20
MAX_TAG: Final = 50
MAX_KEY_BYTES: Final = 1000  # of an imported tag: as many as a key can hold

# Control characters except tab and line ends, lone surrogates, and marks that change the reading direction.
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff]")
_LINE_ENDS: Final = re.compile(r"\r\n|[\r\u2028\u2029]")
_SPACES: Final = re.compile(r"\s+")
_ID: Final = re.compile(r"person[0-9]+", re.IGNORECASE)


def checked_title(text: str | None) -> str | None:
    """One line; None where nothing is left. BadInput where it is too long or holds invisible characters."""
    return _line(text, "a title", MAX_TITLE)


def checked_alt_text(text: str | None) -> str | None:
    """As a title."""
    return _line(text, "an alternative text", MAX_ALT_TEXT)


def checked_name(text: str | None) -> str | None:
    """The name of a person: as a title, and not like the id that a person without a name is called by."""
    name = _line(text, "a name", MAX_NAME)
    if name is not None and _ID.fullmatch(name) is not None:
        raise BadInput(f"{name} is the id of a person without a name: choose another name")
    return name


def checked_description(text: str | None) -> str | None:
    """As a title, but with its line breaks."""
    return checked_text(text, "a description", MAX_DESCRIPTION)


def checked_text(text: str | None, what: str, most: int) -> str | None:
    """As a title; `what` names the text in messages, `most` is the number of characters."""
    lines = _LINE_ENDS.sub("\n", _seen(text or "", what)).strip()
    return _short(lines, what, most) or None


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """In their order, each once whatever its case, and none that is empty; BadInput as for a title."""
    unique = _unique(_line(tag, "a tag", MAX_TAG) for tag in tags)
    if len(unique) > MAX_TAGS:
        raise BadInput(f"a photo has at most {MAX_TAGS} tags, not {len(unique):,}")
    return unique


def usable_tags(keywords: Iterable[str]) -> tuple[str, ...]:
    """The keywords of a file that can be tags, as many as a photo may have; the others are left out, since no user
    could act on an error.
    """
    cleaned = (_one_line(_UNSEEN.sub("", keyword)) for keyword in keywords)
    return _unique(tag for tag in cleaned if len(tag) <= MAX_TAG)[:MAX_TAGS]


def renamed_tag(tags: Iterable[str], tag: str, name: str) -> tuple[str, ...]:
    """The tags with `name` instead of the one whose key is `tag`; each once."""
    before = tuple(tags)
    renamed = tuple(name if tag_key(each) == tag else each for each in before)
    if renamed == before:
        return before
    return tuple(each for each in dict.fromkeys(renamed) if each == name or tag_key(each) != tag_key(name))


def tag_key(tag: str) -> str | None:
    """The key of a tag in lists; None where no list can hold it."""
    key = unicodedata.normalize("NFC", _one_line(tag).lower())
    if not key or _UNSEEN.search(key) is not None or len(key.encode()) > MAX_KEY_BYTES:
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

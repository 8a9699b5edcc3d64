"""Tokenizer: texts as lower-case words without accents.

A word is a run of letters and digits. In scripts without spaces, each character is a word, and so is each emoji or
symbol. All other characters only separate words.
"""

import re
import unicodedata
from typing import Final

MAX_LETTERS: Final = 64  # of a word; longer words are cut, in documents and queries alike

_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
_ALONE: Final = (
    "\u2190-\u2bff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # symbols, kana, ideographs
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"  # emoji, rarer ideographs
)
_WORD: Final = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_STROKES: Final = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th"}
_LETTERS: Final = str.maketrans(_STROKES)


def words_of(*texts: str | None) -> frozenset[str]:
    """The words of all these texts."""
    return frozenset(word[:MAX_LETTERS] for text in texts if text for word in _WORD.findall(folded(text)))


def words_in_order(text: str) -> tuple[str, ...]:
    """The words of a text in their order, each once."""
    return tuple(dict.fromkeys(word[:MAX_LETTERS] for word in _WORD.findall(folded(text))))


def folded(text: str) -> str:
    """The text in lower case, without accents, and in plain letters where these exist."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(each for each in apart if unicodedata.category(each) not in _MARKS).translate(_LETTERS)

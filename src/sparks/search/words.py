"""Texts as words that can be compared: in lower case, without accents, each once.

A word is a run of letters and digits. Writing without spaces is taken letter by letter, and a picture sign (an emoji,
say) is a word of its own. Whatever else a text holds only stands between words: so no text means anything but words.
"""

import re
import unicodedata
from typing import Final

MOST_LETTERS: Final = 64  # of a word: what is longer is cut, here and where it is asked for

_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
_ALONE: Final = (
    "\u2190-\u2bff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # signs, kana, ideographs
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"  # picture signs, rarer ideographs
)
_WORD: Final = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_STROKES: Final = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th"}
_LETTERS: Final = str.maketrans(_STROKES)


def words_of(*texts: str | None) -> frozenset[str]:
    """The words of all these texts."""
    return frozenset(word[:MOST_LETTERS] for text in texts if text for word in _WORD.findall(folded(text)))


def words_in_order(text: str) -> tuple[str, ...]:
    """The words of a text as they come, each once."""
    return tuple(dict.fromkeys(word[:MOST_LETTERS] for word in _WORD.findall(folded(text))))


def folded(text: str) -> str:
    """The same text however it is written: in lower case, without accents, and in plain letters where there are any."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(each for each in apart if unicodedata.category(each) not in _MARKS).translate(_LETTERS)

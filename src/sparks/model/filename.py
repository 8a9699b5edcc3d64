"""File names for downloads: one portable name without a path, unique in its folder."""

import unicodedata
from typing import Final

LONGEST_NAME: Final = 200  # bytes of UTF-8
LONGEST_SUFFIX: Final = 20

_INVISIBLE: Final = frozenset(
    {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
)  # controls, and marks that change the writing direction
_FORBIDDEN: Final = str.maketrans(dict.fromkeys('<>:"|?*', "_"))  # on Windows; slashes were replaced before
_DEVICES: Final = frozenset(
    {"CON", "PRN", "AUX", "NUL", *(f"COM{n}" for n in range(1, 10)), *(f"LPT{n}" for n in range(1, 10))}
)


def saved_name(name: str) -> str:
    """One name, not a path, without invisible characters, and no longer than file systems allow. The suffix stays."""
    seen = "".join(
        "_" if letter in "/\\" else letter for letter in name if unicodedata.category(letter) not in _INVISIBLE
    ).strip()
    stem, ending = split_name(seen)
    return _first_bytes(stem, LONGEST_NAME - len(ending.encode())) + ending


def portable_name(name: str) -> str:
    """As `saved_name`, and valid on Windows and macOS: without reserved device names, characters and trailing dots.
    Empty where nothing is left.
    """
    composed = unicodedata.normalize("NFC", saved_name(name)).translate(_FORBIDDEN).rstrip(". ").lstrip()
    plain = composed if composed.strip(".") else ""
    return f"_{plain}" if plain.partition(".")[0].rstrip().upper() in _DEVICES else plain


def split_name(name: str) -> tuple[str, str]:
    """`IMG_1` and `.jpg`; a suffix that is too long counts as part of the name."""
    stem, dot, suffix = name.rpartition(".")
    return (stem, dot + suffix) if stem and len(suffix) <= LONGEST_SUFFIX else (name, "")


class UniqueNames:
    """The names in one folder: each is given once, also on file systems that ignore case."""

    def __init__(self, *taken: str) -> None:
        self._next = {_folded(name): 2 for name in taken}

    def take(self, name: str) -> str:
        """The name, or else the first of `IMG_1 (2).jpg`, `IMG_1 (3).jpg`, .. that is free."""
        free, stem, ending = name, *split_name(name)
        number = self._next.get(_folded(name), 2)
        while _folded(free) in self._next:
            mark = f" ({number})"
            free = _first_bytes(stem, LONGEST_NAME - len((mark + ending).encode())) + mark + ending
            number += 1
        self._next[_folded(name)] = number
        self._next.setdefault(_folded(free), 2)
        return free


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _first_bytes(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")

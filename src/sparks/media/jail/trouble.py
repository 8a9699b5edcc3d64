"""How the error that ended a task travels: by its name and its words, never as an object."""

from typing import Final

import msgspec

from sparks.model.errors import Damaged, SparksError, TooLarge, UnsupportedType

REFUSALS: Final = {kind.__name__: kind for kind in (Damaged, TooLarge, UnsupportedType)}
"""What a task may say of a file; any other error is the decoder's own."""
NO_MEMORY: Final = MemoryError.__name__
MOST_WORDS: Final = 500


class Trouble(msgspec.Struct, frozen=True):
    name: str
    words: str

    @property
    def refusal(self) -> SparksError | None:
        """The error to raise again, its words without anything that a log or a page could choke on."""
        kind = REFUSALS.get(self.name)
        return kind(self.plain_words) if kind else None

    @property
    def plain_words(self) -> str:
        return "".join(letter if letter.isprintable() else " " for letter in self.words[:MOST_WORDS])


def describe(error: BaseException) -> Trouble:
    """By the first name, from its own to its ancestors', that the worker knows."""
    names = [kind.__name__ for kind in type(error).__mro__]
    known = (name for name in names if name in REFUSALS or name == NO_MEMORY)
    words = str(error)[:MOST_WORDS].encode(errors="replace").decode()
    return Trouble(name=next(known, names[0]), words=words)

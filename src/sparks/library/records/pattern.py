"""Reading a key back into its pieces, as `keys` put them together."""

import re
from collections.abc import Mapping
from typing import Any, Final

from sparks.model.times import from_iso

_PIECE: Final = re.compile(r"\{(?P<name>\w*)(?P<how>|\.\.|:time)\}")
_EXPRESSIONS: Final = {"": "[^#]+", "..": ".*", ":time": "[^#]{24}"}


class Pattern:
    """`ALBUM#{album_id}#PERSON#{person_id..}`: a piece holds no `#`, unless it ends in dots.

    `{at:time}` is a time, and `{}` a piece of no interest.
    """

    def __init__(self, text: str) -> None:
        self._pattern = re.compile(_expression(text), re.DOTALL)
        self._times = [piece["name"] for piece in _PIECE.finditer(text) if piece["how"] == ":time"]

    def read(self, text: str) -> Mapping[str, Any]:
        """The pieces by name; ValueError where the text is not of this pattern."""
        match = self._pattern.fullmatch(text)
        if match is None:
            raise ValueError("a key of another kind")
        pieces: dict[str, Any] = match.groupdict()
        for name in self._times:
            pieces[name] = from_iso(pieces[name])
        return pieces


def _expression(text: str) -> str:
    expression, end = "", 0
    for piece in _PIECE.finditer(text):
        group = f"?P<{piece['name']}>" if piece["name"] else "?:"
        expression += f"{re.escape(text[end : piece.start()])}({group}{_EXPRESSIONS[piece['how']]})"
        end = piece.end()
    return expression + re.escape(text[end:])

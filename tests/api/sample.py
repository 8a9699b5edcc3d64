"""A thing with an id, and who of the callers should find it."""

from dataclasses import dataclass
from typing import Final

from tests.api.callers import Caller
from tests.api.community import CAROL
from tests.factories import ANN, BOB

FORMER: Final = "former@example.com"
EVERYONE: Final = frozenset({ANN, BOB, CAROL, FORMER})
NOBODY: Final[frozenset[str]] = frozenset()
RANDOM: Final = "random id"


@dataclass(frozen=True)
class Sample:
    """`seen_by` are the accounts that find it, `guests` whether a guest of the album does. `within` is the id of the
    photo that it is in, and has to stand beside it where both are asked for.
    """

    what: str
    id: str
    seen_by: frozenset[str] = NOBODY
    guests: bool = False
    owner: str | None = None
    is_malformed: bool = False
    within: str | None = None

    def is_seen_by(self, caller: Caller) -> bool:
        return self.guests if caller.allowed is not None else caller.email in self.seen_by

"""A thing with an id, and which of the callers should find it."""

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
    """`seen_by` are the accounts that find it, `guests_of` the album whose guests do; `anywhere`, whether any guest
    does. `brought_by` is the guest who uploaded it. `within` is the id of the photo that it is in, and has to
    stand beside it where both are asked for.
    """

    what: str
    id: str
    seen_by: frozenset[str] = NOBODY
    guests_of: str | None = None
    owner: str | None = None
    is_malformed: bool = False
    within: str | None = None
    anywhere: bool = False
    is_album: bool = False
    brought_by: str | None = None

    def is_seen_by(self, caller: Caller) -> bool:
        if caller.allowed is None:
            return caller.email in self.seen_by
        if self.is_album:
            return self.id == caller.album
        shown = self.guests_of == caller.album and caller.is_shown
        return self.anywhere or shown or self.brought_by == caller.name

    def is_of(self, caller: Caller) -> bool:
        return self.owner == caller.email if caller.allowed is None else self.brought_by == caller.name

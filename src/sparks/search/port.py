"""Search: words and filters into photos, and names into whom or what they name.

A document is what is known of one photo: words that name it, words that tell of it, and facets, which are plain texts
such as `tag:sea`, one for each thing that can be asked for. A question has words and groups of facets. A document
answers it if it has each word, and a facet of each group. A word of a question stands for every word that begins with
it, and for what it names: `whole` are the facets of those who are called so, `begun` of those whose name begins so.

By relevance, a photo comes the earlier the better it fits: first those where each word is a whole word among those that
name the photo, or a name; then those where it begins one; then those where it is a whole word anywhere; then the rest.
Within each of these tiers, and by time, the newest comes first, and of equals the one with the higher id.

What is kept here is never the truth: it is made from the rows in the table, and may be behind them. Whoever shows
something reads the rows of the photos that were found.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

MOST_WORDS: Final = 20  # of a question
EARLIEST: Final = -(2**42)  # milliseconds since 1970: in 1830
LATEST: Final = 2**42 - 1  # in 2109; whatever is told to be before or after is of these times
ALL_DAYS: Final = (-(10**7), 10**7)


class Sort(StrEnum):
    NEWEST = "newest"
    RELEVANCE = "relevance"


class NameKind(StrEnum):
    PERSON = "person"
    ALBUM = "album"
    MEMBER = "member"


class Place(NamedTuple):
    """In degrees."""

    latitude: float
    longitude: float


class Position(NamedTuple):
    """Where a photo comes: its tier (0 where that does not count), its time in milliseconds, and its id."""

    tier: int
    time: int
    image_id: str


class Hit(NamedTuple):
    position: Position
    owner: str

    @property
    def image_id(self) -> str:
        return self.position.image_id


class Name(NamedTuple):
    """What somebody or something is called. One without words is called nothing."""

    kind: NameKind
    id: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`time` is in milliseconds since 1970, from EARLIEST to LATEST; `day` counts days since 1970 by the photographer's
    clock, which is at most a day from UTC. Words are as `words_of` makes them. `camera` is its name, as it is shown.
    """

    image_id: str
    owner: str
    time: int = 0
    day: int = 0
    named: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    facets: frozenset[str] = frozenset()
    place: Place | None = None
    camera: str | None = None


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    whole: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Near:
    place: Place
    km: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`days` are the first and the last one that are asked for. `within`: only these photos, some thousands at most."""

    words: tuple[Word, ...] = ()
    groups: tuple[frozenset[str], ...] = ()
    days: tuple[int, int] = ALL_DAYS
    near: Near | None = None
    within: frozenset[str] | None = field(default=None)


class Search(Protocol):
    """Any thread may use it."""

    def put(self, documents: Iterable[Document], *, anew: bool = False) -> None:
        """Found from now on, in place of what was known of the same photos, which is erased as by `remove`; the last
        one of a photo counts. One that is there already, just so, is left alone, unless it is to be put `anew`.
        """

    def remove(self, image_ids: Iterable[str]) -> None:
        """Not found any more; and soon, or when this is closed, no word of them that nobody else has is left on a disk.
        Nothing there: nothing happens.
        """

    def find(self, question: Question, *, by: Sort, limit: int, after: Position | None = None) -> list[Hit]:
        """The next `limit` photos behind `after`; fewer only where there are no more. BadInput for more words than
        MOST_WORDS. Busy where what is kept turns out to be damaged: it is thrown away then, as by `clear`.
        """

    def put_names(self, names: Iterable[Name]) -> None:
        """Each in place of what the same one was called before; erased as documents are."""

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        """Those in whose name each of the words (at least one) begins a word, by their ids; and whether each is a whole
        word of it.
        """

    def cameras(self) -> list[str]:
        """The names of the cameras that documents tell, each once."""

    def ids(self) -> set[str]:
        """The photos that are there."""

    def named_ids(self, kind: NameKind) -> set[str]:
        """Those that have a name."""

    def count(self) -> int:
        """How many photos are there."""

    def position(self) -> datetime | None:
        """Up to when what happened is known here; None where that was never told, and `clear` was called or what was
        kept was lost, damaged or of another version.
        """

    def advance(self, position: datetime) -> None:
        """Notes what `position` is to tell, now and where this is opened again."""

    def check(self) -> None:
        """Throws away what is kept if it is damaged."""

    def clear(self) -> None:
        """Nothing is there any more, nor a position."""

    def close(self) -> None:
        """Gives back files. Closing twice is fine."""


def facet(kind: str, value: str) -> str:
    return f"{kind}:{value}"

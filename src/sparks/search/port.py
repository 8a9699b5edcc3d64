"""Port of search: documents, names, queries and pages of hits.

A document describes one photo: the words of its title and tags (`name_words`), its other words, and its facets. A facet
is a plain text such as `tag:sea` by which photos can be filtered. A query has words and groups of facets. A document
matches if it has every word and at least one facet of each group. A word of a query matches every word that begins with
it, and also what it names: the facets `whole` belong to persons, albums and members who have it as a whole word of
their name, the facets `begun` to those who have a word that begins with it.

There are four tiers of relevance. In the first, each word of the query is a whole word of `name_words`, or of a name;
in the second, each begins such a word; in the third, each is a whole word anywhere; the fourth has all other matches.
Within a tier, and when sorted by time, the newest comes first, and of photos of the same time the one with the higher
id.

The rows in the table are authoritative. The index is made from them and may lag behind, so a caller reads the rows of
the photos that it found before it shows them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

MAX_WORDS: Final = 20  # in a query
EARLIEST: Final = -(2**42)  # milliseconds since 1970: in 1830
LATEST: Final = 2**42 - 1  # in 2109; times before and after are taken as these
ALL_DAYS: Final = (-(10**7), 10**7)


class Sort(StrEnum):
    NEWEST = "newest"
    RELEVANCE = "relevance"


class NameKind(StrEnum):
    PERSON = "person"
    ALBUM = "album"
    MEMBER = "member"


class GeoPoint(NamedTuple):
    """Latitude and longitude in degrees."""

    latitude: float
    longitude: float


class HitPosition(NamedTuple):
    """The place of a hit in the results: tier (0 when sorted by time), time in milliseconds, id."""

    tier: int
    time: int
    image_id: str


class Hit(NamedTuple):
    position: HitPosition
    owner: str

    @property
    def image_id(self) -> str:
        return self.position.image_id


class NameEntry(NamedTuple):
    """The words of a person's, album's or member's name; without words, there is no name."""

    kind: NameKind
    id: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`time` is in milliseconds since 1970, from EARLIEST to LATEST; `day` counts days since 1970 by the photographer's
    clock, which is at most a day from UTC. Words come from `words_of`. `camera` is the name that is shown.
    """

    image_id: str
    owner: str
    time: int = 0
    day: int = 0
    name_words: frozenset[str] = frozenset()
    other_words: frozenset[str] = frozenset()
    facets: frozenset[str] = frozenset()
    place: GeoPoint | None = None
    camera: str | None = None


@dataclass(frozen=True, slots=True)
class QueryWord:
    text: str
    whole: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GeoRadius:
    place: GeoPoint
    km: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """`days` are the first and the last day. `within` restricts the search to these photos, some thousands at most."""

    words: tuple[QueryWord, ...] = ()
    groups: tuple[frozenset[str], ...] = ()
    days: tuple[int, int] = ALL_DAYS
    near: GeoRadius | None = None
    within: frozenset[str] | None = field(default=None)


class Search(Protocol):
    """Search index that any thread may use."""

    def put(self, documents: Iterable[Document], *, anew: bool = False) -> None:
        """Adds documents and replaces earlier ones of the same photos, which are erased as by `remove`; of several
        documents of a photo, the last counts. An unchanged document is skipped, unless it is to be put `anew`.
        """

    def remove(self, image_ids: Iterable[str]) -> None:
        """Removes the documents. Soon, and at the latest after `close`, no word that only they had is left on a disk. A
        missing document is no error.
        """

    def find(self, query: IndexQuery, *, by: Sort, limit: int, after: HitPosition | None = None) -> list[Hit]:
        """The next `limit` hits after `after`; fewer only on the last page. BadInput for more than MAX_WORDS words.
        Busy where the index turns out to be damaged; it is then cleared.
        """

    def put_names(self, names: Iterable[NameEntry]) -> None:
        """Adds names and replaces earlier ones of the same id, which are erased like documents."""

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        """The ids whose name has, for each of the words (at least one), a word that begins with it; the value says
        whether all are whole words of the name.
        """

    def cameras(self) -> list[str]:
        """The cameras of all documents, each once."""

    def ids(self) -> set[str]:
        """The ids of all documents."""

    def named_ids(self, kind: NameKind) -> set[str]:
        """The ids that have a name."""

    def count(self) -> int:
        """The number of documents."""

    def position(self) -> datetime | None:
        """The time up to which changes were applied; None before the first `advance`, after `clear`, and where the
        index was lost, damaged or of another version.
        """

    def advance(self, position: datetime) -> None:
        """Sets `position`, which is stored with the index."""

    def check(self) -> None:
        """Clears the index if it is damaged."""

    def clear(self) -> None:
        """Removes all documents, names and the position."""

    def close(self) -> None:
        """Closes files. Closing twice is allowed."""


def facet(kind: str, value: str) -> str:
    return f"{kind}:{value}"

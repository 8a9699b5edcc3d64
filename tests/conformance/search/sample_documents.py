"""Sample documents and queries with sensible defaults; a test names only what it is about."""

from collections.abc import Iterable
from typing import Any, Final

from sparks.search.port import Document, HitPosition, IndexQuery, QueryWord, Search, Sort
from sparks.search.tokenizer import words_in_order, words_of

ANN: Final = "ann@example.com"
DAY: Final = 86_400_000


def an_id(number: int) -> str:
    return f"0198653a-6ebd-7f4e-8000-{number:012x}"


def a_document(number: int = 1, name: str = "", other: str = "", *facets: str, **more: Any) -> Document:
    """A document; a higher number is newer by a second."""
    more = {"owner": ANN, "time": number * 1000, **more}
    return Document(
        image_id=an_id(number), name_words=words_of(name), other_words=words_of(other), facets=frozenset(facets), **more
    )


def asked(text: str = "", *groups: Iterable[str], **more: Any) -> IndexQuery:
    words = tuple(QueryWord(word) for word in words_in_order(text))
    return IndexQuery(words=words, groups=tuple(map(frozenset, groups)), **more)


def found(search: Search, query: IndexQuery, *, by: Sort = Sort.NEWEST, limit: int = 100) -> list[int]:
    """The numbers of the documents that match, in their order."""
    return [int(hit.image_id[24:], 16) for hit in search.find(query, by=by, limit=limit)]


def found_by_pages(search: Search, query: IndexQuery, *, by: Sort, limit: int) -> list[int]:
    numbers: list[int] = []
    after: HitPosition | None = None
    while hits := search.find(query, by=by, limit=limit, after=after):
        assert len(hits) <= limit
        numbers += [int(hit.image_id[24:], 16) for hit in hits]
        after = hits[-1].position
    return numbers

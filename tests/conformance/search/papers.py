"""Documents and questions, each a sensible one; a test names only what it is about."""

from collections.abc import Iterable
from typing import Any, Final

from sparks.search.port import Document, Position, Question, Search, Sort, Word
from sparks.search.words import words_in_order, words_of

ANN: Final = "ann@example.com"
DAY: Final = 86_400_000


def an_id(number: int) -> str:
    return f"0198653a-6ebd-7f4e-8000-{number:012x}"


def a_document(number: int = 1, named: str = "", told: str = "", *facets: str, **more: Any) -> Document:
    """The later ones are newer, by a second."""
    more = {"owner": ANN, "time": number * 1000, **more}
    return Document(
        image_id=an_id(number), named=words_of(named), told=words_of(told), facets=frozenset(facets), **more
    )


def asked(text: str = "", *groups: Iterable[str], **more: Any) -> Question:
    words = tuple(Word(word) for word in words_in_order(text))
    return Question(words=words, groups=tuple(map(frozenset, groups)), **more)


def found(search: Search, question: Question, *, by: Sort = Sort.NEWEST, limit: int = 100) -> list[int]:
    """The numbers of the documents that answer, in their order."""
    return [int(hit.image_id[24:], 16) for hit in search.find(question, by=by, limit=limit)]


def found_by_pages(search: Search, question: Question, *, by: Sort, limit: int) -> list[int]:
    numbers: list[int] = []
    after: Position | None = None
    while hits := search.find(question, by=by, limit=limit, after=after):
        assert len(hits) <= limit
        numbers += [int(hit.image_id[24:], 16) for hit in hits]
        after = hits[-1].position
    return numbers

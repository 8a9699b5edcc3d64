"""Matching rules that every adapter obeys, with the tier of each match."""

from collections.abc import Callable, Collection

from sparks.model.errors import BadInput
from sparks.search.geo_grid import is_near
from sparks.search.port import MAX_WORDS, Document, IndexQuery, QueryWord


def matches_query(document: Document, query: IndexQuery) -> bool:
    return tier_of(document, query) is not None


def tier_of(document: Document, query: IndexQuery) -> int | None:
    """The tier of relevance, 0 for the best; None where the document does not match."""
    if not _fits(document, query):
        return None
    named, both = document.name_words, document.name_words | document.other_words
    tiers: tuple[Callable[[QueryWord], bool], ...] = (
        lambda word: word.text in named or _has(document, word.whole),
        lambda word: any_begins_with(named, word.text) or _has(document, word.begun),
        lambda word: word.text in both or _has(document, word.whole),
        lambda word: any_begins_with(both, word.text) or _has(document, word.begun),
    )
    return next((tier for tier, holds in enumerate(tiers) if all(map(holds, query.words))), None)


def check_words(query: IndexQuery) -> None:
    if len(query.words) > MAX_WORDS:
        raise BadInput(f"at most {MAX_WORDS} words can be searched for at once, not {len(query.words):,}")


def _fits(document: Document, query: IndexQuery) -> bool:
    first, last = query.days
    return (
        first <= document.day <= last
        and (query.within is None or document.image_id in query.within)
        and all(_has(document, group) for group in query.groups)
        and (query.near is None or is_near(document.place, query.near))
    )


def _has(document: Document, facets: frozenset[str]) -> bool:
    return not document.facets.isdisjoint(facets)


def any_begins_with(words: Collection[str], start: str) -> bool:
    return any(word.startswith(start) for word in words)

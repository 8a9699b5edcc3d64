"""Queries as FTS5 expressions, quoted so that no input acts as an operator.

An expression contains only words from `words_of` and hashes of facets, each in quotation marks.

Facets are indexed beside the words. The token of a facet begins with characters that no word contains, so that no
prefix of a word matches it, and continues with a hash, so that any facet is one token.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from sparks.search.geo_grid import squares_around, squares_of
from sparks.search.port import Document, IndexQuery, QueryWord, Sort

SIGN: Final = "§§§"
ANYWHERE: Final = "{named told}"
NAMED: Final = "named"
SQUARE: Final = "square:"


def tokens_of(document: Document) -> str:
    squares = () if document.place is None else (SQUARE + square for square in squares_of(document.place))
    return " ".join(sorted(map(_token, [*document.facets, *squares])))


def expressions_of(query: IndexQuery, by: Sort) -> Iterator[str]:
    """One expression for each tier, the best first; a document matches only one of them. An empty expression matches
    every document.
    """
    fits = " AND ".join(_any_facet(group) for group in _groups(query))
    if not query.words:
        yield fits
        return
    for tier in _tiers(query.words) if by is Sort.RELEVANCE else (_each(ANYWHERE, query.words, begun=True),):
        yield f"({fits}) AND ({tier})" if fits else tier


def _tiers(words: Sequence[QueryWord]) -> tuple[str, ...]:
    whole_name, name = _each(NAMED, words, begun=False), _each(NAMED, words, begun=True)
    whole, begun = _each(ANYWHERE, words, begun=False), _each(ANYWHERE, words, begun=True)
    return whole_name, f"{name} NOT {whole_name}", f"{whole} NOT {name}", f"({begun} NOT {name}) NOT {whole}"


def _groups(query: IndexQuery) -> list[frozenset[str]]:
    around = () if query.near is None else (frozenset(SQUARE + each for each in squares_around(query.near)),)
    return [*query.groups, *around]


def _each(columns: str, words: Iterable[QueryWord], *, begun: bool) -> str:
    """An expression that requires each word in these columns or in a name."""
    return "(" + " AND ".join(_word(columns, word, begun=begun) for word in words) + ")"


def _word(columns: str, word: QueryWord, *, begun: bool) -> str:
    text = f'{columns} : "{word.text}"' + (" *" if begun else "")
    named = word.begun if begun else word.whole
    return f"({text} OR {_any_facet(named)})" if named else f"({text})"


def _any_facet(facets: Iterable[str]) -> str:
    """An expression for any of the facets; for no facets, a token that no document has."""
    tokens = " OR ".join(f'"{_token(each)}"' for each in sorted(facets)) or f'"{SIGN}"'
    return f"facets : ({tokens})"


def _token(facet: str) -> str:
    return SIGN + blake2b(facet.encode(), digest_size=10).hexdigest()

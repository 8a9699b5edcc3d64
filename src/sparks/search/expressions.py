"""A question as an expression of FTS5.

[Note: any text] Only words as `words_of` makes them and hashes of facets stand in an expression, each within quotation
marks: nothing that anybody types is read as an operator.

[Note: tokens] Facets are in the index beside the words. Their tokens begin with signs that no word has, so that no
beginning of a word meets them, and hold a hash: whatever it is made of, it is one token.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from sparks.search.places import squares_around, squares_of
from sparks.search.port import Document, Question, Sort, Word

SIGN: Final = "§§§"
ANYWHERE: Final = "{named told}"
NAMED: Final = "named"
SQUARE: Final = "square:"


def tokens_of(document: Document) -> str:
    squares = () if document.place is None else (SQUARE + square for square in squares_of(document.place))
    return " ".join(sorted(map(_token, [*document.facets, *squares])))


def expressions_of(question: Question, by: Sort) -> Iterator[str]:
    """One for each tier, the best first: what answers an earlier one does not answer a later one. Nothing to ask for is
    an empty expression.
    """
    fits = " AND ".join(_any_facet(group) for group in _groups(question))
    if not question.words:
        yield fits
        return
    for tier in _tiers(question.words) if by is Sort.RELEVANCE else (_each(ANYWHERE, question.words, begun=True),):
        yield f"({fits}) AND ({tier})" if fits else tier


def _tiers(words: Sequence[Word]) -> tuple[str, ...]:
    whole_name, name = _each(NAMED, words, begun=False), _each(NAMED, words, begun=True)
    whole, begun = _each(ANYWHERE, words, begun=False), _each(ANYWHERE, words, begun=True)
    return whole_name, f"{name} NOT {whole_name}", f"{whole} NOT {name}", f"({begun} NOT {name}) NOT {whole}"


def _groups(question: Question) -> list[frozenset[str]]:
    around = () if question.near is None else (frozenset(SQUARE + each for each in squares_around(question.near)),)
    return [*question.groups, *around]


def _each(columns: str, words: Iterable[Word], *, begun: bool) -> str:
    """Every one of the words, so far as it is in these columns or a name."""
    return "(" + " AND ".join(_word(columns, word, begun=begun) for word in words) + ")"


def _word(columns: str, word: Word, *, begun: bool) -> str:
    text = f'{columns} : "{word.text}"' + (" *" if begun else "")
    named = word.begun if begun else word.whole
    return f"({text} OR {_any_facet(named)})" if named else f"({text})"


def _any_facet(facets: Iterable[str]) -> str:
    """[Note: none] What nothing can have is asked for by a token that no document has."""
    tokens = " OR ".join(f'"{_token(each)}"' for each in sorted(facets)) or f'"{SIGN}"'
    return f"facets : ({tokens})"


def _token(facet: str) -> str:
    return SIGN + blake2b(facet.encode(), digest_size=10).hexdigest()

"""Whether a document answers a question, and how well: what every adapter has to agree with."""

from collections.abc import Callable, Collection
from typing import Final

from sparks.model.errors import BadInput
from sparks.search.places import is_near
from sparks.search.port import MOST_WORDS, Document, Question, Word

TIERS: Final = 4


def answers(document: Document, question: Question) -> bool:
    return tier_of(document, question) is not None


def tier_of(document: Document, question: Question) -> int | None:
    """How well it answers the question, from 0 for the best; None where it does not."""
    if not _fits(document, question):
        return None
    named, both = document.named, document.named | document.told
    tiers: tuple[Callable[[Word], bool], ...] = (
        lambda word: word.text in named or _has(document, word.whole),
        lambda word: begins(named, word.text) or _has(document, word.begun),
        lambda word: word.text in both or _has(document, word.whole),
        lambda word: begins(both, word.text) or _has(document, word.begun),
    )
    return next((tier for tier, holds in enumerate(tiers) if all(map(holds, question.words))), None)


def check_words(question: Question) -> None:
    if len(question.words) > MOST_WORDS:
        raise BadInput(f"at most {MOST_WORDS} words can be searched for at once, not {len(question.words):,}")


def _fits(document: Document, question: Question) -> bool:
    first, last = question.days
    return (
        first <= document.day <= last
        and (question.within is None or document.image_id in question.within)
        and all(_has(document, group) for group in question.groups)
        and (question.near is None or is_near(document.place, question.near))
    )


def _has(document: Document, facets: frozenset[str]) -> bool:
    return not document.facets.isdisjoint(facets)


def begins(words: Collection[str], start: str) -> bool:
    return any(word.startswith(start) for word in words)

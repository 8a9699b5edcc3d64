"""Random documents and queries: every adapter finds what the reference finds, in the same order, page by page."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.search.fts5 import Fts5Search
from sparks.search.memory import MemorySearch
from sparks.search.port import Document, GeoPoint, GeoRadius, HitPosition, IndexQuery, QueryWord, Search, Sort
from tests.conformance.search.sample_documents import DAY, an_id

WORDS = ["sea", "seaside", "se", "sand", "s", "ann", "anna", "京", "e"]
FACETS = ["tag:a", "tag:b", "person:1", "person:2", "album:x", "owner:ann"]
PLACES = [
    GeoPoint(48.1, 11.5),
    GeoPoint(48.14, 11.58),
    GeoPoint(0.0, 179.99),
    GeoPoint(0.0, -179.99),
    GeoPoint(-89.99, 3.0),
]

some_words = st.frozensets(st.sampled_from(WORDS), max_size=3)
some_facets = st.frozensets(st.sampled_from(FACETS), max_size=4)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    time = draw(st.integers(-2, 3).map(lambda each: each * 40_000_000) | st.integers(0, 2))
    return Document(
        image_id=an_id(draw(st.integers(0, 12))),
        owner="ann@example.com",
        time=time,
        day=time // DAY + draw(st.integers(-1, 1)),
        name_words=draw(some_words),
        other_words=draw(some_words),
        facets=draw(some_facets),
        place=draw(st.none() | st.sampled_from(PLACES)),
        camera=draw(st.none() | st.sampled_from(["Canon", "Nikon"])),
    )


@st.composite
def words(draw: st.DrawFn) -> QueryWord:
    begun = draw(some_facets)
    whole = draw(st.frozensets(st.sampled_from(sorted(begun)))) if begun else frozenset[str]()
    return QueryWord(draw(st.sampled_from(WORDS)), whole, begun)


questions = st.builds(
    IndexQuery,
    words=st.lists(words(), max_size=3, unique_by=lambda word: word.text).map(tuple),
    groups=st.lists(some_facets, max_size=3).map(tuple),
    days=st.just((-100, 100)) | st.tuples(st.integers(-1, 2), st.integers(-1, 2)),
    near=st.none() | st.builds(GeoRadius, st.sampled_from(PLACES), st.sampled_from([0.0, 3.0, 50.0, 500.0, 20_000.0])),
    within=st.none() | st.frozensets(st.integers(0, 12).map(an_id)),
)
doings: st.SearchStrategy[Callable[[Search], Any]] = st.lists(documents(), max_size=8).map(
    lambda some: lambda search: search.put(some)
) | st.lists(st.integers(0, 12).map(an_id), max_size=4).map(lambda some: lambda search: search.remove(some))


def paged(search: Search, query: IndexQuery, by: Sort, limit: int) -> list[HitPosition]:
    positions: list[HitPosition] = []
    while hits := search.find(query, by=by, limit=limit, after=positions[-1] if positions else None):
        positions += [hit.position for hit in hits]
    return positions


@settings(max_examples=150, deadline=None)
@given(
    st.lists(doings, max_size=6), st.lists(questions, min_size=1, max_size=8), st.sampled_from(Sort), st.integers(1, 5)
)
def test_the_index_finds_what_the_reference_finds(
    program: list[Callable[[Search], Any]], asked: list[IndexQuery], by: Sort, limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Fts5Search(Path(folder) / "search.db")) as search:
        reference = MemorySearch()
        for step in program:
            step(search)
            step(reference)
        assert (search.ids(), search.cameras()) == (reference.ids(), reference.cameras())
        for question in asked:
            whole = [hit.position for hit in reference.find(question, by=by, limit=100)]
            assert [hit.position for hit in search.find(question, by=by, limit=100)] == whole
            assert paged(search, question, by, limit) == paged(reference, question, by, limit) == whole

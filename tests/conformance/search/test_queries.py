"""Queries: the documents that match, and their order."""

import pytest

from sparks.model.errors import BadInput
from sparks.search.port import EARLIEST, LATEST, MAX_WORDS, GeoPoint, GeoRadius, QueryWord, Search, Sort
from sparks.search.port import IndexQuery as Asked
from tests.conformance.search.sample_documents import a_document, an_id, asked, found, found_by_pages

MUNICH = GeoPoint(48.137, 11.575)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("Zürich", "zurich"),
        ("zurich", "ZÜRI"),
        ("Café", "cafe\u0301"),
        ("Große Straße", "grosse STRASSE"),
        ("Smørrebrød in Łódź", "smorr lodz"),
        ("東京タワー", "京"),
        ("Привет, Мир", "мир"),
        ("At the 🏖 with 👨‍👩‍👧", "🏖"),
        ("IMG_2034.JPG", "2034"),
        ("हिन्दी", "हिन्दी"),
        ("ﬁne ½", "fine 1"),
    ],
)
def test_a_word_is_found_however_it_is_written(search: Search, text: str, typed: str) -> None:
    search.put([a_document(1, text), a_document(2, "something else")])
    assert found(search, asked(typed)) == [1]


@pytest.mark.parametrize(
    "typed",
    [
        '"',
        "'; DROP TABLE photos; --",
        "sea AND",
        "NOT sea",
        "NEAR(sea sand)",
        "named : sea",
        "sea*",
        "^sea",
        "{named} : (sea",
        "a OR b",
        "§§§",
        "%",
        "sea + sand",
        "-sea",
        "\x00sea",
    ],
)
def test_no_typed_text_acts_as_an_operator(search: Search, typed: str) -> None:
    search.put([a_document(1, "sea"), a_document(2, f"{typed} and so on")])
    question = asked(typed)
    if question.words:
        assert 2 in found(search, question)


def test_every_word_of_a_query_must_match_a_word_or_its_prefix(search: Search) -> None:
    search.put(
        [a_document(1, "red boat", "at sea"), a_document(2, "red"), a_document(3, "boathouse", "redder seaside")]
    )
    assert found(search, asked("red boat")) == [3, 1]
    assert found(search, asked("re bo se")) == [3, 1]
    assert found(search, asked("eat")) == []


def test_a_photo_has_a_facet_of_each_group(search: Search) -> None:
    search.put(
        [a_document(1, "", "", "tag:a", "tag:b"), a_document(2, "", "", "tag:a"), a_document(3, "", "", "tag:c")]
    )
    assert found(search, asked("", ["tag:a"], ["tag:b", "tag:c"])) == [1]
    assert found(search, asked("", ["tag:a", "tag:c"])) == [3, 2, 1]
    assert found(search, asked("", [])) == []
    assert found(search, asked()) == [3, 2, 1]


def test_a_facet_is_its_whole_text(search: Search) -> None:
    search.put([a_document(1, "", "", 'tag:a "b" c'), a_document(2, "", "", "tag:a")])
    assert found(search, asked("", ['tag:a "b" c'])) == [1]
    assert found(search, asked("tag")) == []


def test_a_word_matches_the_facets_of_those_it_names(search: Search) -> None:
    search.put([a_document(1, "sea", "", "person:1"), a_document(2, "Anna", ""), a_document(3, "sea", "")])
    anna = QueryWord("anna", whole=frozenset({"person:1"}), begun=frozenset({"person:1"}))
    assert found(search, Asked(words=(anna,))) == [2, 1]
    assert found(search, Asked(words=(anna, QueryWord("sea")))) == [1]


def test_the_newest_comes_first_and_of_equals_the_one_with_the_higher_id(search: Search) -> None:
    search.put([a_document(number, "sea", time=5000) for number in (3, 1, 2)])
    search.put([a_document(9, "sea", time=1), a_document(8, "sea", time=9000), a_document(7, time=-1)])
    assert found(search, asked("sea")) == [8, 3, 2, 1, 9]
    assert found(search, asked()) == [8, 3, 2, 1, 9, 7]


def test_the_most_relevant_photos_come_first(search: Search) -> None:
    search.put(
        [
            a_document(1, "sea"),
            a_document(2, "seaside"),
            a_document(3, "", "sea"),
            a_document(4, "", "seaside"),
            a_document(5, "other", ""),
            a_document(6, "seaside", "sea"),
        ]
    )
    assert found(search, asked("sea"), by=Sort.RELEVANCE) == [1, 6, 2, 3, 4]
    assert found(search, asked("sea"), by=Sort.NEWEST) == [6, 4, 3, 2, 1]


def test_a_name_weighs_as_much_as_a_title(search: Search) -> None:
    search.put([a_document(1, "", "", "person:1"), a_document(2, "", "", "person:2"), a_document(3, "", "ann")])
    ann = QueryWord("ann", whole=frozenset({"person:1"}), begun=frozenset({"person:1", "person:2"}))
    assert found(search, Asked(words=(ann,)), by=Sort.RELEVANCE) == [1, 2, 3]


@pytest.mark.parametrize("by", Sort)
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages_have_no_gaps_and_none_is_short(search: Search, by: Sort, limit: int) -> None:
    titles = ["sea", "seaside", "other"]
    search.put([a_document(n, titles[n % 3], "sea" if n % 5 == 0 else "", time=n // 4 * 1000) for n in range(60)])
    whole = found(search, asked("sea"), by=by)
    assert len(whole) == 44
    assert found_by_pages(search, asked("sea"), by=by, limit=limit) == whole


def test_many_photos_of_one_moment_are_all_found_page_by_page(search: Search) -> None:
    search.put([a_document(n, "scan", time=7) for n in range(300)])
    assert found_by_pages(search, asked("scan"), by=Sort.NEWEST, limit=40) == list(range(299, -1, -1))


def test_days_go_by_the_photographers_clock(search: Search) -> None:
    search.put([a_document(n, time=n * 3_600_000, day=day) for n, day in enumerate([-1, 0, 0, 1, 2])])
    assert found(search, asked(days=(0, 1))) == [3, 2, 1]
    assert found(search, asked(days=(-1, -1))) == [0]


def test_photos_with_impossible_times_are_found(search: Search) -> None:
    search.put([a_document(1, time=EARLIEST, day=-60_000), a_document(2, time=LATEST, day=60_000), a_document(3)])
    assert found(search, asked()) == [2, 3, 1]
    assert found(search, asked(days=(-70_000, -50_000))) == [1]


@pytest.mark.parametrize(
    ("place", "km", "near"),
    [
        (GeoPoint(48.2, 11.6), 10, True),
        (GeoPoint(48.2, 11.6), 5, False),
        (GeoPoint(47.0, 11.575), 130, True),
        (GeoPoint(-33.86, 151.2), 20_000, True),
        (GeoPoint(-33.86, 151.2), 10_000, False),
        (GeoPoint(48.857, 2.352), 700, True),
        (GeoPoint(48.857, 2.352), 680, False),
        (GeoPoint(35.68, 139.69), 9_500, True),
        (GeoPoint(35.68, 139.69), 9_000, False),
        (GeoPoint(-48.137, -168.425), 20_016, True),
    ],
)
def test_only_nearby_photos_are_found(search: Search, place: GeoPoint, km: float, *, near: bool) -> None:
    search.put([a_document(1, place=place), a_document(2)])
    assert found(search, asked(near=GeoRadius(MUNICH, km))) == ([1] if near else [])


@pytest.mark.parametrize(
    ("middle", "place"),
    [
        (GeoPoint(0.0, 179.99), GeoPoint(0.0, -179.99)),
        (GeoPoint(-17.8, -179.999), GeoPoint(-17.8, 179.999)),
        (GeoPoint(89.99, 0.0), GeoPoint(89.99, 180.0)),
        (GeoPoint(90.0, 0.0), GeoPoint(89.96, -123.4)),
        (GeoPoint(-90.0, 180.0), GeoPoint(-90.0, 0.0)),
        (GeoPoint(64.1, -21.9), GeoPoint(64.1, -21.9)),
        (GeoPoint(0.05, 180.0), GeoPoint(0.05, -180.0)),
    ],
)
def test_the_date_line_and_the_poles_are_no_borders(search: Search, middle: GeoPoint, place: GeoPoint) -> None:
    search.put([a_document(1, place=place)])
    assert found(search, asked(near=GeoRadius(middle, 5))) == [1]


def test_within_finds_only_the_given_photos(search: Search) -> None:
    search.put([a_document(n, "sea" if n % 2 else "sand") for n in range(10)])
    within = frozenset({an_id(1), an_id(2), an_id(5), an_id(99), 'no "id" at all'})
    assert found(search, asked("sea", within=within)) == [5, 1]
    assert found(search, asked(within=within)) == [5, 2, 1]
    assert found(search, asked(within=frozenset())) == []


def test_too_many_words_are_refused(search: Search) -> None:
    assert found(search, asked(" ".join(f"w{n}" for n in range(MAX_WORDS)))) == []
    with pytest.raises(BadInput, match="at most 20 words"):
        found(search, asked(" ".join(f"w{n}" for n in range(MAX_WORDS + 1))))


def test_a_word_may_match_very_many_names(search: Search) -> None:
    search.put([a_document(1, "", "", "person:4999"), a_document(2)])
    many = frozenset(f"person:{n}" for n in range(5000))
    assert found(search, Asked(words=(QueryWord("a", frozenset(), many),))) == [1]

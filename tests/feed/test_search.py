"""Search, compared with a plain comparison: any library, any caller, any combination of filters."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.feed import search as feed_search
from sparks.feed.search import PhotoSearch, SearchCriteria
from sparks.feed.search_suggestions import suggest
from sparks.library.records import changes, to_item
from sparks.library.search.search_index import SearchIndex
from sparks.model.album import Album, AlbumMember, AlbumRole
from sparks.model.errors import BadInput, NotFound
from sparks.model.keyring import Keyring
from sparks.model.person import Person, PersonInScope
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, scope_of_private
from sparks.model.times import now
from sparks.search.fts5 import Fts5Search
from sparks.search.memory import MemorySearch
from sparks.search.port import Search, Sort
from sparks.table.memory import MemoryTable
from sparks.table.port import Key, Put
from tests.factories import ANN, BOB, NOON, a_photo, a_user
from tests.feed.reference_search import USERS, World, member, wishes, worlds
from tests.library.tables import Counted

RING: Final = Keyring("test", {"test": b"t" * 32})
OPENS: Final[dict[str, Callable[[Path], Search]]] = {
    "memory": lambda _: MemorySearch(),
    "fts5": lambda folder: Fts5Search(folder / "search.db"),
}


def searching(who: str, index: SearchIndex, table: MemoryTable) -> PhotoSearch:
    return PhotoSearch(who=member(who), at=NOON, index=index, table=table)


def paged(asking: PhotoSearch, wanted: SearchCriteria, limit: int) -> list[str]:
    found: list[str] = []
    after: Key | None = None
    while True:
        rows, after = asking.page(wanted, limit=limit, after=after)
        found += [row["PK"] for row in rows]
        if after is None:
            return found
        assert len(rows) == limit, "a page is full unless it is the last one"


@pytest.mark.parametrize("opens", OPENS.values(), ids=OPENS)
@settings(max_examples=60, deadline=None)
@given(
    world=worlds(),
    asked=st.lists(st.tuples(st.sampled_from(USERS), wishes), min_size=1, max_size=12),
    limit=st.integers(1, 5),
)
def test_every_combination_finds_the_same_photos_as_the_reference_search(
    opens: Callable[[Path], Search], world: World, asked: list[tuple[str, SearchCriteria]], limit: int
) -> None:
    table = MemoryTable()
    world.fill(table)
    with tempfile.TemporaryDirectory() as folder, closing(opens(Path(folder))) as search:
        index = SearchIndex(search, table=table, keyring=RING)
        index.build(at=now())
        for who, wanted in asked:
            asking = searching(who, index, table)
            if not world.may_ask(who, wanted):
                with pytest.raises(NotFound):
                    asking.page(wanted, limit=limit, after=None)
                continue
            assert paged(asking, wanted, limit) == world.expected(who, wanted)


# -- The row decides


@pytest.fixture
def table() -> MemoryTable:
    table = MemoryTable()
    for email in USERS:
        table.write(Put(to_item(a_user(email))))
    return table


@pytest.fixture
def index(table: MemoryTable) -> SearchIndex:
    return SearchIndex(MemorySearch(), table=table, keyring=RING)


def hang(table: MemoryTable, count: int, **more: object) -> list[Photo]:
    photos = [a_photo(title="Beach", **more) for _ in range(count)]
    for photo in photos:
        table.write(Put(to_item(photo)))
    return photos


@pytest.mark.parametrize(
    "change",
    [
        {"visibility": Visibility.PRIVATE},
        {"state": PhotoState.TRASHED},
        {"state": PhotoState.DELETING},
        {"title": "Mountain"},
        {"tags": ()},
        {"expires_at": NOON},
    ],
)
def test_photos_changed_since_they_were_indexed_are_left_out_and_the_page_is_full(
    table: MemoryTable, index: SearchIndex, change: dict[str, object]
) -> None:
    photos = hang(table, 30, tags=("sea",))
    index.build(at=now())
    for photo in photos[5:]:
        table.write(changes(photo, replace(photo, **change)))  # type: ignore[arg-type]
    rows, after = searching(BOB, index, table).page(SearchCriteria(text="beach", tags=("sea",)), limit=5, after=None)
    assert [row["PK"] for row in rows] == [photo.image_id for photo in reversed(photos[:5])]
    assert after is None


def test_more_favorites_than_the_index_takes_are_looked_up(
    table: MemoryTable, index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_search, "MAX_INDEXED_FAVORITES", 3)
    photos = hang(table, 12)
    for photo in photos[::2]:
        table.write(Put({"PK": photo.image_id, "SK": f"FAVORITE#{BOB}", "entityType": f"FAVORITE#{BOB}", "owner": ANN}))
    index.build(at=now())
    asking = searching(BOB, index, table)
    assert paged(asking, SearchCriteria(favorite=True), 2) == [photo.image_id for photo in reversed(photos[::2])]
    assert paged(asking, SearchCriteria(favorite=False), 4) == [photo.image_id for photo in reversed(photos[1::2])]


# -- Hidden photos and persons


def test_the_name_of_an_album_finds_nothing_for_users_who_are_not_members(
    table: MemoryTable, index: SearchIndex
) -> None:
    (photo,) = hang(table, 1, albums=("x",))
    table.write(Put(to_item(Album(album_id="x", owner=ANN, title="Surprise"))))
    index.build(at=now())
    asking = searching(BOB, index, table)
    assert paged(asking, SearchCriteria(text="surprise"), 5) == []
    with pytest.raises(NotFound):
        asking.page(SearchCriteria(albums=("x",)), limit=5, after=None)
    table.write(Put(to_item(AlbumMember(album_id="x", email=BOB, role=AlbumRole.VIEWER))))
    assert (
        paged(asking, SearchCriteria(text="surprise"), 5)
        == paged(asking, SearchCriteria(albums=("x",)), 5)
        == [photo.image_id]
    )


def test_the_name_of_a_person_whom_the_caller_does_not_see_finds_nothing(
    table: MemoryTable, index: SearchIndex
) -> None:
    """An expired photo is in no scope, so its persons are hidden."""
    (photo,) = hang(table, 1, persons=("person1",), expires_at=NOON.replace(year=2090))
    table.write(Put(to_item(Person(person_id="person1", display_name="Anna", created_at=NOON, member_count=1))))
    table.write(Put(to_item(PersonInScope(person_id="person1", scope=scope_of_private(ANN), count=1))))
    index.build(at=now())
    asking = searching(BOB, index, table)
    assert (paged(asking, SearchCriteria(text="anna"), 5), paged(asking, SearchCriteria(), 5)) == ([], [photo.image_id])
    with pytest.raises(NotFound):
        asking.page(SearchCriteria(persons=("person1",)), limit=5, after=None)
    assert paged(searching(ANN, index, table), SearchCriteria(text="anna", persons=("person1",)), 5) == [photo.image_id]


def call(table: MemoryTable, person_id: str, name: str) -> None:
    """A person whom all members see."""
    table.write(Put(to_item(Person(person_id=person_id, display_name=name, created_at=NOON, member_count=1))))
    table.write(Put(to_item(PersonInScope(person_id=person_id, scope=COMMUNITY, count=1))))


def test_of_too_many_persons_a_word_matches_exact_names_first(
    table: MemoryTable, index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_search, "MAX_PERSONS_PER_WORD", 2)
    photos = [hang(table, 1, persons=(f"person{number}",))[0] for number in (2, 3, 10, 11)]
    for person_id, name in {"person2": "Annabel", "person3": "Anneke", "person10": "Ann", "person11": "Anton"}.items():
        call(table, person_id, name)
    index.build(at=now())
    asking = searching(BOB, index, table)
    assert paged(asking, SearchCriteria(text="ann"), 5) == [photos[2].image_id, photos[0].image_id]
    assert paged(asking, SearchCriteria(text="anneke"), 5) == [photos[1].image_id]
    assert {each.person_id for each in suggest("ann", asking, few=5).persons} == {"person2", "person10"}


def test_membership_of_an_album_is_read_once_for_all_its_photos(table: MemoryTable, index: SearchIndex) -> None:
    photos = hang(table, 60, albums=("x",), visibility=Visibility.PRIVATE)
    photos += hang(table, 60, albums=("x", "y"), visibility=Visibility.PRIVATE)
    table.write(Put(to_item(AlbumMember(album_id="x", email=BOB, role=AlbumRole.VIEWER))))
    index.build(at=now())
    counted = Counted(table)
    asking = PhotoSearch(who=member(BOB), at=NOON, index=index, table=counted)
    rows, _ = asking.page(SearchCriteria(), limit=100, after=None)
    assert [row["PK"] for row in rows] == [photo.image_id for photo in reversed(photos[20:])]
    assert counted.reads <= 3  # the caller's albums, the photos, and what the caller is in their albums


@pytest.mark.parametrize(
    "wanted", [SearchCriteria(albums=("a#b",)), SearchCriteria(uploader="nobody"), SearchCriteria(persons=("#",))]
)
def test_an_invalid_id_is_not_found(table: MemoryTable, index: SearchIndex, wanted: SearchCriteria) -> None:
    index.build(at=now())
    with pytest.raises(NotFound):
        searching(ANN, index, table).page(wanted, limit=5, after=None)


def test_too_many_words_are_refused(table: MemoryTable, index: SearchIndex) -> None:
    index.build(at=now())
    many = SearchCriteria(text=" ".join(f"w{n}" for n in range(21)), sort=Sort.RELEVANCE)
    with pytest.raises(BadInput, match="at most 20 words"):
        searching(ANN, index, table).page(many, limit=5, after=None)

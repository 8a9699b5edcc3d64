"""A search index that follows the table: built from the rows, and kept current by the log after any fault."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from sparks.library import keys
from sparks.library.index_refresh import refreshed
from sparks.library.people.person_decisions import name_person
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.records import changes, key_of, to_item
from sparks.library.search.change_log import KEEP_FOR, SearchLoggingTable
from sparks.library.search.search_index import COMPARE_EVERY, SearchIndex
from sparks.model.errors import Busy
from sparks.model.keyring import Keyring
from sparks.model.photo import PhotoState, Visibility
from sparks.model.times import now
from sparks.search.fts5 import Fts5Search
from sparks.search.port import IndexQuery, NameKind, QueryWord, Search, Sort, facet
from sparks.table.port import Delete, Put, Set, Table
from tests.factories import ANN, NOON, a_person, a_photo, a_user, an_album
from tests.servers.process import wait_until

RING: Final = Keyring("test", {"test": b"t" * 32})
HOUR: Final = timedelta(hours=1)


@pytest.fixture
def noted(table: Table) -> SearchLoggingTable:
    return SearchLoggingTable(table, keyring=RING)


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    with closing(Fts5Search(tmp_path / "search.db")) as search:
        yield search


@pytest.fixture
def index(noted: SearchLoggingTable, search: Search) -> SearchIndex:
    return SearchIndex(search, table=noted, keyring=RING)


def found(index: SearchIndex, word: str = "", *facets: str) -> set[str]:
    words = (QueryWord(word),) if word else ()
    question = IndexQuery(words=words, groups=tuple(frozenset({each}) for each in facets))
    return {hit.image_id for hit in index.find(question, by=Sort.NEWEST, limit=100)}


def test_nothing_is_answered_until_all_is_there(index: SearchIndex, noted: SearchLoggingTable) -> None:
    photo = a_photo(title="Sea")
    noted.write(Put(to_item(photo)))
    with pytest.raises(Busy, match="is being built, and holds 0 photos so far"):
        found(index, "sea")
    index.catch_up(at=now())
    assert found(index, "sea") == {photo.image_id}


def test_a_changed_photo_is_found_as_it_is_now(index: SearchIndex, noted: SearchLoggingTable) -> None:
    index.catch_up(at=now())
    photo = a_photo(title="Beach", tags=("Blue",), albums=("x",))
    noted.write(Put(to_item(photo)))
    index.catch_up(at=now())
    assert found(index, "beach", facet("tag", "blue"), facet("album", "x")) == {photo.image_id}
    edited = edit_photo(photo, PhotoEdit(title="Sand", tags=()), version=1, at=NOON, table=noted)
    index.catch_up(at=now())
    assert (found(index, "beach"), found(index, "blue"), found(index, "sand")) == (set(), set(), {photo.image_id})
    trashed = trash_photo(edited, at=NOON, table=noted)
    index.catch_up(at=now())
    assert found(index) == set()
    restored = restore_photo(trashed, at=NOON, table=noted)
    noted.write(changes(restored, replace(restored, visibility=Visibility.PRIVATE, albums=("y",))))
    index.catch_up(at=now())
    assert found(index, "", facet("album", "y")) == {photo.image_id}
    assert found(index, "", facet("seen", "everyone")) == set()
    noted.write(Delete(key_of(photo)))
    index.catch_up(at=now())
    assert found(index) == set()


def test_a_new_name_is_one_entry_however_many_photos_show_the_person(
    index: SearchIndex, noted: SearchLoggingTable
) -> None:
    noted.write(Put(to_item(a_person())))
    noted.write(Put(to_item(an_album(album_id="x", title="Summer"))))
    noted.write(Put(to_item(a_user())))
    index.catch_up(at=now())
    assert index.names(NameKind.PERSON, ["person1"]) == {}
    name_person("person1", "Änne", who=ANN, at=NOON, table=noted)
    noted.write(Set(keys.album("x"), {"title": "Winter"}))
    assert index.catch_up(at=now()) == 2
    assert index.names(NameKind.PERSON, ["anne"]) == {"person1": True}
    assert (index.names(NameKind.ALBUM, ["winter"]), index.names(NameKind.ALBUM, ["summer"])) == ({"x": True}, {})
    assert index.names(NameKind.MEMBER, ["ann"]) == {ANN: True}
    noted.write(Delete(keys.person("person1")))
    noted.write(Delete(keys.album("x")))
    noted.write(Set(keys.user(ANN), {"removedAt": "2025-08-01T12:00:00.000Z"}))
    index.catch_up(at=now())
    assert [index.names(kind, [word]) for kind, word in zip(NameKind, ("anne", "winter", "ann"), strict=True)] == [
        {}
    ] * 3


def test_a_merged_person_has_no_searchable_name(index: SearchIndex, noted: SearchLoggingTable) -> None:
    noted.write(Put(to_item(a_person(1, display_name="Anna", canonical_person_id="person2"))))
    index.catch_up(at=now())
    assert index.names(NameKind.PERSON, ["anna"]) == {}


def test_an_index_that_is_too_far_behind_is_rebuilt_from_the_rows(
    index: SearchIndex, table: Table, search: Search
) -> None:
    """As if its entries had expired: they were never written."""
    kept, gone = a_photo(title="Sea"), a_photo(title="Seaside")
    table.write(Put(to_item(gone)))
    index.catch_up(at=now())
    table.write(Put(to_item(kept)))
    table.write(Put(to_item(a_person(1, display_name="Anna"))))
    table.write(Delete(key_of(gone)))
    index.catch_up(at=now())
    assert found(index) == {gone.image_id}
    search.advance(now() - KEEP_FOR)
    index.catch_up(at=now())
    assert (found(index), index.names(NameKind.PERSON, ["anna"])) == ({kept.image_id}, {"person1": True})


def test_an_entry_that_appears_late_is_indexed(index: SearchIndex, noted: SearchLoggingTable) -> None:
    at = now()
    index.catch_up(at=at + timedelta(minutes=10))
    photo = a_photo(title="Sea")
    noted.write(Put(to_item(photo)))
    index.catch_up(at=at + timedelta(minutes=12))
    assert found(index, "sea") == {photo.image_id}


def test_entries_of_a_secret_that_is_not_here_make_it_look_at_everything_now_and_then(
    noted: SearchLoggingTable, search: Search
) -> None:
    one, two = a_photo(title="Beach"), a_photo(title="Beach")
    SearchIndex(search, table=noted, keyring=RING).catch_up(at=now() - HOUR)
    other = SearchIndex(search, table=noted, keyring=Keyring("new", {"new": b"n" * 32}))
    noted.write(Put(to_item(one)))
    other.catch_up(at=now())
    assert found(other, "beach") == {one.image_id}
    noted.write(Put(to_item(two)))
    other.catch_up(at=now())
    assert found(other, "beach") == {one.image_id}
    other.catch_up(at=now() + COMPARE_EVERY)
    assert found(other, "beach") == {one.image_id, two.image_id}


def test_a_rebuild_corrects_the_index_and_reports_its_progress(
    index: SearchIndex, noted: SearchLoggingTable, search: Search
) -> None:
    photos = [a_photo(title=f"Sea {n}", visibility=list(Visibility)[n % 2]) for n in range(5)]
    noted.write(*(Put(to_item(photo)) for photo in photos), Put(to_item(a_photo(state=PhotoState.TRASHED))))
    index.catch_up(at=now())
    search.remove([photos[0].image_id])
    told: list[int] = []
    assert index.build(at=now(), anew=True, told=told.append) == 5
    assert (found(index, "sea"), told[-1]) == ({photo.image_id for photo in photos}, 5)


def test_a_damaged_file_is_filled_again_by_who_follows(noted: SearchLoggingTable, tmp_path: Path) -> None:
    path, photo = tmp_path / "damaged.db", a_photo(title="Sea")
    noted.write(Put(to_item(photo)))
    with closing(Fts5Search(path)) as search:
        SearchIndex(search, table=noted, keyring=RING).catch_up(at=now())
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with closing(Fts5Search(path)) as search:
        index = SearchIndex(search, table=noted, keyring=RING)
        with refreshed(index, what="words", every=0.01):
            wait_until(lambda: search.position() is not None, what="the index was not built")
        assert found(index, "sea") == {photo.image_id}


def test_a_refreshed_index_follows_within_a_second(index: SearchIndex, noted: SearchLoggingTable) -> None:
    with refreshed(index, what="words", every=0.05):
        wait_until(lambda: _is_built(index), what="the index was not built")
        photo = a_photo(title="Sea")
        noted.write(Put(to_item(photo)))
        wait_until(lambda: found(index, "sea") == {photo.image_id}, what="it was not found")


def test_two_who_share_a_file_do_each_others_work(noted: SearchLoggingTable, search: Search) -> None:
    one, other = (SearchIndex(search, table=noted, keyring=RING) for _ in range(2))
    one.catch_up(at=now())
    photo = a_photo(title="Sea")
    noted.write(Put(to_item(photo)))
    other.catch_up(at=now())
    one.catch_up(at=now())
    assert found(one, "sea") == found(other, "sea") == {photo.image_id}


def test_a_table_of_many_machines_is_followed_alike(dynamodb: Table, search: Search) -> None:
    noted = SearchLoggingTable(dynamodb, keyring=RING)
    index = SearchIndex(search, table=noted, keyring=RING)
    index.catch_up(at=now())
    photo = a_photo(title="Zanzibar")
    noted.write(Put(to_item(photo)))
    index.catch_up(at=now())
    assert found(index, "zanzibar") == {photo.image_id}


def _is_built(index: SearchIndex) -> bool:
    try:
        index.check_built()
    except Busy:
        return False
    return True

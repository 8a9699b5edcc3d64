"""Writes: documents and names that are added, replaced and removed; and the position."""

from datetime import timedelta

from sparks.search.port import NameEntry, NameKind, Search
from sparks.search.tokenizer import words_of
from tests.conformance.search.sample_documents import a_document, an_id, asked, found
from tests.factories import NOON


def test_a_document_replaces_the_one_before(search: Search) -> None:
    search.put([a_document(1, "sea", "", "tag:a", camera="Canon", time=9000), a_document(2, "sea")])
    search.put([a_document(1, "sand", "", "tag:b", camera="Nikon", time=1)])
    assert (found(search, asked("sea")), found(search, asked("", ["tag:a"]))) == ([2], [])
    assert found(search, asked("sand", ["tag:b"])) == [1]
    assert found(search, asked()) == [2, 1]
    assert search.cameras() == ["Nikon"]


def test_of_several_documents_of_a_photo_the_last_one_counts(search: Search) -> None:
    search.put([a_document(1, "sea"), a_document(1, "sand")])
    assert (found(search, asked("sea")), found(search, asked("sand")), search.count()) == ([], [1], 1)


def test_a_document_put_twice_or_anew_is_there_once(search: Search) -> None:
    for anew in (False, False, True):
        search.put([a_document(1, "sea", "", "tag:a")], anew=anew)
    assert (found(search, asked("sea", ["tag:a"])), search.ids()) == ([1], {an_id(1)})


def test_a_removed_document_is_not_found(search: Search) -> None:
    search.put([a_document(1, "sea", camera="Canon"), a_document(2, "sea")])
    search.remove([an_id(1), an_id(7)])
    search.remove([an_id(1)])
    assert (found(search, asked("sea")), search.ids(), search.count(), search.cameras()) == ([2], {an_id(2)}, 1, [])


def test_each_camera_is_listed_once(search: Search) -> None:
    search.put([a_document(n, camera=["Canon", "Nikon", None][n % 3]) for n in range(9)])
    assert search.cameras() == ["Canon", "Nikon"]


def a_name(each: str, text: str, kind: NameKind = NameKind.PERSON) -> NameEntry:
    return NameEntry(kind, each, words_of(text))


def test_names_are_found_by_prefixes_of_their_words(search: Search) -> None:
    search.put_names([a_name("1", "Anna Müller"), a_name("2", "Annabel"), a_name("3", "Bo"), a_name("4", "Ann Ämule")])
    assert search.names(NameKind.PERSON, ["ann"]) == {"1": False, "2": False, "4": True}
    assert search.names(NameKind.PERSON, ["anna", "mu"]) == {"1": False}
    assert search.names(NameKind.PERSON, ["anna", "muller"]) == {"1": True}
    assert search.names(NameKind.PERSON, ["mu", "bo"]) == {}
    assert search.names(NameKind.ALBUM, ["ann"]) == {}


def test_a_new_name_replaces_the_old_one(search: Search) -> None:
    search.put_names([a_name("1", "Anna"), a_name("1", "Anna", NameKind.MEMBER)])
    search.put_names([a_name("1", "Berta")])
    assert search.names(NameKind.PERSON, ["a"]) == {}
    assert search.names(NameKind.PERSON, ["berta"]) == {"1": True}
    assert search.names(NameKind.MEMBER, ["anna"]) == {"1": True}
    search.put_names([a_name("1", "")])
    assert (search.named_ids(NameKind.PERSON), search.named_ids(NameKind.MEMBER)) == (set(), {"1"})


def test_the_position_is_none_until_it_is_set(search: Search) -> None:
    assert search.position() is None
    search.advance(NOON)
    search.advance(NOON + timedelta(milliseconds=5))
    assert search.position() == NOON + timedelta(milliseconds=5)


def test_clear_removes_everything(search: Search) -> None:
    search.put([a_document(1, "sea", camera="Canon")])
    search.put_names([a_name("1", "Anna")])
    search.advance(NOON)
    search.clear()
    assert (search.ids(), search.position(), search.cameras()) == (set(), None, [])
    assert (found(search, asked()), search.names(NameKind.PERSON, ["anna"])) == ([], {})
    search.put([a_document(2, "sea")])
    assert found(search, asked("sea")) == [2]


def test_check_keeps_a_sound_index(search: Search) -> None:
    search.put([a_document(1, "sea")])
    search.check()
    assert found(search, asked("sea")) == [1]

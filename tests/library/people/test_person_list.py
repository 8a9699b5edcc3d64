"""The list of persons: most photos first, in the scopes of the caller."""

from typing import Any

from sparks.library.people.apply_decision import reconcile_person, relist_person
from sparks.library.people.person_decisions import hide_person, merge_persons, name_person
from sparks.library.people.person_list import list_persons
from sparks.library.people.visible_persons import VisiblePerson
from sparks.model.person import Person
from sparks.model.photo import Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner, scope_of_private
from sparks.table.port import Key, Table
from tests.factories import ANN, BOB, a_user
from tests.library.people.rows import FEW, also_in, met, photographed
from tests.library.photos.photo_makers import LATER

ALL = (COMMUNITY, scope_of_private(ANN))
PRIVATE = Visibility.PRIVATE


def in_photos(table: Table, photos: int, private: int = 0, **more: Any) -> Person:
    """A person in so many photos of the community, and so many private ones of Ann's."""
    ready = [photographed(table, **more) for _ in range(photos)]
    ready += [photographed(table, **{**more, "visibility": PRIVATE}) for _ in range(private)]
    person = met(table, ready[0])
    also_in(table, person, *ready[1:])
    return person


def read(table: Table, *scopes: Scope, limit: int = 100, **more: Any) -> list[VisiblePerson]:
    """All pages of it."""
    found: list[VisiblePerson] = []
    after: Key | None = None
    while True:
        page, after = list_persons(scopes or ALL, limit=limit, after=after, table=table, **more)
        assert len(page) == limit or after is None
        found += page
        if after is None:
            return found


def counts(found: list[VisiblePerson]) -> list[tuple[str, int]]:
    return [(each.person_id, each.photo_count) for each in found]


def test_persons_in_most_photos_come_first_and_then_those_who_were_founded_first(table: Table) -> None:
    few, many, more = in_photos(table, 2), in_photos(table, 3), in_photos(table, 3)
    assert counts(read(table)) == [(many.person_id, 3), (more.person_id, 3), (few.person_id, 2)]


def test_photos_of_the_community_and_private_ones_add_up(table: Table) -> None:
    both, private = in_photos(table, 1, private=3), in_photos(table, 0, private=2)
    assert counts(read(table)) == [(both.person_id, 4), (private.person_id, 2)]
    assert counts(read(table, COMMUNITY)) == []
    assert counts(read(table, COMMUNITY, few=True)) == [(both.person_id, 1)]
    assert counts(read(table, COMMUNITY, scope_of_private(BOB), few=True)) == [(both.person_id, 1)]


def test_a_person_in_few_photos_of_each_scope_is_listed_by_the_sum(table: Table) -> None:
    person = in_photos(table, 1, private=1)
    assert FEW == 2
    assert counts(read(table)) == [(person.person_id, 2)]


def test_the_scope_of_ones_own_photos_has_its_own_list(table: Table) -> None:
    ann, bob = in_photos(table, 2, private=1), in_photos(table, 2, owner=BOB)
    assert counts(read(table, scope_of_owner(ANN))) == [(ann.person_id, 3)]
    assert counts(read(table, scope_of_owner(BOB))) == [(bob.person_id, 2)]


def test_a_person_in_few_photos_is_listed_on_request_or_when_named(table: Table) -> None:
    named, nameless = in_photos(table, 1), in_photos(table, 1)
    name_person(named.person_id, "Grace", who=ANN, at=LATER, table=table)
    relist_person(named.person_id, min_photos=FEW, table=table)
    assert counts(read(table)) == [(named.person_id, 1)]
    assert counts(read(table, few=True)) == [(named.person_id, 1), (nameless.person_id, 1)]


def test_a_hidden_person_is_listed_only_on_request(table: Table) -> None:
    shown, hidden, few = in_photos(table, 2), in_photos(table, 1, private=2), in_photos(table, 1)
    hide_person(hidden.person_id, hidden=True, who=ANN, at=LATER, table=table)
    relist_person(hidden.person_id, min_photos=FEW, table=table)
    assert counts(read(table)) == [(shown.person_id, 2)]
    assert counts(read(table, few=True)) == [(shown.person_id, 2), (few.person_id, 1)]
    assert counts(read(table, hidden=True)) == [(hidden.person_id, 3), (shown.person_id, 2)]
    assert [each.person.hidden for each in read(table, hidden=True)] == [True, False]
    assert len(read(table, hidden=True, few=True)) == 3


def test_pages_are_full_and_hold_each_person_once(table: Table) -> None:
    persons = [in_photos(table, 1 + number % 3) for number in range(7)]
    for person in persons[:2]:
        hide_person(person.person_id, hidden=True, who=ANN, at=LATER, table=table)
    everyone = counts(read(table, few=True))
    assert len(everyone) == 5
    for limit in (1, 2, 3, 5):
        assert counts(read(table, few=True, limit=limit)) == everyone


def test_a_page_is_filled_with_persons_whom_the_caller_sees(table: Table) -> None:
    persons = [in_photos(table, 2) for _ in range(4)]
    odd = {persons[1].person_id, persons[3].person_id}
    found = read(table, limit=1, sees=lambda seen: seen.person_id in odd)
    assert [each.person_id for each in found] == sorted(odd)


def test_the_best_face_of_all_scopes_shows_a_person(table: Table) -> None:
    shown, private = photographed(table), photographed(table, visibility=PRIVATE)
    person = met(table, shown, quality=0.2)
    also_in(table, person, private, quality=0.9)
    (seen,) = read(table)
    assert seen.rep_image_id == private.image_id
    (seen,) = read(table, COMMUNITY, few=True)
    assert seen.rep_image_id == shown.image_id


def test_a_merged_person_is_not_listed_beside_the_person_they_became(table: Table) -> None:
    kept, gone = in_photos(table, 2), in_photos(table, 3)
    merge_persons(kept.person_id, gone.person_id, who=ANN, at=LATER, table=table)
    assert [each.person_id for each in read(table)] == [kept.person_id]
    for person in (kept, gone):
        reconcile_person(person.person_id, min_photos=FEW, table=table)
    assert counts(read(table)) == [(kept.person_id, 5)]


def test_a_person_merged_into_an_unseen_one_is_listed_as_that_one(table: Table) -> None:
    kept, gone = in_photos(table, 0, private=2), in_photos(table, 2)
    also = in_photos(table, 2)
    for each in (gone, also):
        merge_persons(kept.person_id, each.person_id, who=ANN, at=LATER, table=table)
    assert [each.person_id for each in read(table, COMMUNITY)] == [kept.person_id]


def test_lists_are_the_same_on_every_table(any_table: Table) -> None:
    owner = a_user(f"lister{id(any_table)}@example.com").email
    two, three = in_photos(any_table, 1, private=1, owner=owner), in_photos(any_table, 3, owner=owner)
    one = in_photos(any_table, 1, owner=owner)
    mine = scope_of_owner(owner)
    assert counts(read(any_table, mine)) == [(three.person_id, 3), (two.person_id, 2)]
    assert counts(read(any_table, mine, few=True, limit=1))[2:] == [(one.person_id, 1)]

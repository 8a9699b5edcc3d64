"""Persons as a caller sees them: only by the caller's scopes."""

from typing import Any

import pytest

from sparks.library.authorized_reads import person_for
from sparks.library.people.apply_decision import reconcile_person
from sparks.library.people.person_decisions import merge_persons, name_person
from sparks.library.people.visible_persons import VisiblePerson, find_visible_persons
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.records import key_of
from sparks.model.access import Action
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import ANONYMOUS, Caller, Credential, GuestCaller, Member
from sparks.model.errors import NotFound, NotSignedIn
from sparks.model.photo import Visibility
from sparks.model.scope import COMMUNITY, scope_of_album
from sparks.model.share import Guest, LinkPermission, ShareLink
from sparks.table.port import Delete, Table
from tests.account_makers import keep
from tests.factories import ANN, BOB, NOON, a_user
from tests.library.people.rows import FEW, also_in, met, photographed, settle
from tests.library.photos.photo_makers import LATER
from tests.library.tables import Counted

ALBUM = "album1"
PRIVATE = Visibility.PRIVATE
ANNS = Member(a_user(ANN), Credential("session", "s1"))
BOBS = Member(a_user(BOB), Credential("session", "s2"))


def a_guest(**more: Any) -> GuestCaller:
    told: dict[str, Any] = {"allow": frozenset({LinkPermission.VIEW}), **more}
    link = ShareLink(link_id="l1", album_id=ALBUM, secret_hash="h", created_by=ANN, created_at=NOON, **told)
    return GuestCaller(link, Guest(link_id="l1", guest_id="g1", secret_hash="h", created_at=NOON))


def join(table: Table, email: str = BOB) -> AlbumMember:
    member = AlbumMember(album_id=ALBUM, email=email, role=AlbumRole.VIEWER)
    keep(table, member)
    return member


def look(table: Table, caller: Caller, person_id: str) -> VisiblePerson:
    return person_for(caller, Action.SEE_PERSONS, person_id, at=LATER, table=table)


def is_seen(table: Table, caller: Caller, person_id: str) -> bool:
    try:
        look(table, caller, person_id)
    except NotFound:
        return False
    return True


def test_everyone_sees_who_is_in_the_community_in_as_many_photos_as_they_see(table: Table) -> None:
    person = met(table, photographed(table))
    also_in(table, person, photographed(table), photographed(table, visibility=PRIVATE))
    found = look(table, BOBS, person.person_id)
    assert (found.photo_count, set(found.scopes)) == (2, {COMMUNITY})
    assert look(table, ANNS, person.person_id).photo_count == 3


def test_a_person_only_in_private_photos_is_hidden_from_other_users(table: Table) -> None:
    person = met(table, photographed(table, visibility=PRIVATE))
    assert look(table, ANNS, person.person_id).photo_count == 1
    with pytest.raises(NotFound) as foreign:
        look(table, BOBS, person.person_id)
    with pytest.raises(NotFound) as missing:
        look(table, BOBS, "person4711")
    assert str(foreign.value) == str(missing.value)


def test_the_cover_face_of_a_person_is_one_that_the_caller_sees(table: Table) -> None:
    shown, private = photographed(table), photographed(table, visibility=PRIVATE)
    person = met(table, shown, quality=0.2)
    also_in(table, person, private, quality=0.9)
    assert look(table, BOBS, person.person_id).rep_image_id == shown.image_id
    assert look(table, ANNS, person.person_id).rep_image_id == private.image_id


def test_a_member_of_an_album_sees_who_is_in_it_until_they_leave(table: Table) -> None:
    person = met(table, photographed(table, visibility=PRIVATE, albums=(ALBUM,)))
    assert not is_seen(table, BOBS, person.person_id)
    member = join(table)
    found = look(table, BOBS, person.person_id)
    assert (found.photo_count, set(found.scopes)) == (1, {scope_of_album(ALBUM)})
    table.write(Delete(key_of(member)))
    assert not is_seen(table, BOBS, person.person_id)


def test_a_guest_sees_who_is_in_the_album_of_the_link(table: Table) -> None:
    within = met(table, photographed(table, visibility=PRIVATE, albums=(ALBUM,)))
    outside = met(table, photographed(table))
    assert look(table, a_guest(), within.person_id).photo_count == 1
    assert not is_seen(table, a_guest(), outside.person_id)
    assert not is_seen(table, a_guest(persons=(outside.person_id,)), within.person_id)
    assert is_seen(table, a_guest(persons=(within.person_id,)), within.person_id)
    assert not is_seen(table, a_guest(reveal_at=LATER.replace(year=2099)), within.person_id)


def test_an_anonymous_caller_sees_no_person(table: Table) -> None:
    person = met(table, photographed(table))
    with pytest.raises(NotSignedIn):
        look(table, ANONYMOUS, person.person_id)


def test_a_person_only_in_trashed_photos_is_not_seen(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    trash_photo(photo, at=LATER, table=table)
    settle(table, photo)
    assert not is_seen(table, ANNS, person.person_id)


def test_a_merged_person_is_seen_as_the_person_they_became(table: Table) -> None:
    kept, gone = met(table, photographed(table)), met(table, photographed(table))
    merge_persons(kept.person_id, gone.person_id, who=ANN, at=LATER, table=table)
    before = look(table, BOBS, gone.person_id)
    for person in (kept, gone):
        reconcile_person(person.person_id, min_photos=FEW, table=table)
    after = look(table, BOBS, gone.person_id)
    assert before.person_id == after.person_id == kept.person_id
    assert before.photo_count == after.photo_count == 2
    assert after.ids == {kept.person_id, gone.person_id}


def test_a_merge_reveals_no_person_whom_the_caller_did_not_see(table: Table) -> None:
    shown, private = met(table, photographed(table)), met(table, photographed(table, visibility=PRIVATE))
    merge_persons(shown.person_id, private.person_id, who=ANN, at=LATER, table=table)
    assert look(table, BOBS, private.person_id).photo_count == 1
    assert look(table, BOBS, private.person_id).scopes == {COMMUNITY}


@pytest.mark.parametrize("person_id", ["", "#", "person1#x", "person", "\udcff", "x" * 2000])
def test_an_invalid_person_id_is_not_found(table: Table, person_id: str) -> None:
    assert not is_seen(table, ANNS, person_id)


# -- Many at once


def test_reading_many_persons_returns_those_that_reading_one_would(table: Table) -> None:
    join(table)
    persons = [
        met(table, photographed(table)),
        met(table, photographed(table, visibility=PRIVATE)),
        met(table, photographed(table, visibility=PRIVATE, albums=(ALBUM,))),
        met(table, photographed(table, visibility=PRIVATE, owner=BOB)),
    ]
    kept = met(table, photographed(table, visibility=PRIVATE, owner=BOB))
    merge_persons(kept.person_id, persons[1].person_id, who=ANN, at=LATER, table=table)
    person_ids = [each.person_id for each in (*persons, kept)]
    for who in (ANNS, BOBS, a_guest()):
        alone = {each: look(table, who, each).person_id for each in person_ids if is_seen(table, who, each)}
        together = find_visible_persons(who, [*person_ids, "person4711"], table=table)
        assert {each: found.person_id for each, found in together.items()} == alone


def test_persons_are_read_as_they_are_called_now(table: Table) -> None:
    person = met(table, photographed(table))
    name_person(person.person_id, "Grace", who=ANN, at=LATER, table=table)
    assert look(table, BOBS, person.person_id).person.display_name == "Grace"
    assert find_visible_persons(BOBS, [person.person_id], table=table)[person.person_id].person.display_name == "Grace"


def test_a_redirect_to_a_deleted_person_is_skipped(table: Table) -> None:
    kept, gone = met(table, photographed(table)), met(table, photographed(table))
    merge_persons(kept.person_id, gone.person_id, who=ANN, at=LATER, table=table)
    table.write(Delete(key_of(kept)))
    assert find_visible_persons(BOBS, [gone.person_id], table=table) == {}
    assert not is_seen(table, BOBS, gone.person_id)


def test_any_number_of_visible_persons_takes_the_same_reads(table: Table) -> None:
    persons = [met(table, photographed(table)) for _ in range(30)]
    counted = Counted(table)
    seen = find_visible_persons(BOBS, [each.person_id for each in persons], table=counted)
    assert {each: found.photo_count for each, found in seen.items()} == {each.person_id: 1 for each in persons}
    assert counted.reads == 2


def test_persons_seen_only_in_albums_or_nowhere_are_read_once_each(table: Table) -> None:
    join(table)
    within = [met(table, photographed(table, visibility=PRIVATE, albums=(ALBUM,))) for _ in range(10)]
    private = [met(table, photographed(table, visibility=PRIVATE)) for _ in range(10)]
    counted = Counted(table)
    seen = find_visible_persons(BOBS, [each.person_id for each in (*private, *within)], table=counted)
    assert {each: set(found.scopes) for each, found in seen.items()} == {
        each.person_id: {scope_of_album(ALBUM)} for each in within
    }
    assert counted.reads == 2 + 20 + 1


def test_two_persons_who_became_one_are_returned_as_that_one(table: Table) -> None:
    join(table)
    kept, first, second = (met(table, photographed(table, visibility=PRIVATE, albums=(ALBUM,))) for _ in range(3))
    for gone in (first, second):
        merge_persons(kept.person_id, gone.person_id, who=ANN, at=LATER, table=table)
    seen = find_visible_persons(BOBS, [first.person_id, second.person_id], table=table)
    assert seen[first.person_id] == seen[second.person_id] == look(table, BOBS, kept.person_id)
    assert seen[first.person_id].ids == {kept.person_id, first.person_id, second.person_id}

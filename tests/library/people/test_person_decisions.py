"""Decisions stand, can be undone, and are deleted with the photos that they are about."""

from dataclasses import replace

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys, keys
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.decision_log import MAX_FACES, all_decisions, find_decision
from sparks.library.people.face_assignment import assign_face
from sparks.library.people.face_rows import match_known, remove_face, stale_faces, store_face
from sparks.library.people.person_decisions import (
    add_manual_face,
    assign_faces,
    choose_picture,
    hide_person,
    mark_different,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.photo_faces import decisions_about, find_face, find_person
from sparks.library.people.redirects import get_person, resolve_person
from sparks.library.people.replay_decisions import in_force
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.records import from_item
from sparks.model.errors import BadInput, Conflict, NotFound
from sparks.model.face import Box, Face
from sparks.model.person import Decision, PersonInScope
from sparks.model.photo import Photo
from sparks.model.scope import COMMUNITY
from sparks.table.port import Table
from tests.account_makers import everything, keep
from tests.factories import ANN, BOB, NOON, a_face, a_person
from tests.library.people.rows import (
    FEW,
    a_box,
    also_in,
    check_settled,
    face_in,
    met,
    photographed,
    seen,
    settle,
)
from tests.library.photos.photo_makers import LATER
from tests.stored_traces import traces_of


def settled(decision: Decision | None, table: Table) -> Decision:
    assert decision is not None
    apply_decision(decision, min_photos=FEW, table=table)
    return decision


def undone(decision: Decision, table: Table) -> None:
    settled(undo_decision(decision.decision_id, who=ANN, at=LATER, table=table), table)


def in_community(person_id: str, table: Table) -> PersonInScope | None:
    item = table.get(keys.person_in_scope(person_id, COMMUNITY))
    return None if item is None else from_item(PersonInScope, item)


# -- Names, and who is listed


def test_a_named_person_is_listed_and_stays_without_faces(any_table: Table) -> None:
    photo = photographed(any_table)
    person = met(any_table, photo)
    few = in_community(person.person_id, any_table)
    assert few is not None
    assert not few.listed
    settled(name_person(person.person_id, " Eve ", who=ANN, at=LATER, table=any_table), any_table)
    listed = in_community(person.person_id, any_table)
    assert listed is not None
    assert listed.listed
    remove_face(photo.image_id, ANN, str(listed.rep_face_id), at=LATER, table=any_table)
    settle(any_table, photo)
    kept = get_person(person.person_id, table=any_table)
    assert (kept.display_name, kept.member_count, kept.rep_face_id) == ("Eve", 0, None)


def test_undoing_a_name_restores_the_former_one(table: Table) -> None:
    keep(table, a_person(7, display_name="From elsewhere"))
    one = name_person("person7", "Eve", who=ANN, at=NOON, table=table)
    two = name_person("person7", "Eva", who=BOB, at=LATER, table=table)
    undone(one, table)
    assert get_person("person7", table=table).display_name == "Eva"
    undone(two, table)
    assert get_person("person7", table=table).display_name == "From elsewhere"
    assert [decision.who for decision in decisions_about("person7", table=table)] == [ANN, BOB, ANN, ANN]


@pytest.mark.parametrize("name", ["x" * 101, "person12", "Person1", "a\x00b"])
def test_an_unreadable_name_or_one_like_an_id_is_refused(table: Table, name: str) -> None:
    keep(table, a_person(7))
    with pytest.raises(BadInput):
        name_person("person7", name, who=ANN, at=NOON, table=table)


def test_a_hidden_person_is_in_no_list_until_that_is_undone(table: Table) -> None:
    one, other = photographed(table), photographed(table)
    person = met(table, one)
    also_in(table, person, other)
    hiding = settled(hide_person(person.person_id, hidden=True, who=ANN, at=LATER, table=table), table)
    check_settled(table)
    assert get_person(person.person_id, table=table).hidden
    undone(hiding, table)
    check_settled(table)
    assert not get_person(person.person_id, table=table).hidden


def test_undoing_twice_is_harmless_and_an_undoing_is_not_undone(table: Table) -> None:
    keep(table, a_person(7, display_name="Eve"))
    hiding = hide_person("person7", hidden=True, who=ANN, at=NOON, table=table)
    undone(hiding, table)
    before = everything(table)
    undone(hiding, table)
    assert everything(table) == before
    [undoing] = [each for each in decisions_about("person7", table=table) if each.undoes is not None]
    with pytest.raises(Conflict):
        undo_decision(undoing.decision_id, who=ANN, at=LATER, table=table)


@pytest.mark.parametrize("decision_id", ["", "x", "x.person1", "x.", ".a#b"])
def test_a_missing_decision_cannot_be_undone(table: Table, decision_id: str) -> None:
    assert find_decision(decision_id, table=table) is None
    with pytest.raises(NotFound):
        undo_decision(decision_id, who=ANN, at=LATER, table=table)


# -- Faces


def test_a_rejected_face_never_comes_back(any_table: Table) -> None:
    photo = photographed(any_table)
    person = met(any_table, photo)
    [face] = also_in(any_table, person, photo, place=1)
    rejecting = settled(reject_faces(person.person_id, [face], who=ANN, at=LATER, table=any_table), any_table)
    assert face_in(any_table, face).person_id is None
    assert assign_face(face, person.person_id, at=LATER, table=any_table).person_id is None
    settle(any_table, photo)
    assert face_in(any_table, face).person_id is None
    undone(rejecting, any_table)
    assert face_in(any_table, face).person_id == person.person_id


def test_a_rejected_face_stays_rejected_after_a_merge(table: Table) -> None:
    photo, other = photographed(table), photographed(table)
    one, two = met(table, photo, 0), met(table, other)
    [face] = also_in(table, one, photo, place=1)
    settled(reject_faces(one.person_id, [face], who=ANN, at=NOON, table=table), table)
    settled(merge_persons(two.person_id, one.person_id, who=ANN, at=LATER, table=table), table)
    assert assign_face(face, two.person_id, at=LATER, table=table).person_id is None
    check_settled(table)


def test_decisions_beat_the_engine_in_any_order(table: Table) -> None:
    photo = photographed(table)
    one, other = met(table, photo, 0), met(table, photo, 1)
    [face] = also_in(table, one, photo, place=2)
    saying = settled(assign_faces(other.person_id, [face], who=ANN, at=LATER, table=table), table)
    assert assign_face(face, one.person_id, at=LATER, table=table).person_id == other.person_id
    assert face_in(table, face).by_hand
    check_settled(table)
    undone(saying, table)
    assert (face_in(table, face).person_id, face_in(table, face).by_hand) == (one.person_id, False)
    check_settled(table)


def test_the_later_of_two_decisions_stands_in_any_order_of_applying(table: Table) -> None:
    photo = photographed(table)
    one, other = met(table, photo, 0), met(table, photo, 1)
    face = seen(table, photo, 2)
    later = assign_faces(one.person_id, [face], who=ANN, at=LATER, table=table)
    settled(later, table)
    settled(assign_faces(other.person_id, [face], who=BOB, at=NOON, table=table), table)
    assert face_in(table, face).person_id == one.person_id
    undone(later, table)
    assert face_in(table, face).person_id == other.person_id


def test_a_decision_outlives_the_engine_and_its_ids(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    face = seen(table, photo, 1)
    settled(assign_faces(person.person_id, [face], who=ANN, at=NOON, table=table), table)
    remove_face(photo.image_id, ANN, face.face_id, at=LATER, table=table)
    moved = replace(face.box, left=face.box.left + 0.01)
    again = store_face(a_face(photo, moved, engine="test-2"), at=LATER, table=table)
    assert again.face_id != face.face_id
    assert again.person_id == person.person_id


def test_a_face_found_by_another_engine_keeps_its_id_and_manual_faces_stay(table: Table) -> None:
    photo = photographed(table)
    known = [seen(table, photo, 0), seen(table, photo, 1), seen(table, photo, 2, engine=None)]
    nudged = Box(left=0.01, top=0.0, width=0.08, height=0.08)
    found = match_known([a_face(photo, nudged, engine="test-2"), a_face(photo, a_box(5), engine="test-2")], known)
    assert found[0].face_id == known[0].face_id
    assert found[1].face_id not in {face.face_id for face in known}
    assert stale_faces(known, found) == [known[1]]


def drawn(photo: Photo) -> Face:
    return replace(a_face(photo, a_box(7), engine="hand"), engine=None, embedding=None)


def test_a_manual_face_is_assigned_and_deleted_by_its_undo(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    drawing = settled(add_manual_face(person.person_id, drawn(photo), who=ANN, at=LATER, table=table), table)
    assert get_person(person.person_id, table=table).member_count == 2
    undone(drawing, table)
    assert find_face(drawn(photo).face_id, table=table) is None
    assert get_person(person.person_id, table=table).member_count == 1
    check_settled(table)


def test_a_chosen_cover_face_stays_until_that_is_undone(table: Table) -> None:
    one, other = photographed(table), photographed(table)
    person = met(table, one, quality=0.9)
    best = get_person(person.person_id, table=table).rep_face_id
    faces = also_in(table, person, other, one, place=1, quality=0.1)
    for face in faces:
        choosing = settled(choose_picture(person.person_id, face, who=ANN, at=LATER, table=table), table)
        shown = in_community(person.person_id, table)
        assert shown is not None
        assert shown.rep_face_id == face.face_id == get_person(person.person_id, table=table).rep_face_id
        undone(choosing, table)
    assert get_person(person.person_id, table=table).rep_face_id == best
    check_settled(table)


def test_a_decision_names_no_more_faces_than_one_write_allows(table: Table) -> None:
    person = met(table, photographed(table))
    photos = [photographed(table) for _ in range(MAX_FACES)]
    faces = [seen(table, photo) for photo in photos]
    settled(assign_faces(person.person_id, faces, who=ANN, at=LATER, table=table), table)
    assert get_person(person.person_id, table=table).member_count == MAX_FACES + 1
    with pytest.raises(BadInput):
        reject_faces(person.person_id, [*faces, seen(table, photos[0], 1)], who=ANN, at=LATER, table=table)


def test_a_decision_without_faces_is_refused(table: Table) -> None:
    person = met(table, photographed(table))
    with pytest.raises(BadInput):
        reject_faces(person.person_id, [], who=ANN, at=LATER, table=table)


# -- Two become one, and one becomes two


def test_merged_persons_are_one_and_two_again_when_that_is_undone(any_table: Table) -> None:
    photo, other = photographed(any_table), photographed(any_table)
    one, two = met(any_table, photo), met(any_table, other)
    merging = settled(merge_persons(one.person_id, two.person_id, who=ANN, at=NOON, table=any_table), any_table)
    kept = get_person(two.person_id, table=any_table)
    assert (kept.person_id, kept.member_count, kept.photo_count) == (one.person_id, 2, 2)
    [late] = also_in(any_table, two, other, place=1)
    assert late.person_id == one.person_id
    undone(merging, any_table)
    counts = {each: get_person(each, table=any_table).member_count for each in (one.person_id, two.person_id)}
    assert counts == {one.person_id: 1, two.person_id: 2}


def test_merging_twice_is_harmless_and_a_name_is_kept(table: Table) -> None:
    one, two = met(table, photographed(table)), met(table, photographed(table))
    name_person(two.person_id, "Eve", who=ANN, at=NOON, table=table)
    merging = settled(merge_persons(one.person_id, two.person_id, who=ANN, at=LATER, table=table), table)
    assert (merging.person_id, merging.other_person_id) == (two.person_id, one.person_id)
    assert merge_persons(one.person_id, two.person_id, who=BOB, at=LATER, table=table) is None
    assert get_person(one.person_id, table=table).display_name == "Eve"
    check_settled(table)


def test_a_chain_of_merges_is_followed_made_short_and_undone_in_any_order(table: Table) -> None:
    three, two, one = (met(table, photographed(table)).person_id for _ in range(3))
    first = settled(merge_persons(two, three, who=ANN, at=NOON, table=table), table)
    second = settled(merge_persons(one, two, who=ANN, at=LATER, table=table), table)
    assert resolve_person(three, table=table) == one
    row = find_person(three, table=table)
    assert row is not None
    assert row.canonical_person_id == one
    undone(second, table)
    assert [resolve_person(each, table=table) for each in (three, two, one)] == [two, two, one]
    check_settled(table)
    undone(first, table)
    assert [resolve_person(each, table=table) for each in (three, two, one)] == [three, two, one]
    assert [get_person(each, table=table).member_count for each in (three, two, one)] == [1, 1, 1]
    check_settled(table)


def test_undoing_the_first_of_two_merges_restores_only_that_person(table: Table) -> None:
    three, two, one = (met(table, photographed(table)).person_id for _ in range(3))
    first = settled(merge_persons(two, three, who=ANN, at=NOON, table=table), table)
    settled(merge_persons(one, two, who=ANN, at=LATER, table=table), table)
    undone(first, table)
    assert [resolve_person(each, table=table) for each in (three, two, one)] == [three, one, one]
    assert [get_person(each, table=table).member_count for each in (three, one)] == [1, 2]
    check_settled(table)


def test_redirects_in_a_circle_end(table: Table) -> None:
    keep(table, *(a_person(n, canonical_person_id=f"person{to}") for n, to in ((1, 2), (2, 3), (3, 2))))
    assert [resolve_person(f"person{n}", table=table) for n in (1, 2, 3)] == ["person2"] * 3


def test_split_faces_are_another_person_until_that_is_undone(table: Table) -> None:
    one, other = photographed(table), photographed(table)
    person = met(table, one)
    [face] = also_in(table, person, other)
    splitting = settled(split_person(person.person_id, [face], who=ANN, at=LATER, table=table), table)
    assert face_in(table, face).person_id == splitting.other_person_id
    assert assign_face(face, person.person_id, at=LATER, table=table).person_id == splitting.other_person_id
    check_settled(table)
    undone(splitting, table)
    assert face_in(table, face).person_id == person.person_id
    assert find_person(str(splitting.other_person_id), table=table) is None
    check_settled(table)


def test_two_persons_can_be_marked_different_but_one_person_cannot(table: Table) -> None:
    one, two = met(table, photographed(table)), met(table, photographed(table))
    decision = settled(mark_different(one.person_id, two.person_id, who=ANN, at=NOON, table=table), table)
    assert in_force(all_decisions(table=table)) == [decision]
    settled(merge_persons(one.person_id, two.person_id, who=ANN, at=LATER, table=table), table)
    with pytest.raises(BadInput):
        mark_different(one.person_id, two.person_id, who=ANN, at=LATER, table=table)


# -- Photos that go


def test_a_deleted_photo_leaves_its_persons_their_pictures_and_every_decision(any_table: Table) -> None:
    blobs = MemoryBlobs()
    goes, stays = photographed(any_table), photographed(any_table)
    person = met(any_table, goes, quality=0.9)
    alone = met(any_table, goes, 1)
    [face] = also_in(any_table, person, stays)
    [mine] = also_in(any_table, person, goes, place=2, thumb_key=None)
    settled(assign_faces(person.person_id, [face, mine], who=ANN, at=LATER, table=any_table), any_table)
    settled(choose_picture(person.person_id, mine, who=ANN, at=LATER, table=any_table), any_table)
    delete_rows_and_blobs(goes, table=any_table, blobs=blobs)
    assert traces_of(goes.image_id, table=any_table, blobs=blobs) == []
    assert find_person(alone.person_id, table=any_table) is None
    left = get_person(person.person_id, table=any_table)
    assert (left.member_count, left.photo_count, left.rep_face_id) == (1, 1, face.face_id)
    [kept] = in_force(decisions_about(person.person_id, table=any_table))
    assert [each.image_id for each in kept.faces] == [stays.image_id]


def test_the_crops_of_a_deleted_photo_go_with_it(table: Table) -> None:
    blobs, photo = MemoryBlobs(), photographed(table)
    face_id = a_face(photo, a_box()).face_id
    blobs.put(blob_keys.face_thumb(face_id), [b"jpeg"])
    met(table, photo, thumb_key=blob_keys.face_thumb(face_id))
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert not blobs.list().blobs
    assert {item["PK"].partition("#")[0] for item in everything(table)} == {"FACE_INGEST", "UNKNOWN_PERSONS"}

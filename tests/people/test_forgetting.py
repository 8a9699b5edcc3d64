"""A person who is forgotten: nothing tells them, what was said of others stands, and nobody brings them back."""

import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sparks.library import keys, objects
from sparks.library.consent import BIOMETRICS, RECOGNISE, history
from sparks.library.people import (
    assign_face,
    assign_faces,
    decisions_about,
    draw_face,
    find_face,
    find_person,
    forgotten_vectors,
    found_person,
    keep_face,
    merge_persons,
    name_person,
    recognise_again,
    reject_faces,
    split_person,
    tell_apart,
    undo_decision,
)
from sparks.library.people.erasures import find_erasure
from sparks.library.people.suggestions import keep_suggestions
from sparks.library.photos import find_photo
from sparks.model.errors import NotFound, Unavailable
from sparks.model.events import ErasureBegun, UpkeepDue
from sparks.model.face import Face
from sparks.model.forgetting import Erasure, Keep
from sparks.model.person import Suggestion
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.people import applying
from sparks.people.erasing import LATE, erase_faces, erase_listed, resume_erasures
from sparks.people.forgetting import Wish, begin_forgetting
from sparks.table.memory import MemoryTable
from sparks.table.port import Set, Table
from tests.accounts import an_account, everything, interrupted
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, NOON, a_face
from tests.library.people.rows import a_box, check_settled
from tests.library.tables import Meddled
from tests.people.power import Power, PoweredTable
from tests.people.town import ENGINE, Town

ZOE, YAN, XIA = 1, 2, 3


class Forgetful(Town):
    """A town whose faces have crops, and where people can ask to be forgotten."""

    def face(self, *told: Any, **more: Any) -> Face:
        face = super().face(*told, **more)
        return self.with_crop(face)

    def with_crop(self, face: Face) -> Face:
        key = objects.face_thumb(face.face_id)
        self.blobs.put(key, [b"crop of " + face.face_id.encode()], content_type="image/jpeg")
        return keep_face(replace(face, thumb_key=key), at=self.clock, table=self.table)

    def begin(
        self, person_id: str, keep: Keep = Keep.VECTOR, account: str | None = None, table: Table | None = None
    ) -> Erasure:
        wish = Wish(person_id=person_id, keep=keep, who=ANN, account=account, at=self.now())
        return begin_forgetting(wish, table=table or self.table, blobs=self.blobs, index=self.index, terms=self.terms)

    def forget(self, person_id: str, keep: Keep = Keep.VECTOR, account: str | None = None) -> Erasure:
        return self.erase(self.begin(person_id, keep, account))

    def erase(self, erasure: Erasure, table: Table | None = None) -> Erasure:
        return erase_listed(erasure, table=table or self.table, blobs=self.blobs, index=self.index, terms=self.terms)

    def follow(self, erasure: Erasure, table: Table | None = None) -> Erasure:
        event = ErasureBegun(erasure.erasure_id)
        erase_faces(event, table=table or self.table, blobs=self.blobs, index=self.index, terms=self.terms)
        done = find_erasure(erasure.erasure_id, table=self.table)
        assert done is not None
        return done

    def crowd(self) -> dict[int, list[Face]]:
        """Three people with three photos each, and one of all."""
        faces = {who: self.photos(who, times=3) for who in (ZOE, YAN, XIA)}
        for who, face in zip(faces, self.photo(*faces), strict=True):
            faces[who].append(face)
        self.regroup()
        return faces

    def traces(self, *telling: str) -> list[str]:
        """The rows, but for receipts and ledgers, that hold one of these texts."""
        kept = ("ERASURE#", "CONSENT#", "FACE_INGEST#", "JOB#")
        rows = [row for row in everything(self.table) if not row["PK"].startswith(kept)]
        told = re.compile("|".join(f"{re.escape(text)}(?!\\d)" for text in telling))
        return [f"{row['PK']} | {row['SK']}" for row in rows if told.search(repr(row))]

    def photo_of(self, face: Face) -> Photo:
        photo = find_photo(face.image_id, table=self.table)
        assert photo is not None
        return photo


@pytest.fixture
def town() -> Forgetful:
    return Forgetful(MemoryTable())


@pytest.fixture(params=["memory", "sqlite", "dynamodb"])
def any_town(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Forgetful]:
    """On each of the adapters in turn; not alone on a server."""
    if request.param == "dynamodb":
        yield Forgetful(request.getfixturevalue("dynamodb"), engine=f"test-{uuid.uuid4()}")
        return
    with open_table(request.param, tmp_path) as table:
        yield Forgetful(table)


def test_nothing_tells_the_person_any_more(any_town: Forgetful) -> None:
    town = any_town
    faces = [*town.photos(ZOE, times=2), *town.photo(ZOE, YAN)]
    town.regroup()
    zoe = town.person(faces[:3]).person_id
    receipt = town.forget(zoe, Keep.NOTHING)
    told = receipt.before
    assert told is not None
    assert receipt.after is not None
    assert receipt.after.is_nothing
    assert (told.faces, told.embeddings, told.crops, told.vectors, told.taggings, told.persons) == (3, 3, 3, 3, 3, 1)
    done = town.follow(receipt)
    assert done.after == receipt.after
    assert done.scanned_at is not None
    ids = [face.face_id for face in faces[:3]]
    assert town.traces(f"PERSON#{zoe}", *ids) == []
    assert [blob.key for blob in town.blobs.list().blobs if any(each in blob.key for each in ids)] == []


def test_the_others_stay_who_they_are(town: Forgetful) -> None:
    faces = town.crowd()
    before = {who: town.person(faces[who]) for who in (YAN, XIA)}
    town.forget(town.person(faces[ZOE]).person_id)
    assert {who: town.person(faces[who]) for who in (YAN, XIA)} == before
    check_settled(town.table)


def test_all_who_became_them_are_forgotten_too(town: Forgetful) -> None:
    faces = town.crowd()
    zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
    merge_persons(zoe, yan, who=ANN, at=town.now(), table=town.table)  # and no face has moved yet
    receipt = town.forget(yan, Keep.NOTHING)
    assert set(receipt.person_ids) == {zoe, yan}
    assert receipt.before is not None
    assert receipt.before.faces == 8
    assert town.traces(zoe, yan) == []


def test_faces_of_theirs_that_wait_go_too(town: Forgetful) -> None:
    faces = town.crowd()
    [waiting] = town.photo(ZOE)
    [other] = town.photo(YAN)
    town.forget(town.person(faces[ZOE]).person_id, Keep.NOTHING)
    assert town.traces(waiting.face_id) == []
    assert town.person_of(other) is None


def test_a_face_that_is_not_theirs_by_what_somebody_said_stays(town: Forgetful) -> None:
    faces = town.crowd()
    zoe = town.person(faces[ZOE]).person_id
    town.settle(reject_faces(zoe, faces[ZOE][:1], who=ANN, at=town.now(), table=town.table))
    town.forget(zoe, Keep.NOTHING)
    assert town.person_of(faces[ZOE][0]) is None
    town.settle_all()
    assert town.person_of(faces[ZOE][0]) is None
    assert town.traces(zoe) == []


def test_a_name_and_all_that_was_decided_about_them_goes(town: Forgetful) -> None:
    faces = town.crowd()
    zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
    name_person(zoe, "Zoe", who=ANN, at=town.now(), table=town.table)
    tell_apart(yan, zoe, who=ANN, at=town.now(), table=town.table)
    town.settle(assign_faces(zoe, faces[ZOE][:1], who=ANN, at=town.now(), table=town.table))
    receipt = town.forget(zoe)
    assert receipt.before is not None
    assert receipt.before.decisions == 3
    assert decisions_about(yan, table=town.table) == []
    assert town.traces(zoe, "Zoe") == []


def test_faces_that_were_taken_from_them_stay_with_whoever_has_them(town: Forgetful) -> None:
    faces = town.crowd()
    zoe = town.person(faces[ZOE]).person_id
    split = town.settle(split_person(zoe, faces[ZOE][:2], who=ANN, at=town.now(), table=town.table))
    town.forget(zoe, Keep.NOTHING)
    town.settle_all()
    assert town.persons_of(faces[ZOE][:2]) == {split.other_person_id}
    town.rebuild()
    assert town.persons_of(faces[ZOE][:2]) == {split.other_person_id}
    assert town.traces(zoe) == []
    check_settled(town.table)


def test_that_a_face_is_somebody_elses_outlives_who_it_was_taken_for(town: Forgetful) -> None:
    faces = town.crowd()
    zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
    town.settle(assign_faces(yan, faces[ZOE][:1], who=ANN, at=town.now(), table=town.table))
    town.follow(town.forget(zoe, Keep.NOTHING))
    town.settle_all()
    assert town.person_of(faces[ZOE][0]) == yan
    assert town.traces(zoe) == []


def test_what_was_undone_is_not_said_again(town: Forgetful) -> None:
    faces = town.crowd()
    zoe = town.person(faces[ZOE]).person_id
    split = town.settle(split_person(zoe, faces[ZOE][:1], who=ANN, at=town.now(), table=town.table))
    undo_decision(split.decision_id, who=ANN, at=town.now(), table=town.table)
    town.settle(split)
    town.forget(zoe, Keep.NOTHING)
    assert split.other_person_id is not None
    assert town.traces(zoe, split.other_person_id) == []


def test_a_face_that_was_drawn_goes(town: Forgetful) -> None:
    faces = town.crowd()
    zoe = town.person(faces[ZOE]).person_id
    drawn = replace(a_face(town.photo_of(faces[YAN][0]), a_box(7)), engine=None)
    town.settle(draw_face(zoe, drawn, who=ANN, at=town.now(), table=town.table))
    town.forget(zoe)
    assert town.traces(zoe, drawn.face_id) == []


def test_nobody_is_asked_about_them_any_more(town: Forgetful) -> None:
    faces = town.crowd()
    zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
    pair = Suggestion(
        person_id=zoe,
        other_person_id=yan,
        face_id=faces[ZOE][0].face_id,
        other_face_id=faces[YAN][0].face_id,
        similarity=0.45,
        made_at=NOON,
    )
    keep_suggestions([pair], about=None, table=town.table)
    town.forget(zoe)
    assert town.traces(zoe) == []


def test_an_account_that_was_them_is_nobody(town: Forgetful) -> None:
    faces = town.crowd()
    zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
    an_account(town.table, ANN, person_id=zoe)
    an_account(town.table, BOB, person_id=yan, claimed_person_id=zoe)
    town.forget(zoe, account=ANN)
    assert town.traces(zoe) == []
    assert (town.table.get(keys.user(BOB)) or {})["personId"] == yan


@pytest.mark.parametrize("changes", [{"visibility": Visibility.PRIVATE}, {"state": PhotoState.TRASHED}], ids=str)
def test_faces_in_photos_that_few_see_go_too(town: Forgetful, changes: dict[str, Any]) -> None:
    faces = [face for _ in range(3) for face in town.photo(ZOE, owner=BOB, **changes)]
    town.regroup()
    zoe = town.person(faces).person_id
    town.forget(zoe, Keep.NOTHING)
    assert town.traces(zoe, *(face.face_id for face in faces)) == []


def test_the_ledger_tells_who_asked_for_it(town: Forgetful) -> None:
    zoe = town.person(town.crowd()[ZOE]).person_id
    town.forget(zoe)
    said = list(history(f"person:{zoe}", table=town.table))
    assert {(each.what, each.allowed, each.who) for each in said} == {
        (BIOMETRICS, False, ANN),
        (RECOGNISE, False, ANN),
    }


def test_who_is_not_there_cannot_be_forgotten(town: Forgetful) -> None:
    with pytest.raises(NotFound):
        town.begin("person99")


# -- What is kept


def test_one_vector_is_kept_where_they_want_that(town: Forgetful) -> None:
    faces = town.crowd()
    town.forget(town.person(faces[ZOE]).person_id, Keep.VECTOR, ANN)
    assert forgotten_vectors(ENGINE, table=town.table).shape == (1, 128)
    assert [town.photo_of(face).forgotten_boxes for face in faces[ZOE]] == [(face.box,) for face in faces[ZOE]]


def test_nothing_is_kept_where_they_want_that(town: Forgetful) -> None:
    faces = town.crowd()
    town.forget(town.person(faces[ZOE]).person_id, Keep.NOTHING, ANN)
    assert len(forgotten_vectors(ENGINE, table=town.table)) == 0
    assert {town.photo_of(face).forgotten_boxes for face in faces[ZOE]} == {()}


def test_who_wants_to_be_recognised_again_has_no_vector_left(town: Forgetful) -> None:
    faces = town.crowd()
    town.forget(town.person(faces[ZOE]).person_id, Keep.VECTOR, ANN)
    town.forget(town.person(faces[YAN]).person_id, Keep.VECTOR, BOB)
    assert recognise_again(ANN, table=town.table) == 1
    assert len(forgotten_vectors(ENGINE, table=town.table)) == 1


@pytest.mark.parametrize("keep", Keep)
def test_no_rebuild_brings_them_back(town: Forgetful, keep: Keep) -> None:
    faces = town.crowd()
    zoe = town.person(faces[ZOE]).person_id
    town.forget(zoe, keep)
    town.rebuild()
    town.regroup()
    assert town.traces(zoe, *(face.face_id for face in faces[ZOE])) == []
    assert find_person(zoe, table=town.table) is None


# -- The job


def test_the_job_alone_does_all_of_it_and_once(town: Forgetful) -> None:
    faces = town.crowd()
    town.photo(ZOE)
    begun = town.begin(town.person(faces[ZOE]).person_id)
    assert begun.face_ids != ()
    done = town.follow(begun)
    assert done.scanned_at is not None
    assert done.after is not None
    assert done.after.is_nothing
    assert done.face_ids == ()
    assert town.follow(begun) == done


def test_the_job_finds_what_no_list_told(town: Forgetful) -> None:
    """An engine took a face for them just before it was said to be somebody else's, and no decision names it."""
    faces = town.crowd()
    zoe = town.person(faces[ZOE]).person_id
    town.table.write(Set(keys.face(faces[YAN][0].image_id, faces[YAN][0].face_id), {"homePersonId": zoe}))
    receipt = town.forget(zoe)
    assert town.traces(zoe) != []
    town.follow(receipt)
    assert town.traces(zoe) == []


@pytest.mark.parametrize("keep", Keep)
def test_wherever_it_is_interrupted_the_job_ends_it(keep: Keep) -> None:
    after, cut = 0, True
    while cut:
        town = Forgetful(MemoryTable())
        faces = [*town.photos(ZOE, times=2), *town.photo(ZOE, YAN)[:1], *town.photos(YAN, times=2)]
        town.regroup()
        zoe = town.person(faces[:3]).person_id
        an_account(town.table, BOB, with_password=False, person_id=zoe)
        name_person(zoe, "Zoe", who=ANN, at=town.now(), table=town.table)
        town.settle(assign_faces(zoe, faces[:1], who=ANN, at=town.now(), table=town.table))
        begun = town.begin(zoe, keep)
        try:
            town.erase(begun, table=interrupted(town.table, after=after))
            cut = False
        except Unavailable:
            after += 1
        done = town.follow(begun)
        assert done.after is not None
        assert done.after.is_nothing
        assert town.traces(zoe, "Zoe", *(face.face_id for face in faces[:3])) == []
        assert [blob.key for blob in town.blobs.list().blobs if faces[0].face_id in blob.key] == []
        check_settled(town.table)
    assert after > 5


def test_one_whose_job_got_lost_is_sent_again(town: Forgetful) -> None:
    begun = town.begin(town.person(town.crowd()[ZOE]).person_id)
    assert list(resume_erasures(UpkeepDue(begun.asked_at), table=town.table)) == []
    late = UpkeepDue(begun.asked_at + LATE)
    assert list(resume_erasures(late, table=town.table)) == [ErasureBegun(begun.erasure_id)]
    town.follow(begun)
    assert list(resume_erasures(late, table=town.table)) == []


# -- Meanwhile


def test_a_face_of_theirs_that_comes_while_it_is_begun_goes_too(town: Forgetful) -> None:
    """Whoever found it did not see the vector yet."""
    zoe, came = town.person(town.crowd()[ZOE]).person_id, list[Face]()
    begun = town.begin(zoe, table=Meddled(town.table, lambda: came.extend(town.photo(ZOE))))
    town.erase(begun)
    assert len(came) == 1
    assert find_face(came[0].face_id, table=town.table) is None


def test_who_is_merged_into_them_while_it_goes_on_does_not_bring_them_back(town: Forgetful) -> None:
    faces = town.crowd()
    zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
    begun = town.begin(zoe)
    merge_persons(zoe, yan, who=BOB, at=town.now(), table=town.table)
    town.follow(town.erase(begun))
    town.settle_all()
    assert town.traces(zoe, yan) == []


def test_a_crop_that_is_cut_anew_while_it_goes_on_is_gone_in_the_end(town: Forgetful) -> None:
    faces = town.crowd()[ZOE]
    zoe, crops = town.person(faces).person_id, [objects.face_thumb(face.face_id) for face in faces]

    def cut_anew() -> None:
        for key in crops:
            if find_face(key.removeprefix(objects.FACE_THUMBS).removesuffix(".jpg"), table=town.table) is not None:
                town.blobs.put(key, [b"late"])

    town.erase(town.begin(zoe), table=Meddled(town.table, *[cut_anew] * 100))
    assert {blob.key for blob in town.blobs.list().blobs}.isdisjoint(crops)


def test_whoever_is_met_in_their_photos_meanwhile_is_named_there() -> None:
    after, met = 0, True
    while met:
        town = Forgetful(MemoryTable())
        faces = town.photos(ZOE, times=2)
        town.regroup()
        zoe = town.person(faces).person_id
        yan = town.face(town.photo_of(faces[0]), YAN, 1)
        founding = Meddled(town.table, *[_nothing] * after, partial(found_person, yan, at=NOON, table=town.table))
        town.erase(town.begin(zoe), table=founding)
        after, met = after + 1, town.person_of(yan) is not None
        assert town.photo_of(yan).persons == ((town.person_of(yan),) if met else ())
    assert after > 5


def test_where_two_are_forgotten_at_once_no_place_is_found_again() -> None:
    for after in range(6):
        town = Forgetful(MemoryTable())
        faces = town.crowd()
        zoe, yan = (town.person(faces[who]).person_id for who in (ZOE, YAN))
        meanwhile = Meddled(town.table, *[_nothing] * after, partial(town.forget, yan))
        town.erase(town.begin(zoe), table=meanwhile)
        boxes = {box for face in faces[ZOE] for box in town.photo_of(face).forgotten_boxes}
        assert boxes >= {faces[ZOE][-1].box, faces[YAN][-1].box}


def _nothing() -> None:
    pass


def test_a_plan_that_was_made_before_founds_nobody_who_was_forgotten_since(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "AT_ONCE", 2)
    town = Forgetful(MemoryTable())
    yans, zoes = town.photos(YAN, times=6), town.photos(ZOE, times=4)
    mixed = found_person(yans[0], at=town.now(), table=town.table)
    assert mixed is not None
    for face in (*yans[1:], *zoes):
        assign_face(face, mixed.person_id, at=town.now(), table=town.table)
    with suppress(Unavailable):
        town.rebuild(table=PoweredTable(town.table, Power(12)))
    [zoe] = {face.person_id or "" for face in town.faces()} - {mixed.person_id}
    town.wait(minutes=2)

    town.follow(town.forget(zoe, Keep.NOTHING))
    town.rebuild()

    assert find_person(zoe, table=town.table) is None

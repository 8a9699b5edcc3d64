"""Faces that may not be looked for any more: those that were found go, and come back when it is allowed again."""

from functools import partial

import pytest

from sparks.library.consent import SITE, subject_of_album, switch_faces
from sparks.library.people import find_person, finish_indexing, name_person
from sparks.library.people.erasures import find_erasure
from sparks.library.records import from_item
from sparks.model.errors import Unavailable
from sparks.model.events import ErasureBegun, LibraryUnindexed
from sparks.model.face import Face
from sparks.model.forgetting import Erasure
from sparks.model.photo import FaceStatus, PhotoState
from sparks.people.erasing import erase_faces
from sparks.people.forgetting import forbid_faces
from sparks.table.memory import MemoryTable
from tests.accounts import everything, interrupted
from tests.factories import ANN, BOB
from tests.library.people.rows import check_settled
from tests.library.tables import Meddled
from tests.people.test_forgetting import Forgetful

ZOE, YAN = 1, 2


@pytest.fixture
def town() -> Forgetful:
    return Forgetful(MemoryTable())


def forbid(town: Forgetful, subject: str) -> Erasure:
    begun = forbid_faces(subject, who=ANN, at=town.now(), table=town.table)
    return town.follow(begun)


def left(town: Forgetful) -> set[str]:
    rows = [row for row in everything(town.table) if row["SK"].startswith("FACE#")]
    return {from_item(Face, row).face_id for row in rows}


def ids(*faces: Face) -> set[str]:
    return {face.face_id for face in faces}


def test_switched_off_for_the_site_no_face_is_left(town: Forgetful) -> None:
    faces = [*town.photos(ZOE, times=3), *town.photo(YAN, state=PhotoState.TRASHED)]
    town.regroup()
    done = forbid(town, SITE)
    assert left(town) == set()
    assert town.blobs.list().blobs == []
    assert town.index.held(ids(*faces)) == set()
    assert done.before is not None
    assert (done.before.faces, done.before.crops, done.before.vectors, done.before.taggings) == (4, 4, 4, 4)
    assert done.after is not None
    assert done.after.is_nothing
    check_settled(town.table)


def test_switched_off_for_an_account_the_faces_in_its_photos_go(town: Forgetful) -> None:
    mine = [face for _ in range(2) for face in town.photo(ZOE, owner=ANN)]
    others = [face for _ in range(2) for face in town.photo(ZOE, owner=BOB)]
    town.regroup()
    forbid(town, ANN)
    assert left(town) == ids(*others)
    assert town.person(others).photo_count == 2
    assert {town.photo_of(face).face_status for face in mine} == {FaceStatus.RAW}
    assert {town.photo_of(face).face_engine for face in mine} == {None}
    check_settled(town.table)


def test_switched_off_for_an_album_the_faces_in_it_go(town: Forgetful) -> None:
    inside, outside = town.photo(ZOE, albums=("album1",)), town.photo(ZOE)
    town.regroup()
    forbid(town, subject_of_album("album1"))
    assert left(town) == ids(*outside)
    assert ids(*inside) & left(town) == set()


def test_who_has_a_name_keeps_it(town: Forgetful) -> None:
    zoe = town.photos(ZOE, times=2)
    yan = town.photos(YAN, times=2)
    town.regroup()
    named, nameless = town.person(zoe).person_id, town.person(yan).person_id
    name_person(named, "Zoe", who=ANN, at=town.now(), table=town.table)
    forbid(town, SITE)
    kept = find_person(named, table=town.table)
    assert kept is not None
    assert (kept.display_name, kept.member_count) == ("Zoe", 0)
    assert find_person(nameless, table=town.table) is None


def test_what_is_allowed_again_before_the_job_runs_stays(town: Forgetful) -> None:
    faces = town.photos(ZOE, times=2)
    begun = forbid_faces(SITE, who=ANN, at=town.now(), table=town.table)
    switch_faces(SITE, True, ANN, at=town.now(), table=town.table)
    done = town.follow(begun)
    assert left(town) == ids(*faces)
    assert done.after == done.before
    assert done.scanned_at is not None


def test_what_is_allowed_again_while_the_job_runs_is_looked_for_again(town: Forgetful) -> None:
    town.photos(ZOE, times=2)
    begun = forbid_faces(SITE, who=ANN, at=town.now(), table=town.table)
    allow = partial(switch_faces, SITE, True, ANN, at=town.now(), table=town.table)
    event, table = ErasureBegun(begun.erasure_id), Meddled(town.table, _nothing, _nothing, allow)
    follows = erase_faces(event, table=table, blobs=town.blobs, index=town.index, terms=town.terms)
    assert follows == LibraryUnindexed()
    assert left(town) == set()


def _nothing() -> None:
    pass


def test_a_receipt_that_nobody_knows_is_nothing_to_do(town: Forgetful) -> None:
    event = ErasureBegun("nothing")
    assert erase_faces(event, table=town.table, blobs=town.blobs, index=None, terms=town.terms) is None
    assert find_erasure("nothing", table=town.table) is None


def test_wherever_it_is_interrupted_nobody_has_looked_at_those_photos() -> None:
    """Else their faces would not be found when it is allowed again."""
    after, cut = 0, True
    while cut:
        town = Forgetful(MemoryTable())
        faces = town.photos(ZOE, YAN, times=2)
        for face in faces:
            finish_indexing(town.photo_of(face), FaceStatus.INDEXED, engine=town.engine, table=town.table)
        begun = forbid_faces(SITE, who=ANN, at=town.now(), table=town.table)
        try:
            town.follow(begun, table=interrupted(town.table, after=after))
            cut = False
        except Unavailable:
            after += 1
        town.follow(begun)
        assert {town.photo_of(face).face_status for face in faces} == {FaceStatus.RAW}
        assert left(town) == set()
    assert after > 5

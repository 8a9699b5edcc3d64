"""Switching faces off for a site, an account or an album: its faces are erased, and found again when allowed."""

from functools import partial

import pytest

from sparks.library.consent import SITE, subject_of_album
from sparks.library.people.face_rows import finish_indexing
from sparks.library.people.person_decisions import name_person
from sparks.library.people.photo_faces import find_person
from sparks.library.records import from_item
from sparks.model.biometric_erasure import Erasure, TraceCounts
from sparks.model.errors import Unavailable
from sparks.model.events import ErasureBegun, FaceIndexingDue
from sparks.model.face import Face
from sparks.model.photo import FaceStatus, PhotoState
from sparks.people.biometric_erasure.begin import forbid_faces
from sparks.people.biometric_erasure.erase import erase_faces
from sparks.people.biometric_erasure.receipts import find_erasure
from sparks.table.memory import MemoryTable
from tests.account_makers import everything, interrupted, switch_faces
from tests.factories import ANN, BOB
from tests.library.people.rows import check_settled
from tests.library.tables import Meddled
from tests.people.biometric_erasure.erasure_library import ErasureLibrary

ZOE, YAN = 1, 2


@pytest.fixture
def library() -> ErasureLibrary:
    return ErasureLibrary(MemoryTable())


def forbid(library: ErasureLibrary, subject: str) -> Erasure:
    begun = forbid_faces(subject, who=ANN, at=library.now(), table=library.table)
    return library.follow(begun)


def left(library: ErasureLibrary) -> set[str]:
    rows = [row for row in everything(library.table) if row["SK"].startswith("FACE#")]
    return {from_item(Face, row).face_id for row in rows}


def ids(*faces: Face) -> set[str]:
    return {face.face_id for face in faces}


def test_switching_faces_off_for_the_site_erases_all_faces(library: ErasureLibrary) -> None:
    faces = [*library.photos(ZOE, times=3), *library.photo(YAN, state=PhotoState.TRASHED)]
    library.regroup()
    done = forbid(library, SITE)
    assert left(library) == set()
    assert library.blobs.list().blobs == []
    assert library.index.held(ids(*faces)) == set()
    assert done.before is not None
    assert (done.before.faces, done.before.crops, done.before.vectors, done.before.taggings) == (4, 4, 4, 4)
    assert done.after is not None
    assert done.after == TraceCounts()
    check_settled(library.table)


def test_switching_faces_off_for_an_account_erases_the_faces_in_its_photos(library: ErasureLibrary) -> None:
    mine = [face for _ in range(2) for face in library.photo(ZOE, owner=ANN)]
    others = [face for _ in range(2) for face in library.photo(ZOE, owner=BOB)]
    library.regroup()
    forbid(library, ANN)
    assert left(library) == ids(*others)
    assert library.person(others).photo_count == 2
    assert {library.photo_of(face).face_status for face in mine} == {FaceStatus.RAW}
    assert {library.photo_of(face).face_engine for face in mine} == {None}
    check_settled(library.table)


def test_switching_faces_off_for_an_album_erases_the_faces_in_it(library: ErasureLibrary) -> None:
    inside, outside = library.photo(ZOE, albums=("album1",)), library.photo(ZOE)
    library.regroup()
    forbid(library, subject_of_album("album1"))
    assert left(library) == ids(*outside)
    assert ids(*inside) & left(library) == set()


def test_a_named_person_keeps_the_name_when_faces_are_switched_off(library: ErasureLibrary) -> None:
    zoe = library.photos(ZOE, times=2)
    yan = library.photos(YAN, times=2)
    library.regroup()
    named, nameless = library.person(zoe).person_id, library.person(yan).person_id
    name_person(named, "Zoe", who=ANN, at=library.now(), table=library.table)
    forbid(library, SITE)
    kept = find_person(named, table=library.table)
    assert kept is not None
    assert (kept.display_name, kept.member_count) == ("Zoe", 0)
    assert find_person(nameless, table=library.table) is None


def test_faces_that_are_allowed_again_before_the_job_runs_stay(library: ErasureLibrary) -> None:
    faces = library.photos(ZOE, times=2)
    begun = forbid_faces(SITE, who=ANN, at=library.now(), table=library.table)
    switch_faces(SITE, True, ANN, at=library.now(), table=library.table)
    done = library.follow(begun)
    assert left(library) == ids(*faces)
    assert done.after == done.before
    assert done.scanned_at is not None


def test_faces_that_are_allowed_again_while_the_job_runs_are_indexed_again(library: ErasureLibrary) -> None:
    library.photos(ZOE, times=2)
    begun = forbid_faces(SITE, who=ANN, at=library.now(), table=library.table)
    allow = partial(switch_faces, SITE, True, ANN, at=library.now(), table=library.table)
    event, table = ErasureBegun(begun.erasure_id), Meddled(library.table, _nothing, _nothing, allow)
    follows = erase_faces(event, table=table, blobs=library.blobs, index=library.index, pipeline=library.pipeline)
    assert follows == FaceIndexingDue()
    assert left(library) == set()


def _nothing() -> None:
    pass


def test_nothing_happens_for_an_unknown_receipt(library: ErasureLibrary) -> None:
    event = ErasureBegun("nothing")
    assert erase_faces(event, table=library.table, blobs=library.blobs, index=None, pipeline=library.pipeline) is None
    assert find_erasure("nothing", table=library.table) is None


def test_after_an_interruption_anywhere_those_photos_count_as_not_indexed() -> None:
    """Else their faces would not be found when it is allowed again."""
    after, cut = 0, True
    while cut:
        library = ErasureLibrary(MemoryTable())
        faces = library.photos(ZOE, YAN, times=2)
        for face in faces:
            finish_indexing(library.photo_of(face), FaceStatus.INDEXED, engine=library.engine, table=library.table)
        begun = forbid_faces(SITE, who=ANN, at=library.now(), table=library.table)
        try:
            library.follow(begun, table=interrupted(library.table, after=after))
            cut = False
        except Unavailable:
            after += 1
        library.follow(begun)
        assert {library.photo_of(face).face_status for face in faces} == {FaceStatus.RAW}
        assert left(library) == set()
    assert after > 5

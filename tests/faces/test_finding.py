"""The faces of a photo are found and kept, each with its crop, whatever happens meanwhile."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sparks.faces.booth import Booth
from sparks.faces.finding import give_up_faces
from sparks.journey import Journey, Stores
from sparks.library import keys, objects
from sparks.library.consent import SITE, switch_faces
from sparks.library.erasure import erase_photo
from sparks.library.people import (
    assign_faces,
    found_person,
    keep_face,
    remove_face,
    settle_decision,
    settle_people,
)
from sparks.library.people.unrecognised import do_not_recognise
from sparks.media.kinds import MP4
from sparks.model.errors import Damaged, Unavailable
from sparks.model.events import FacesFound, RenditionsReady
from sparks.model.face import Box, Face
from sparks.model.photo import AssetType, FaceStatus, Photo, PhotoState
from sparks.model.scope import COMMUNITY
from sparks.model.terms import Terms
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Table, every
from tests.accounts import at_once, blob_keys, everything, interrupted, keep, lasting
from tests.faces.finders import (
    PICTURE,
    FailingBlobs,
    Told,
    a_find,
    crops,
    crops_of,
    faces_in,
    find,
    find_again,
    hung,
    looks,
    photo_now,
    stores_with,
)
from tests.faces.samples import photo as picture_of
from tests.faces.samples import rendition
from tests.faces.test_film import scene, scenes
from tests.factories import ANN, NOON, a_face
from tests.library.people.rows import a_box, check_settled
from tests.library.tables import Meddled
from tests.upkeep.library import DAY, swept

ANNA, BERT, CARL = (a_find(like) for like in range(3))


@pytest.fixture
def table() -> Table:
    return MemoryTable()


def all_is_well(photo: Photo, stores: Stores) -> list[Face]:
    """The photo's faces, each with its crop, and counted."""
    faces = faces_in(photo, stores.table)
    assert crops(stores) == crops_of(faces)
    assert photo_now(photo, stores).face_count == len(faces)
    check_settled(stores.table)
    return faces


def persons_of(faces: list[Face]) -> list[str | None]:
    return [face.person_id for face in faces]


# -- Finding


def test_a_face_is_kept_with_all_that_was_found_of_it(any_table: Table) -> None:
    engine = Told([ANNA, BERT])
    stores = stores_with(engine, any_table)
    photo = hung(stores)
    assert find(photo, stores) == FacesFound(photo.image_id, photo.owner)
    assert engine.looked == [PICTURE]
    now = photo_now(photo, stores)
    assert (now.face_status, now.face_engine, now.face_count) == (FaceStatus.INDEXED, "told-1", 2)
    for face, found in zip(faces_in(photo, any_table), [ANNA, BERT], strict=True):
        assert (face.box, face.confidence, face.quality) == (found.box, found.confidence, found.quality)
        assert (face.engine, face.embedding, face.owner) == ("told-1", found.embedding, ANN)
        assert (face.thumb_key, face.person_id) == (objects.face_thumb(face.face_id), None)
        assert b"".join(stores.blobs.open(str(face.thumb_key))) == found.crop
        assert stores.blobs.head(str(face.thumb_key)).content_type == "image/jpeg"


@pytest.mark.parametrize("name", ["010_2", "013_4", "016_8", "017_0"])
def test_as_many_faces_are_kept_as_there_are_in_a_real_photo(booth: Booth, table: Table, name: str) -> None:
    stores = stores_with(booth, table)
    photo = hung(stores, rendition(picture_of(f"groups/{name}.jpg")))
    find(photo, stores)
    assert photo_now(photo, stores).face_status is FaceStatus.INDEXED
    assert len(all_is_well(photo, stores)) == int(name.partition("_")[2])


def test_each_person_of_a_real_video_is_kept_once(booth: Booth, table: Table) -> None:
    stores = stores_with(booth, table)
    film = hung(stores, asset_type=AssetType.VIDEO, original_key="originals/film.mp4")
    stores.blobs.put("originals/film.mp4", [scenes([scene("groups/007_B.jpg")], seconds=2)])
    find(film, stores)
    assert len(all_is_well(film, stores)) == 1


def test_a_video_is_looked_at_as_it_came(table: Table) -> None:
    engine = Told([ANNA])
    stores = stores_with(engine, table)
    film = hung(stores, asset_type=AssetType.VIDEO, original_key="originals/film.mp4")
    content = b"\0\0\0\x18ftypisom\0\0\0\0isommp42"
    stores.blobs.put("originals/film.mp4", [content])
    find(film, stores)
    assert (engine.looked, len(faces_in(film, table))) == ([MP4.name, content], 1)


def test_a_photo_without_faces_is_finished_and_nothing_follows(table: Table) -> None:
    stores = stores_with(Told([]), table)
    photo = hung(stores)
    assert find(photo, stores) is None
    assert photo_now(photo, stores).face_status is FaceStatus.INDEXED


def test_a_photo_in_the_trash_has_its_faces_found(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores, state=PhotoState.TRASHED)
    assert find(photo, stores) is not None
    assert photo_now(photo, stores).face_count == 1


@pytest.mark.parametrize("state", [PhotoState.PENDING, PhotoState.FAILED, PhotoState.DELETING])
def test_a_photo_that_is_not_finished_is_not_looked_at(table: Table, state: PhotoState) -> None:
    engine = Told([ANNA])
    stores = stores_with(engine, table)
    assert find(hung(stores, state=state), stores) is None
    assert engine.looked == []


@pytest.mark.parametrize(
    ("engine", "terms"),
    [(None, None), (Told([ANNA], missing="the weights"), None), (Told([ANNA]), Terms())],
    ids=["no engine", "cannot work", "switched off"],
)
def test_where_nobody_looks_for_faces_the_photo_stays_as_it_is(table: Table, engine: Any, terms: Terms | None) -> None:
    stores = stores_with(engine, table, **({} if terms is None else {"terms": terms}))
    photo = hung(stores)
    assert find(photo, stores) is None
    assert photo_now(photo, stores) == photo


def test_the_journey_looks_for_faces_when_renditions_are_ready(table: Table) -> None:
    stores, journey = stores_with(Told([ANNA]), table), Journey()
    photo = hung(stores)
    for job in journey.jobs_after(RenditionsReady(photo.image_id, photo.owner)):
        list(journey.run(job, stores=stores))
    assert photo_now(photo, stores).face_count == 1


# -- Refusals


BLIND = Told(name="told-2", refusal=Damaged("the picture ends too early"))


def test_what_cannot_be_looked_at_has_failed_and_the_log_says_why(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    stores = stores_with(BLIND, table)
    photo = hung(stores)
    assert find(photo, stores) is None
    now = photo_now(photo, stores)
    assert (now.face_status, now.face_engine) == (FaceStatus.FAILED, "told-2")
    assert "the picture ends too early" in caplog.text


def test_a_photo_whose_file_is_lost_has_failed(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores)
    stores.blobs.delete(objects.rendition(photo.image_id, "large"))
    assert find(photo, stores) is None
    assert photo_now(photo, stores).face_status is FaceStatus.FAILED


def test_faces_of_another_engine_stay_where_the_new_one_sees_nothing(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores)
    find(photo, stores)
    find_again(photo, replace(stores, engine=BLIND))
    assert photo_now(photo, stores).face_status is FaceStatus.FAILED
    assert [face.engine for face in all_is_well(photo, stores)] == ["told-1"]


def test_a_search_that_failed_for_the_last_time_is_written_down(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    stores, journey = stores_with(Told([ANNA]), table), Journey()
    photo = hung(stores)
    job = next(
        job for job in journey.jobs_after(RenditionsReady(photo.image_id, photo.owner)) if job.kind == "find_faces"
    )
    list(journey.give_up(job, "it broke", stores=stores))
    assert photo_now(photo, stores).face_status is FaceStatus.FAILED
    assert "it broke" in caplog.text


def test_a_photo_that_was_finished_before_is_not_given_up(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores)
    find(photo, stores)
    event = RenditionsReady(photo.image_id, photo.owner)
    give_up_faces(event, "late", table=table, engine=stores.engine, keyring=stores.keyring)
    assert photo_now(photo, stores).face_status is FaceStatus.INDEXED


def told_of(table: Table) -> list[str]:
    """The kinds of the events that the community was told."""
    return [row["kind"] for row in every(table, keys.events(COMMUNITY))]


def test_open_pages_are_told_when_the_faces_of_a_photo_are_found_and_not_again(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores)
    find(photo, stores)
    assert told_of(table) == ["photo"]
    find(photo, stores)
    assert told_of(table) == ["photo"]


def test_open_pages_are_told_that_a_search_has_failed_for_good(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores)
    event = RenditionsReady(photo.image_id, photo.owner)
    give_up_faces(event, "it broke", table=table, engine=stores.engine, keyring=stores.keyring)
    assert told_of(table) == ["photo"]


# -- Again


def test_what_was_found_is_told_again_and_not_looked_for(table: Table) -> None:
    engine = Told([ANNA, BERT])
    stores = stores_with(engine, table)
    photo = hung(stores)
    find(photo, stores)
    before = everything(table)
    assert find(photo, stores) == find_again(photo, stores) == FacesFound(photo.image_id, photo.owner)
    assert (everything(table), len(engine.looked)) == (before, 1)


def test_faces_found_once_more_are_the_same_and_not_told_as_new(table: Table) -> None:
    stores = stores_with(Told([ANNA, BERT]), table)
    photo = hung(stores)
    find(photo, stores)
    before = lasting(table)
    keep(table, replace(photo_now(photo, stores), face_status=FaceStatus.RAW, face_engine=None))
    find(photo, stores)
    assert lasting(table) == before


def test_another_engine_finds_the_same_faces_and_they_stay_whose_they_are(any_table: Table) -> None:
    stores = stores_with(Told([ANNA, BERT]), any_table)
    photo = hung(stores)
    find(photo, stores)
    anna, bert = faces_in(photo, any_table)
    person = found_person(anna, at=NOON, table=any_table)
    assert person is not None
    moved = Box(ANNA.box.left + 0.01, ANNA.box.top, ANNA.box.width, ANNA.box.height)
    better = Told([a_find(5, box=moved), CARL], name="told-2")
    find_again(photo, replace(stores, engine=better))
    first, second = faces_in(photo, any_table)
    assert (first.face_id, first.person_id, first.engine) == (anna.face_id, person.person_id, "told-2")
    assert (first.box, first.embedding) == (moved, looks(5))
    assert b"".join(stores.blobs.open(str(first.thumb_key))) == a_find(5).crop
    assert (second.box, bert.face_id == second.face_id) == (CARL.box, False)
    assert crops(stores) == crops_of([first, second])
    assert photo_now(photo, stores).face_engine == "told-2"


def test_what_people_drew_or_decided_about_stays(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo, elsewhere = hung(stores), hung(stores)
    for each in (photo, elsewhere):
        find(each, stores)
    [anna], [other] = faces_in(photo, table), faces_in(elsewhere, table)
    person = found_person(other, at=NOON, table=table)
    assert person is not None
    settle_decision(assign_faces(person.person_id, [anna], who=ANN, at=NOON, table=table), table=table)
    drawn = keep_face(replace(a_face(photo, a_box(7)), engine=None), at=NOON, table=table)
    find_again(photo, replace(stores, engine=Told([], name="told-2")))
    left = {face.face_id: face.person_id for face in faces_in(photo, table)}
    assert left == {anna.face_id: person.person_id, drawn.face_id: None}


def test_a_face_that_people_decide_about_while_another_engine_looks_stays(table: Table) -> None:
    stores = stores_with(Told([ANNA, BERT]), table)
    photo = hung(stores)
    find(photo, stores)
    anna, bert = faces_in(photo, table)
    person = found_person(bert, at=NOON, table=table)
    assert person is not None

    def decide() -> None:
        settle_decision(assign_faces(person.person_id, [anna], who=ANN, at=NOON, table=table), table=table)

    better = Told([a_find(1)], name="told-2")
    find_again(photo, replace(stores, engine=better, table=Meddled(table, decide)))
    assert persons_of(faces_in(photo, table)) == [person.person_id] * 2


def test_faces_at_one_place_of_a_film_are_not_mixed_up(table: Table) -> None:
    stores = stores_with(Told([ANNA, a_find(3, box=beside(ANNA.box, 0.005))]), table)
    photo = hung(stores)
    find(photo, stores)
    first, second = faces_in(photo, table)
    remove_face(photo.image_id, photo.owner, first.face_id, at=NOON, table=table)
    keep(table, replace(photo_now(photo, stores), face_status=FaceStatus.RAW, face_engine=None))
    find(photo, stores)
    told = [(face.face_id, face.embedding) for face in all_is_well(photo, stores)]
    assert told == [(first.face_id, ANNA.embedding), (second.face_id, looks(3))]


def test_two_who_look_at_once_find_each_face_once(sqlite: Table) -> None:
    stores = stores_with(Told([ANNA, BERT, CARL]), sqlite)
    photo = hung(stores)
    told = at_once(*[lambda: find(photo, stores)] * 4)
    assert told == [FacesFound(photo.image_id, photo.owner)] * 4
    assert len(all_is_well(photo, stores)) == 3


# -- Forgotten and forbidden


def forget(like: int, table: Table, *, engine: str = "told-1") -> None:
    """Somebody who looks like this does not want to be known."""
    vector = np.frombuffer(looks(like), "<f2").astype(np.float32)
    keep(table, do_not_recognise(f"u{like}", vector, engine=engine, account=None, at=NOON))


def test_who_wants_to_be_forgotten_is_not_kept(any_table: Table) -> None:
    stores = stores_with(Told([ANNA, a_find(6)]), any_table)
    photo = hung(stores)
    forget(6, any_table)
    find(photo, stores)
    assert [face.embedding for face in faces_in(photo, any_table)] == [ANNA.embedding]
    assert len(crops(stores)) == photo_now(photo, stores).face_count == 1


def test_where_somebody_was_forgotten_nobody_is_found_by_another_engine(table: Table) -> None:
    stores = stores_with(Told([ANNA, BERT]), table)
    photo = hung(stores, forgotten_boxes=(beside(ANNA.box, 0.01),))
    find(photo, stores)
    assert [face.embedding for face in all_is_well(photo, stores)] == [BERT.embedding]


def beside(box: Box, moved: float) -> Box:
    return Box(box.left + moved, box.top, box.width, box.height)


def test_who_is_forgotten_while_somebody_looks_is_not_there_in_the_end(table: Table) -> None:
    plain = stores_with(Told([ANNA, BERT]), table)
    photo = hung(plain)
    meddled = Meddled(table, nothing, nothing, lambda: forget(0, table))
    find(photo, replace(plain, table=meddled))
    assert [face.embedding for face in all_is_well(photo, plain)] == [BERT.embedding]


def test_somebody_alike_whom_people_know_stays(table: Table) -> None:
    stores = stores_with(Told([ANNA]), table)
    photo = hung(stores)
    find(photo, stores)
    [anna] = faces_in(photo, table)
    found_person(anna, at=NOON, table=table)
    forget(0, table)
    find(photo, stores)
    assert [face.face_id for face in all_is_well(photo, stores)] == [anna.face_id]


@pytest.mark.parametrize("subject", [SITE, ANN])
def test_where_it_is_forbidden_nobody_looks(table: Table, subject: str) -> None:
    engine = Told([ANNA])
    stores = stores_with(engine, table)
    photo = hung(stores)
    switch_faces(subject, False, ANN, at=NOON, table=table)
    assert find(photo, stores) is None
    assert (engine.looked, photo_now(photo, stores)) == ([], photo)


def test_where_it_is_forbidden_since_faces_go_and_are_found_when_it_is_allowed(any_table: Table) -> None:
    stores = stores_with(Told([ANNA, BERT]), any_table)
    photo = hung(stores)
    subject = f"album:{photo.image_id}"
    keep(any_table, replace(photo, albums=(photo.image_id,)))
    find(photo, stores)
    switch_faces(subject, False, ANN, at=NOON, table=any_table)
    assert find(photo, stores) is None
    now = photo_now(photo, stores)
    assert (now.face_status, now.face_engine, now.face_count) == (FaceStatus.RAW, None, 0)
    assert (faces_in(photo, any_table), crops(stores)) == ([], set())
    switch_faces(subject, True, ANN, at=NOON.replace(hour=13), table=any_table)
    find_again(photo, stores)
    assert photo_now(photo, stores).face_count == 2


def test_what_is_forbidden_while_somebody_looks_is_not_there_in_the_end(table: Table) -> None:
    engine = Told([ANNA], meanwhile=lambda: switch_faces(SITE, False, ANN, at=NOON, table=table))
    stores = stores_with(engine, table)
    photo = hung(stores)
    assert find(photo, stores) is None
    assert (photo_now(photo, stores).face_status, all_is_well(photo, stores)) == (FaceStatus.RAW, [])


# -- Deletions


def test_a_photo_that_is_deleted_while_somebody_looks_leaves_nothing(any_table: Table) -> None:
    stores = stores_with(None, any_table)
    photo = hung(stores)
    engine = Told([ANNA], meanwhile=lambda: erase_photo(photo, table=any_table, blobs=stores.blobs))
    assert find(photo, replace(stores, engine=engine)) is None
    assert (faces_in(photo, any_table), blob_keys(stores.blobs)) == ([], [])


@pytest.mark.parametrize("writes", range(3))
def test_a_photo_that_is_deleted_before_any_write_leaves_nothing(table: Table, writes: int) -> None:
    stores = stores_with(Told([ANNA, BERT]), table)
    photo = hung(stores)
    gone = Meddled(table, *[nothing] * writes, lambda: erase_photo(photo, table=table, blobs=stores.blobs))
    assert find(photo, replace(stores, table=gone)) is None
    assert blob_keys(stores.blobs) == []
    assert [item for item in everything(table) if item["PK"] == photo.image_id] == []


# -- Interruptions


def nothing() -> None:
    pass


def other_faces(stores: Stores) -> Stores:
    """Another engine, which finds one face again, one that is new, and one no more."""
    return replace(stores, engine=Told([BERT, CARL], name="told-2"))


def prepared(table: Table, **more: Any) -> tuple[Photo, Stores]:
    stores = stores_with(Told([ANNA, BERT]), table, **more)
    photo = hung(stores)
    find(photo, stores)
    for face in faces_in(photo, table):
        found_person(face, at=NOON, table=table)
    settle_people(photo.image_id, photo.owner, enough=2, table=table)
    return photo, stores


def check_rows_have_crops(photo: Photo, stores: Stores) -> None:
    assert crops_of(faces_in(photo, stores.table)) <= crops(stores)


def check_outcome(photo: Photo, stores: Stores) -> None:
    faces = faces_in(photo, stores.table)
    assert [(face.box, face.engine) for face in faces] == [(BERT.box, "told-2"), (CARL.box, "told-2")]
    assert persons_of(faces) == ["person2", None]
    swept(stores, now() + DAY)
    all_is_well(photo, stores)


def ends_as_any_other(photo: Photo, stores: Stores, cut_off: Stores) -> bool:
    """Whether a search with these stores was cut off; the next one ends as any other."""
    cut = False
    try:
        find_again(photo, cut_off)
    except Unavailable:
        cut = True
    check_rows_have_crops(photo, stores)
    find_again(photo, other_faces(stores))
    check_outcome(photo, stores)
    return cut


def test_a_search_that_is_cut_off_at_any_write_ends_as_any_other() -> None:
    for after in range(20):
        table = MemoryTable()
        photo, stores = prepared(table)
        cut_off = replace(other_faces(stores), table=interrupted(table, after=after))
        if not ends_as_any_other(photo, stores, cut_off):
            return
    pytest.fail("it writes more often than expected")


def test_a_search_that_is_cut_off_at_any_blob_ends_as_any_other() -> None:
    for after in range(20):
        photo, stores = prepared(MemoryTable(), blobs=FailingBlobs(after=3 + after))
        if not ends_as_any_other(photo, stores, other_faces(stores)):
            return
    pytest.fail("it writes more often than expected")

"""Pictures of persons: what makes them due, how they are updated, and what a killed process leaves."""

from dataclasses import replace
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys, keys
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import merge_persons, undo_decision
from sparks.library.people.person_picture import persons_with_picture_due, picture_due, update_picture
from sparks.library.people.photo_faces import find_person
from sparks.library.records import from_item
from sparks.model.errors import Unavailable
from sparks.model.events import PatrolDue, PersonPicturesDue
from sparks.model.face import Face
from sparks.model.person import Decision
from sparks.model.photo import Photo, Visibility
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people import person_pictures
from sparks.people.person_pictures import check_persons, update_person_pictures
from sparks.table.memory import MemoryTable
from sparks.table.port import Key, Put, Set
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, NOON, a_face, a_photo
from tests.library.people.rows import FEW, a_box, settle


class Library:
    def __init__(self) -> None:
        self.table = MemoryTable()
        self.blobs = MemoryBlobs()

    def photo(self, **changes: Any) -> Photo:
        photo = a_photo(**changes)
        keep(self.table, photo)
        return photo

    def face(self, photo: Photo, place: int = 0, **changes: Any) -> Face:
        face = a_face(photo, a_box(place), embedding=b"vector", **changes)
        key = blob_keys.face_thumb(face.face_id)
        self.blobs.put(key, [key.encode()])
        return store_face(replace(face, thumb_key=key), at=NOON, table=self.table)

    def met(self, photo: Photo, place: int = 0, **changes: Any) -> str:
        person = found_person(self.face(photo, place, **changes), at=NOON, table=self.table)
        assert person is not None
        settle(self.table, photo)
        return person.person_id

    def decided(self, decision: Decision | None) -> Decision:
        assert decision is not None
        apply_decision(decision, min_photos=FEW, table=self.table)
        return decision

    def update(self) -> object:
        return update_person_pictures(
            PersonPicturesDue(), table=self.table, blobs=self.blobs, pipeline=PipelineSettings()
        )

    def patrol(self) -> object:
        return check_persons(PatrolDue(NOON), table=self.table, pipeline=PipelineSettings())

    def pictures(self) -> dict[str, str]:
        found = [blob.key for blob in self.blobs.list("persons/").blobs]
        return {key: b"".join(self.blobs.open(key)).decode() for key in found}

    def due(self) -> list[str]:
        return list(persons_with_picture_due(table=self.table))


@pytest.fixture
def library() -> Library:
    return Library()


def test_a_merge_moves_the_picture_and_its_undoing_restores_it(library: Library) -> None:
    one, other = library.met(library.photo(), quality=0.9), library.met(library.photo())
    library.update()
    before = library.pictures()
    assert before.keys() == {f"persons/{one}.jpg", f"persons/{other}.jpg"}
    merged = library.decided(merge_persons(one, other, who=ANN, at=NOON, table=library.table))
    library.update()
    assert library.pictures() == {f"persons/{one}.jpg": before[f"persons/{one}.jpg"]}
    gone = find_person(other, table=library.table)
    assert gone is not None
    assert (gone.picture_key, gone.picture_face_id) == (None, None)
    library.decided(undo_decision(merged.decision_id, who=ANN, at=NOON, table=library.table))
    library.update()
    assert library.pictures() == before
    assert library.due() == []


def test_a_person_who_loses_the_last_face_takes_the_picture_along(library: Library) -> None:
    photo = library.photo()
    one, other = library.met(photo), library.met(photo, 1)
    library.update()
    [face] = [each for each in everything(library.table) if each.get("entityType") == f"FACE#{one}"]
    moved = a_face(photo, a_box())
    assert face["SK"] == f"FACE#{moved.face_id}"
    assign_face(moved, other, at=NOON, table=library.table)
    settle(library.table, photo)
    assert find_person(one, table=library.table) is None
    library.update()
    assert library.pictures().keys() == {f"persons/{other}.jpg"}


def test_a_face_without_a_crop_gives_no_picture_and_is_not_tried_forever(library: Library) -> None:
    person_id = library.met(library.photo())
    for blob in library.blobs.list("faces/").blobs:
        library.blobs.delete(blob.key)
    library.update()
    assert library.pictures() == {}
    person = find_person(person_id, table=library.table)
    assert person is not None
    assert person.picture_key is None
    assert library.patrol() is None
    assert library.due() == []


def test_a_killed_update_leaves_no_picture_without_a_mark_wherever_it_stops(library: Library) -> None:
    photo = library.photo()
    person_id = library.met(photo)
    for writes in range(6):
        library.table.write(picture_due(person_id))
        try:
            update_picture(person_id, table=interrupted(library.table, after=writes), blobs=library.blobs)
        except Unavailable:
            assert library.due() == [person_id]
        else:
            break
    else:
        pytest.fail("an update has fewer writes")
    keep(library.table, replace(photo, visibility=Visibility.PRIVATE))
    settle(library.table, photo)
    for writes in range(6):
        try:
            update_picture(person_id, table=interrupted(library.table, after=writes), blobs=library.blobs)
        except Unavailable:
            assert library.pictures() == {}, "the blob goes before the row stops naming it"
            assert library.due() == [person_id]
        else:
            break
    assert "s3Key" not in (library.table.get(keys.person(person_id)) or {})


def test_a_job_updates_some_pictures_and_sends_itself_again_for_the_others(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_pictures, "MAX_PERSONS", 2)
    for _ in range(3):
        library.met(library.photo())
    assert library.update() == PersonPicturesDue()
    assert len(library.pictures()) == 2
    assert library.update() is None
    assert len(library.pictures()) == 3


def test_a_library_of_an_older_version_is_brought_up_to_date_by_the_patrol(library: Library) -> None:
    photo = library.photo()
    person_id = library.met(photo)
    new = frozenset({"updatedAt", "repThumbS3Key", "s3Key", "pictureFaceId", "addedAt", "bestThumbS3Key"})
    expected = {}
    for row in everything(library.table):
        if row.get("entityType") in {"PERSON", f"FACE#{person_id}", f"TAGGING#{person_id}"}:
            key = Key(row["PK"], row["SK"])
            expected[key] = row
            older = {name: value for name, value in row.items() if name not in new}
            original = {"s3Key": photo.original_key} if row["SK"].startswith("PERSON#") else {}
            library.table.write(Put(older | original))
        if row.get("entityType") == "PICTURE_DUE":
            library.table.write(Set(Key(row["PK"], row["SK"]), {"entityType": "NONE"}))
    assert library.due() == []
    assert library.patrol() == PersonPicturesDue()
    library.update()
    assert library.pictures() == {f"persons/{person_id}.jpg": blob_keys.face_thumb(a_face(photo, a_box()).face_id)}
    for key, row in expected.items():
        found = library.table.get(key) or {}
        assert {name: found.get(name) for name in row if name != "updatedAt"} == {
            name: value for name, value in row.items() if name != "updatedAt"
        }
    person = library.table.get(keys.person(person_id)) or {}
    assert person["s3Key"] == f"persons/{person_id}.jpg"
    assert person["updatedAt"]
    assert library.patrol() is None


def test_a_photo_that_became_private_gives_no_picture_even_before_its_lists_follow(library: Library) -> None:
    photo = library.photo()
    person_id = library.met(photo)
    held = library.table.get(keys.photo(photo.image_id, photo.owner))
    assert held is not None
    keep(library.table, replace(from_item(Photo, held), visibility=Visibility.PRIVATE))
    library.update()
    assert library.pictures() == {}
    settle(library.table, photo)
    library.update()
    assert "s3Key" not in (library.table.get(keys.person(person_id)) or {})

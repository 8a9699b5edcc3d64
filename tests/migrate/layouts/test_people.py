"""Persons of a source: decisions that hold when Sparks finds the faces, and follow the source's changes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sparks.faces.detect_faces import find_faces
from sparks.journey import Stores
from sparks.library import keys
from sparks.library.people.apply_decision import remove_if_empty
from sparks.library.people.photo_faces import find_person, read_faces
from sparks.library.people.redirects import resolve_person
from sparks.library.photos.photo_rows import update_photo
from sparks.library.records import from_item
from sparks.migrate.context import Migration
from sparks.migrate.follow import Follower
from sparks.migrate.issues import all_issues
from sparks.model.events import RenditionsReady
from sparks.model.face import Box, Face
from sparks.model.migration import PERSONS, MigrationPhase
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Renditions
from sparks.model.photo_index import ExternalId
from tests.faces.fake_engine import PICTURE, PIPELINE, FakeEngine, found_face
from tests.migrate.in_process import memory_stores, verify
from tests.migrate.layouts import items
from tests.migrate.layouts.in_process import filled, photo_of, staged

OWNER = {"owner": "hosts@example.org"}
NEAR = Box(0.13, 0.19, 0.22, 0.22)  # almost where Rekognition saw the face
FAR = Box(0.6, 0.6, 0.2, 0.2)


@pytest.fixture
def stores() -> Stores:
    return memory_stores()


def write(layout: Sequence[Mapping[str, Any]], tmp_path: Path) -> str:
    return f"dynamodb://{items.write_scan(tmp_path / 'scan.json', layout)}"


def person_id_of(old_id: str, stores: Stores) -> str:
    item = stores.table.get(keys.external_id(PERSONS, old_id))
    assert item is not None, old_id
    return from_item(ExternalId, item).target_id or ""


def detect(photo: Photo, stores: Stores, *boxes: Box) -> list[Face]:
    """The faces of a photo after the pipeline found them at these boxes, from left to right."""
    key = f"processed/{photo.image_id}_large.webp"
    stores.blobs.put(key, [PICTURE])

    def shown(photo: Photo) -> Photo:
        changed = {"state": PhotoState.READY, "processing_status": ProcessingStatus.COMPLETED}
        return Photo(**{**_fields(photo), **changed, "renditions": Renditions({"large": key})})

    update_photo(photo, shown, table=stores.table)
    engine = FakeEngine([found_face(number, box=box) for number, box in enumerate(boxes)])
    find_faces(
        RenditionsReady(photo.image_id, photo.owner),
        table=stores.table,
        blobs=stores.blobs,
        engine=engine,
        pipeline=PIPELINE,
        keyring=stores.keyring,
    )
    faces = read_faces(photo.image_id, photo.owner, table=stores.table).faces.values()
    return sorted(faces, key=lambda face: face.box.left)


def _fields(photo: Photo) -> dict[str, Any]:
    return {name: getattr(photo, name) for name in Photo.__dataclass_fields__}


def again(layout: Sequence[Mapping[str, Any]], stores: Stores, tmp_path: Path, **options: Any) -> None:
    """Another export, followed."""
    with staged(write(layout, tmp_path), tmp_path / "objects", stores, tmp_path, **options) as migration:
        follow(migration)


def follow(migration: Migration) -> None:
    migration.note(phase=MigrationPhase.BACKFILLED)
    Follower(migration).catch_up()


def test_a_face_joins_the_person_of_its_cluster_and_keeps_rekognitions_id(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "002")
    with filled(write(items.LAYOUT_002, tmp_path), objects, stores, tmp_path, options=OWNER):
        pass
    near, far = detect(photo_of(items.PHOTO_002, stores), stores, NEAR, FAR)
    assert near.person_id == person_id_of("c-0012", stores)
    assert near.by_hand
    assert near.extra["rekognitionFaceId"] == "face-abc123"
    assert far.person_id is None
    assert "rekognitionFaceId" not in far.extra
    person = find_person(near.person_id or "", table=stores.table)
    assert person is not None
    assert (person.member_count, person.photo_count) == (1, 1)


def test_a_single_face_joins_the_only_person_who_is_tagged(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "000")
    with filled(write(items.LAYOUT_000, tmp_path), objects, stores, tmp_path):
        pass
    [alone] = detect(photo_of(items.IMAGE_000, stores), stores, FAR)
    assert alone.person_id == person_id_of("person1", stores)
    both = detect(photo_of(items.TOGETHER_000, stores), stores, NEAR, FAR)
    assert [face.person_id for face in both] == [None, None]


def test_a_photo_with_more_faces_than_taggings_is_left_to_recognition(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "000")
    with filled(write(items.LAYOUT_000, tmp_path), objects, stores, tmp_path):
        pass
    faces = detect(photo_of(items.IMAGE_000, stores), stores, NEAR, FAR)
    assert [face.person_id for face in faces] == [None, None]


def test_names_follow_the_source(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "000")
    with filled(write(items.LAYOUT_000, tmp_path), objects, stores, tmp_path):
        pass
    renamed = [{**each, "displayName": "Caroline"} if each["SK"] == "person2" else each for each in items.LAYOUT_000]
    again(renamed, stores, tmp_path)
    person = find_person(person_id_of("person2", stores), table=stores.table)
    assert person is not None
    assert person.display_name == "Caroline"
    assert verify(stores).differences == []


def test_a_cluster_that_is_no_longer_merged_is_a_person_again(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "002")
    with filled(write(items.LAYOUT_002, tmp_path), objects, stores, tmp_path, options=OWNER):
        pass
    assert resolve_person(person_id_of("c-0001", stores), table=stores.table) == person_id_of("c-0012", stores)
    parted = [
        {name: value for name, value in each.items() if name != "canonicalClusterId"} for each in items.LAYOUT_002
    ]
    again(parted, stores, tmp_path, options=OWNER)
    assert resolve_person(person_id_of("c-0001", stores), table=stores.table) == person_id_of("c-0001", stores)
    assert verify(stores).differences == []


def test_a_face_that_leaves_its_cluster_leaves_the_person(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "002")
    with filled(write(items.LAYOUT_002, tmp_path), objects, stores, tmp_path, options=OWNER):
        pass
    [face] = detect(photo_of(items.PHOTO_002, stores), stores, NEAR)
    assert face.person_id is not None
    without = [each for each in items.LAYOUT_002 if not ("clusterId" in each and "faceId" in each)]
    again(without, stores, tmp_path, options=OWNER)
    photo = photo_of(items.PHOTO_002, stores)
    assert all(each.undone for each in read_faces(photo.image_id, photo.owner, table=stores.table).decisions)
    assert verify(stores).differences == []


def test_a_person_who_is_gone_from_the_source_is_undone(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "000")
    with filled(write(items.LAYOUT_000, tmp_path), objects, stores, tmp_path):
        pass
    gone = person_id_of("person2", stores)
    again([each for each in items.LAYOUT_000 if "person2" not in each["SK"]], stores, tmp_path)
    assert find_person(gone, table=stores.table) is None
    assert stores.table.get(keys.external_id(PERSONS, "person2")) is None
    assert verify(stores).differences == []


def test_photos_that_are_not_taken_are_told_and_come_later(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "002")
    with filled(write(items.LAYOUT_002, tmp_path), objects, stores, tmp_path) as migration:
        told = {(issue.table, issue.field) for issue in all_issues(stores.table)}
        assert told == {("users", "email"), ("gallery_images", "user_id"), ("persons", "photo_id")}
        migration.addresses.store({"(none)": "host@example.org", "table 4": "four@example.org"})
        rows = [(issue.table, issue.id) for issue in all_issues(stores.table)]
        migration.applier.apply(rows)
        assert list(all_issues(stores.table)) == []
    assert verify(stores).differences == []


def test_a_person_without_faces_may_go_and_comes_back_with_the_first_one(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "002")
    with filled(write(items.LAYOUT_002, tmp_path), objects, stores, tmp_path, options=OWNER):
        pass
    person_id = person_id_of("c-0012", stores)
    remove_if_empty(person_id, table=stores.table)
    assert find_person(person_id, table=stores.table) is None
    assert verify(stores).differences == []
    [face] = detect(photo_of(items.PHOTO_002, stores), stores, NEAR)
    person = find_person(person_id, table=stores.table)
    assert person is not None
    assert (face.person_id, person.member_count) == (person_id, 1)
    assert resolve_person(person_id_of("c-0001", stores), table=stores.table) == person_id

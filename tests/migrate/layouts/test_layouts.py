"""Each layout from files: users, photos, albums and persons arrive, and both sides compare as equal."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from sparks.journey import Stores
from sparks.library import keys
from sparks.library.accounts.users import find_user
from sparks.library.albums.album_lookup import find_album
from sparks.library.external_ids import album_id_of
from sparks.library.people.photo_faces import decisions_about, find_person, read_faces
from sparks.library.people.redirects import resolve_person
from sparks.library.people.replay_decisions import WHOLE_PICTURE
from sparks.library.records import from_item, to_item
from sparks.library.upload_limits.account_limit import read_limit
from sparks.migrate.dynamodb.items import plain_item
from sparks.migrate.dynamodb.layouts import LAYOUTS, recognized
from sparks.migrate.dynamodb.layouts.user_photos import largest_size
from sparks.migrate.dynamodb.source import StagedSource
from sparks.migrate.issues import all_issues
from sparks.model.errors import BadInput
from sparks.model.face import Box
from sparks.model.ids import new_image_id
from sparks.model.migration import PERSONS, PHOTOS
from sparks.model.person import DecisionKind, Person
from sparks.model.photo import PhotoState
from sparks.model.photo_index import ExternalId
from sparks.table.port import Delete, Put
from tests.migrate.in_process import memory_stores, verify
from tests.migrate.layouts import items
from tests.migrate.layouts.in_process import filled, photo_of

MINIMAL: Final[dict[str, dict[str, Any]]] = {
    "000": {},
    "001": {},
    "002": {"options": {"owner": "hosts@example.org"}},
    "003": {"addresses": {"kgregory": "kg@example.org"}},
    "004": {"addresses": {items.USER_004: "lego@example.org"}},
}


@pytest.fixture
def stores() -> Stores:
    return memory_stores()


def migrate(layout: str, stores: Stores, tmp_path: Path, **options: Any) -> None:
    """From one file of a scan."""
    file = items.write_scan(tmp_path / "scan.json", items.LAYOUTS[layout])
    objects = items.put_objects(tmp_path / "objects", layout)
    with filled(f"dynamodb://{file}", objects, stores, tmp_path, **{**MINIMAL[layout], **options}):
        pass


def person_of(old_id: str, stores: Stores) -> Person:
    item = stores.table.get(keys.external_id(PERSONS, old_id))
    assert item is not None, old_id
    person = find_person(from_item(ExternalId, item).target_id or "", table=stores.table)
    assert person is not None, old_id
    return person


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_a_layout_is_recognized_by_its_items(layout: str) -> None:
    typed = [plain_item(items.typed_item(each)) for each in items.LAYOUTS[layout]]
    assert recognized(typed) == layout
    assert recognized(reversed(typed)) == layout


def test_a_layout_is_recognized_by_its_keys_where_tables_are_empty() -> None:
    assert recognized([], [frozenset({"username", "id"})]) == "003"
    assert recognized([], [frozenset({"photoId"}), frozenset({"clusterId", "faceId"})]) == "002"


def test_an_unclear_layout_asks_for_the_option() -> None:
    with pytest.raises(BadInput, match="--layout"):
        recognized([{"PK": "PERSON#person1", "SK": "person1"}])
    with pytest.raises(BadInput, match="000 or 004"):
        recognized([*items.LAYOUT_000, *items.LAYOUT_004])


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_a_layout_arrives_whole_and_compares_as_equal(layout: str, stores: Stores, tmp_path: Path) -> None:
    migrate(layout, stores, tmp_path)
    result = verify(stores)
    assert result.differences == []
    assert result.checked > len(items.OBJECTS[layout])
    assert [issue for issue in all_issues(stores.table) if not issue.taken] == []


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_what_is_changed_in_the_target_is_found(layout: str, stores: Stores, tmp_path: Path) -> None:
    migrate(layout, stores, tmp_path)
    (tmp_path / "objects" / items.OBJECTS[layout][0]).write_bytes(b"other bytes")
    result = verify(stores)
    assert [each.field for each in result.differences] == ["object"]


def test_000_brings_users_limits_photos_and_times(stores: Stores, tmp_path: Path) -> None:
    migrate("000", stores, tmp_path)
    user = find_user("example@gmail.com", table=stores.table)
    assert user is not None
    assert user.username == "Ja"
    assert user.extra["source_personId"] == "person123"
    assert read_limit("example@gmail.com", table=stores.table).photos_left == 42
    assert find_user("bob@example.org", table=stores.table) is not None  # whom only a photo names
    photo = photo_of(items.IMAGE_000, stores)
    assert photo.state is PhotoState.PENDING
    assert photo.uploaded_at == datetime(2025, 8, 1, 9, 24, 22, 159000, tzinfo=UTC)
    assert photo_of(items.TOGETHER_000, stores).tags == ("party", "évènement")


def test_000_names_persons_and_decides_about_photos_of_one_person(stores: Stores, tmp_path: Path) -> None:
    migrate("000", stores, tmp_path)
    first, carol = person_of("person1", stores), person_of("person2", stores)
    assert (first.is_named, carol.display_name) == (False, "Carol")
    [assigned] = [
        each for each in decisions_about(first.person_id, table=stores.table) if each.kind is DecisionKind.ASSIGN
    ]
    photo = photo_of(items.IMAGE_000, stores)
    assert [(each.image_id, each.box) for each in assigned.faces] == [(photo.image_id, WHOLE_PICTURE)]
    among = {(issue.id, issue.value) for issue in all_issues(stores.table) if issue.field == "photos"}
    assert among == {("person1", 1), ("person2", 1)}


def test_001_keeps_a_name_that_is_the_key(stores: Stores, tmp_path: Path) -> None:
    migrate("001", stores, tmp_path)
    assert person_of("Anna", stores).display_name == "Anna"
    photo = photo_of(items.PHOTO_001, stores)
    assert (photo.owner, photo.description) == ("email@example.com", "On the beach")
    assert photo.uploaded_at == datetime(2025, 3, 4, 5, 6, 7, 89000, tzinfo=UTC)
    assert read_limit("email@example.com", table=stores.table).photos_left == 77


def test_002_brings_clusters_with_the_boxes_of_their_faces(stores: Stores, tmp_path: Path) -> None:
    migrate("002", stores, tmp_path)
    photo, person = photo_of(items.PHOTO_002, stores), person_of("c-0012", stores)
    assert photo.owner == "hosts@example.org"
    [decision] = read_faces(photo.image_id, photo.owner, table=stores.table).decisions
    [face] = decision.faces
    assert (decision.person_id, face.face_id) == (person.person_id, "face-abc123")
    assert face.box == Box(0.12, 0.18, 0.22, 0.22)
    assert photo.extra["rekognitionFaces"][0]["faceId"] == "face-abc123"
    merged = person_of("c-0001", stores)
    assert resolve_person(merged.person_id, table=stores.table) == person.person_id
    assert merged.canonical_person_id == person.person_id


def test_002_without_an_owner_asks_for_the_account_of_each_tag(stores: Stores, tmp_path: Path) -> None:
    migrate("002", stores, tmp_path, options={})
    users = {issue.id for issue in all_issues(stores.table) if issue.field == "email"}
    assert users == {"(none)", "table 4"}


def test_003_takes_the_largest_size_and_the_time_in_milliseconds(stores: Stores, tmp_path: Path) -> None:
    migrate("003", stores, tmp_path)
    dog = photo_of(str(items.LAYOUT_003[0]["id"]), stores)
    assert (dog.owner, dog.original_filename, dog.description) == ("kg@example.org", "IMG_0001.JPG", "My dog")
    assert dog.uploaded_at == datetime(2021, 5, 23, 12, 10, 0, 123000, tzinfo=UTC)
    cat = photo_of(str(items.LAYOUT_003[1]["id"]), stores)
    assert (cat.owner, cat.state) == ("ann@example.org", PhotoState.PENDING)
    assert largest_size(["THUMBNAIL", "FULLSCREEN", "WEB"]) == "FULLSCREEN"
    assert largest_size(None) == "ORIGINAL"


def test_004_brings_albums_old_ids_and_unknown_attributes(stores: Stores, tmp_path: Path) -> None:
    migrate("004", stores, tmp_path)
    photo = photo_of(items.ULID_004, stores)
    assert (photo.title, photo.alt_text, photo.tags) == ("Castle", "A castle of bricks", ("minifig", "castle"))
    assert photo.extra["s3Bucket"] == "images-lego-moc-prod"
    assert photo.extra["source_processingStatus"] == "completed"
    album_id = album_id_of(f"ALBUM#{items.ALBUM_004}", table=stores.table)
    assert album_id is not None
    album = find_album(album_id, table=stores.table)
    assert album is not None
    assert (album.title, album.owner, photo.albums) == (items.ALBUM_004, "lego@example.org", (album_id,))


def test_004_leaves_out_temporary_images_whose_time_has_passed(stores: Stores, tmp_path: Path) -> None:
    migrate("004", stores, tmp_path)
    assert verify(stores).checked == 3  # the user, the album and the other image


def test_rows_that_one_side_lacks_are_found_both_ways(stores: Stores, tmp_path: Path) -> None:
    migrate("000", stores, tmp_path)
    photo = photo_of(items.IMAGE_000, stores)
    stores.table.write(Delete(keys.photo(photo.image_id, photo.owner)))
    other = ExternalId(system=PHOTOS, old_id="never there", target_id=new_image_id(), owner=photo.owner)
    kept = replace(photo, image_id=other.target_id or "", original_key=None)
    stores.table.write(Put(to_item(other)), Put(to_item(kept)))
    result = verify(stores)
    assert (result.missing, result.extra, result.different) == (1, 1, 0)
    assert verify(stores, repair=True).differences == []
    assert photo_of(items.IMAGE_000, stores).image_id == photo.image_id


def test_two_items_with_one_id_become_two_photos(stores: Stores, tmp_path: Path) -> None:
    same = {**items.LAYOUT_003[0], "username": "ann@example.org", "description": "Her dog"}
    file = items.write_scan(tmp_path / "scan.json", [*items.LAYOUT_003, same])
    objects = items.put_objects(tmp_path / "objects", "003")
    with filled(f"dynamodb://{file}", objects, stores, tmp_path, **MINIMAL["003"]) as migration:
        ids = [row["id"] for row in migration.source.page(PHOTOS, None, 10)]
        assert len(ids) == 3
        assert isinstance(migration.source, StagedSource)
        migration.source.read_all()
        assert migration.capture.lag() == (0, 0.0)
    assert {photo_of(each, stores).description for each in ids} == {"My dog", "Her dog", None}
    assert verify(stores).differences == []

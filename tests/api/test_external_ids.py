"""Ids of the service from which a library was migrated lead to the same photos and albums, under the same rules."""

from typing import Final
from urllib.parse import quote

import pytest

from sparks.model import migration
from sparks.model.photo import Visibility
from sparks.model.photo_index import ExternalId
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import ANN, a_photo
from tests.library.photos.photo_makers import settled

OLD_UUID: Final = "9f1c2d3e-4b5a-4c6d-8e7f-a0b1c2d3e4f5"
ULID: Final = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SPELLINGS: Final = [
    (OLD_UUID, OLD_UUID),
    (OLD_UUID, OLD_UUID.upper()),
    (OLD_UUID, f"IMAGE#{OLD_UUID}"),
    (OLD_UUID, f"IMAGE#{OLD_UUID.upper()}"),
    (ULID, ULID),
    (ULID, f"IMAGE#{ULID}"),
    ("IMAGE#7", "IMAGE#7"),
    ("photo 7 - ü#@", "photo 7 - ü#@"),
    ("7", "7"),
]


@pytest.fixture
def albums(community: Community, browser: Client) -> AlbumClient:
    return AlbumClient(community, browser)


def at(kind: str, old_id: str) -> str:
    return f"/api/{kind}/{quote(old_id, safe='')}"


def alias(community: Community, system: str, old_id: str, target: str | None) -> None:
    community.keep(ExternalId(system=system, old_id=old_id, target_id=target, owner=ANN))


@pytest.mark.parametrize(("old_id", "asked"), SPELLINGS)
def test_a_photo_is_read_by_its_old_id(
    community: Community, browser: Client, ann: Headers, old_id: str, asked: str
) -> None:
    photo = community.keep(a_photo(source_id=old_id))
    alias(community, migration.PHOTOS, old_id, photo.image_id)
    by_new, by_old = (browser.get(at("photos", each), headers=ann) for each in (photo.image_id, asked))
    assert by_old.status_code == 200
    assert (by_old.json()["imageId"], by_old.json()["version"]) == (photo.image_id, by_new.json()["version"])
    assert by_old.json().keys() == by_new.json().keys()


@pytest.mark.parametrize("old_id", [OLD_UUID, ULID, "old#7"])
def test_an_album_is_read_by_its_old_id(
    community: Community, browser: Client, ann: Headers, bob: Headers, albums: AlbumClient, old_id: str
) -> None:
    album_id = albums.make(ann)
    alias(community, migration.ALBUMS, old_id, album_id)
    by_old = browser.get(at("albums", old_id), headers=ann)
    assert (by_old.status_code, by_old.json()) == (200, albums.read(album_id, ann))
    foreign, missing = (browser.get(at("albums", each), headers=bob) for each in (old_id, "missing"))
    assert (foreign.status_code, foreign.json()["message"]) == (missing.status_code, missing.json()["message"])
    assert foreign.status_code == 404


def test_other_routes_take_an_old_id_too(
    community: Community, browser: Client, ann: Headers, albums: AlbumClient
) -> None:
    photo, album_id = settled(community.table, file_size=1), albums.make(ann)
    alias(community, migration.PHOTOS, OLD_UUID, photo.image_id)
    alias(community, migration.ALBUMS, OLD_UUID, album_id)
    assert browser.put(f"{at('photos', OLD_UUID)}/favorite", headers=ann).status_code == 204
    edited = browser.patch(at("photos", OLD_UUID), json={"title": "Sea", "version": 1}, headers=ann)
    assert (edited.status_code, edited.json()["imageId"]) == (200, photo.image_id)
    assert albums.add(OLD_UUID, ann, photo) == ["added"]
    assert albums.ids(OLD_UUID, ann) == [photo.image_id]
    assert browser.patch(at("albums", OLD_UUID), json={"title": "Lake"}, headers=ann).json()["title"] == "Lake"
    assert browser.delete(at("photos", OLD_UUID), headers=ann).status_code == 204
    assert browser.get(at("photos", OLD_UUID), headers=ann).status_code == 404


def test_a_hidden_photo_and_a_missing_one_answer_alike(community: Community, browser: Client, bob: Headers) -> None:
    photo = community.keep(a_photo(visibility=Visibility.PRIVATE))
    alias(community, migration.PHOTOS, OLD_UUID, photo.image_id)
    alias(community, migration.PHOTOS, "not taken", None)
    alias(community, migration.PHOTOS, "deleted", a_photo().image_id)
    alias(community, migration.ALBUMS, "an album", photo.image_id)
    asked = [OLD_UUID, "not taken", "deleted", "an album", "missing", "IMAGE#", "x" * 3000, a_photo().image_id]
    answers = [browser.get(at("photos", each), headers=bob) for each in asked]
    assert {(each.status_code, each.json()["error"], each.json()["message"]) for each in answers} == {
        (404, "NOT_FOUND", answers[-1].json()["message"])
    }

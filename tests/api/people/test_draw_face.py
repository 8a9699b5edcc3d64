"""Drawing a face into a photo: with an engine and without one, for a known person and for a new one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.app import create_app
from sparks.library import blob_keys
from sparks.library.face_index import vector_of
from sparks.library.people.photo_faces import find_face, find_person, read_faces
from sparks.library.people.recognition_opt_outs import opt_out
from sparks.library.people.redirects import get_person
from sparks.metrics import Metrics
from sparks.model.access import NOT_THERE
from sparks.model.errors import Unavailable
from sparks.model.face import Face
from sparks.model.person import Person
from sparks.model.photo import AssetType, Photo, PhotoState, Visibility
from tests.account_makers import switch_faces
from tests.api.client import Client, refusal
from tests.api.community import HERE, Community, Headers
from tests.api.person_makers import undo
from tests.faces.fake_engine import PIPELINE, FakeEngine, crops, found_face, photo_with_rendition
from tests.library.people.rows import also_in, check_settled, met, photographed

BOX = {"Left": 0.75, "Top": 0.75, "Width": 0.1, "Height": 0.1}


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine([found_face(1)])


@pytest.fixture
def community(tmp_path: Path, engine: FakeEngine) -> Community:
    """A community where faces are found."""
    made = Community(tmp_path)
    made.stores = replace(made.stores, engine=engine, pipeline=PIPELINE)
    made.app = create_app(stores=made.stores, settings=made.settings, metrics=Metrics(), clock=lambda: made.at)
    return made


@pytest.fixture
def browser(community: Community) -> Iterator[Client]:
    with Client(community.app, site=HERE) as browser:
        yield browser


@pytest.fixture
def photo(community: Community) -> Photo:
    return photo_with_rendition(community.stores)


@pytest.fixture
def eve(community: Community) -> Person:
    return met(community.table, photographed(community.table))


def draw(browser: Client, headers: Headers, photo: Photo, **body: Any) -> httpx.Response:
    return browser.post(f"/api/photos/{photo.image_id}/faces", json={"bbox": BOX, **body}, headers=headers)


def face_of(community: Community, answer: httpx.Response) -> Face:
    assert answer.status_code == 201, answer.text
    face = find_face(answer.json()["face"]["faceId"], table=community.table)
    assert face is not None
    return face


def test_a_drawn_face_is_analyzed_cropped_and_assigned_until_that_is_undone(
    community: Community, browser: Client, bob: Headers, photo: Photo, eve: Person
) -> None:
    answer = draw(browser, bob, photo, personId=eve.person_id)
    face = face_of(community, answer)
    assert answer.json()["face"]["bbox"] == BOX
    assert (face.person_id, face.by_hand, face.engine, face.embedding) == (
        eve.person_id,
        True,
        "fake-1",
        found_face(1).embedding,
    )
    assert answer.json()["person"]["photoCount"] == 2
    assert browser.get(answer.json()["face"]["thumbUrl"], headers=bob).content == found_face(1).crop
    undo(browser, bob, answer)
    community.work()
    assert find_face(face.face_id, table=community.table) is None
    assert crops(community.stores) == set()
    check_settled(community.table)


def test_a_new_person_is_created_with_the_drawn_face_and_gone_when_that_is_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    answer = draw(browser, ann, photo, displayName="Dan")
    assert [each["kind"] for each in answer.json()["decisions"]] == ["draw", "name"]
    founded = answer.json()["person"]["personId"]
    assert (face_of(community, answer).person_id, answer.json()["person"]["displayName"]) == (founded, "Dan")
    undo(browser, ann, answer)
    assert find_person(founded, table=community.table) is None
    check_settled(community.table)


def test_a_new_person_does_not_get_the_name_of_another_without_same_name(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    first = draw(browser, ann, photo, displayName="Dan").json()["person"]["personId"]
    other = photo_with_rendition(community.stores)
    answer = draw(browser, ann, other, displayName="dan")
    assert (answer.status_code, answer.json()["personId"]) == (409, first)
    assert read_faces(other.image_id, other.owner, table=community.table).faces == {}
    assert draw(browser, ann, other, displayName="dan", sameName=True).status_code == 201
    assert draw(browser, ann, other, displayName="Dan", personId=first).status_code == 400


def test_a_box_around_a_known_face_assigns_that_face(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    first = face_of(community, draw(browser, ann, photo))
    nudged = {**BOX, "Left": BOX["Left"] + 0.01}
    again = draw(browser, ann, photo, bbox=nudged, personId=eve.person_id)
    assert again.json()["decisions"][0]["kind"] == "assign"
    assert face_of(community, again).face_id == first.face_id
    assert get_person(eve.person_id, table=community.table).photo_count == 2


def test_a_box_in_which_the_engine_finds_no_face_is_cropped_but_not_compared(
    community: Community, browser: Client, ann: Headers, engine: FakeEngine, photo: Photo, eve: Person
) -> None:
    engine.faces = [replace(found_face(1), confidence=0.0, quality=0.0)]
    face = face_of(community, draw(browser, ann, photo, personId=eve.person_id))
    assert (face.engine, face.embedding, face.indexed_at) == (None, None, None)
    assert crops(community.stores) == {face.thumb_key}


@pytest.mark.parametrize("trouble", [{"missing": "its weights"}, {"error": Unavailable("it is busy")}], ids=str)
def test_a_face_can_be_drawn_though_the_engine_fails(
    community: Community, browser: Client, ann: Headers, engine: FakeEngine, photo: Photo, trouble: dict[str, Any]
) -> None:
    for name, value in trouble.items():
        setattr(engine, name, value)
    face = face_of(community, draw(browser, ann, photo))
    assert (face.engine, face.embedding, face.thumb_key, face.by_hand) == (None, None, None, True)
    assert crops(community.stores) == set()


def test_of_a_face_with_a_recognition_opt_out_only_the_box_is_kept(
    community: Community, browser: Client, ann: Headers, engine: FakeEngine, photo: Photo
) -> None:
    vector = vector_of(found_face(1).embedding, engine.dimensions)
    assert vector is not None
    community.keep(opt_out("x", vector, engine=engine.name, account=None, at=community.at))
    face = face_of(community, draw(browser, ann, photo))
    assert (face.embedding, face.thumb_key) == (None, None)
    assert crops(community.stores) == set()


def test_no_face_is_drawn_where_faces_are_switched_off(
    community: Community, browser: Client, bob: Headers, photo: Photo
) -> None:
    switch_faces(photo.owner, False, photo.owner, at=community.at, table=community.table)
    answer = draw(browser, bob, photo)
    assert answer.status_code == 409
    assert crops(community.stores) == set()


def test_a_face_is_not_kept_where_faces_are_switched_off_while_it_is_drawn(
    community: Community, browser: Client, bob: Headers, engine: FakeEngine, photo: Photo
) -> None:
    engine.meanwhile = lambda: switch_faces(photo.owner, False, photo.owner, at=community.at, table=community.table)
    assert draw(browser, bob, photo).status_code == 409
    community.work()
    assert read_faces(photo.image_id, photo.owner, table=community.table).faces == {}
    assert crops(community.stores) == set()


def test_a_photo_that_is_deleted_meanwhile_leaves_no_crop(
    community: Community, browser: Client, ann: Headers, engine: FakeEngine, photo: Photo, eve: Person
) -> None:
    def go() -> None:
        community.keep(replace(photo, state=PhotoState.DELETING))

    engine.meanwhile = go
    assert draw(browser, ann, photo, personId=eve.person_id).status_code == 404
    assert crops(community.stores) == set()


def test_a_member_draws_only_in_photos_and_for_persons_that_they_see(
    community: Community, browser: Client, bob: Headers, photo: Photo
) -> None:
    private = photo_with_rendition(community.stores, visibility=Visibility.PRIVATE)
    unseen = met(community.table, photographed(community.table, visibility=Visibility.PRIVATE))
    assert refusal(draw(browser, bob, private)) == (404, "NOT_FOUND", NOT_THERE.format("photo"))
    answer = draw(browser, bob, photo, personId=unseen.person_id)
    assert refusal(answer) == (404, "NOT_FOUND", NOT_THERE.format("person"))


@pytest.mark.parametrize(
    "off",
    [
        {"Left": -0.1},
        {"Left": 1},
        {"Width": 0},
        {"Width": 0.0000001},
        {"Height": 2},
        {"Top": "x"},
        {"top": 0.1},
    ],
)
def test_a_box_outside_the_picture_or_without_a_size_is_refused(
    browser: Client, ann: Headers, photo: Photo, off: dict[str, Any]
) -> None:
    assert draw(browser, ann, photo, bbox={**BOX, **off}).status_code == 422


def test_a_box_may_end_at_the_edge_of_the_picture(browser: Client, ann: Headers, photo: Photo) -> None:
    answer = draw(browser, ann, photo, bbox={**BOX, "Left": 0.9, "Width": 0.5})
    assert (answer.status_code, "beyond the picture" in answer.json()["message"]) == (400, True)


def test_in_a_video_a_box_is_always_a_new_face(
    community: Community, browser: Client, ann: Headers, eve: Person
) -> None:
    film = photo_with_rendition(community.stores, asset_type=AssetType.VIDEO)
    [found] = also_in(community.table, eve, film)
    sides = {"Left": found.box.left, "Top": found.box.top, "Width": found.box.width, "Height": found.box.height}
    answer = draw(browser, ann, film, bbox=sides)
    assert face_of(community, answer).face_id != found.face_id
    assert blob_keys.face_thumb(face_of(community, answer).face_id) in crops(community.stores)

"""Changes of one photo: edit, retry and delete."""

from typing import Any

import httpx
import pytest

from sparks.library import keys
from sparks.library.photos.photo_rows import NO_PHOTO, find_photo
from sparks.library.records import from_item
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.access import NOT_THERE
from sparks.model.credential import KeyScope
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.model.times import iso
from sparks.table.port import every
from tests.account_makers import hang
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON, a_photo
from tests.stored_traces import traces_of

NO_SUCH_PHOTO = NOT_THERE.format("photo")
FAILED = {"state": PhotoState.FAILED, "processing_status": ProcessingStatus.FAILED, "processing_error": "it is broken"}


@pytest.fixture
def photo(community: Community) -> Photo:
    return community.keep(a_photo())


def edit(browser: Client, headers: Headers, photo: Photo, **fields: Any) -> httpx.Response:
    return browser.patch(f"/api/photos/{photo.image_id}", json={"version": 1, **fields}, headers=headers)


def row_of(community: Community, photo: Photo) -> Photo:
    item = community.table.get(keys.photo(photo.image_id, photo.owner))
    assert item is not None
    return from_item(Photo, item)


def months(community: Community, scope: str = ANN) -> dict[str, int]:
    counters = every(community.table, keys.months(COMMUNITY if scope == "ALL" else scope_of_owner(scope)))
    return {counter["SK"]: counter["count"] for counter in counters}


# -- Editing


def test_an_edit_changes_the_named_fields_and_keeps_the_others(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    community.pass_time(minutes=1)
    fields = {
        "title": " The  sea ",
        "description": "Waves\r\nand wind",
        "altText": "water",
        "tags": ["Sea", "sea", "wind"],
        "takenAt": "2019-07-31T10:00:00Z",
        "visibility": "private",
    }
    response = edit(browser, ann, photo, **fields)
    assert response.status_code == 200
    body = response.json()
    assert {name: body[name] for name in fields} == {
        "title": "The sea",
        "description": "Waves\nand wind",
        "altText": "water",
        "tags": ["Sea", "wind"],
        "takenAt": "2019-07-31T10:00:00.000Z",
        "visibility": "private",
    }
    assert (body["version"], body["lastModified"]) == (2, iso(community.at))
    assert (body["originalFilename"], body["width"]) == (photo.original_filename, photo.width)
    assert row_of(community, photo).title == "The sea"
    again = edit(browser, ann, photo, version=2, title="Wind")
    assert (again.json()["title"], again.json()["description"]) == ("Wind", "Waves\nand wind")


@pytest.mark.parametrize("empty", [None, ""])
def test_null_and_empty_values_clear_a_field(
    community: Community, browser: Client, ann: Headers, empty: str | None
) -> None:
    texts = {"title": "Sea", "description": "Waves", "alt_text": "water", "taken_at": NOON, "taken_offset": "+02:00"}
    photo = community.keep(a_photo(tags=("sea",), **texts))
    fields: dict[str, Any] = {"title": empty, "description": empty, "altText": empty, "tags": [], "takenAt": None}
    body = edit(browser, ann, photo, **fields).json()
    assert body.keys().isdisjoint({"title", "description", "altText", "takenAt", "takenOffset"})
    assert body["tags"] == []


@pytest.mark.parametrize(
    ("fields", "taken_at", "offset"),
    [
        ({"takenAt": "2020-01-01T00:30:00+02:00"}, "2019-12-31T22:30:00.000Z", "+02:00"),
        ({"takenAt": "2020-01-01T00:30:00-00:30"}, "2020-01-01T01:00:00.000Z", "-00:30"),
        ({"takenAt": "2020-01-01T00:30:00Z"}, "2020-01-01T00:30:00.000Z", "+05:00"),
        ({"takenAt": "2020-01-01T00:30:00Z", "takenOffset": ""}, "2020-01-01T00:30:00.000Z", None),
        ({"takenAt": "2020-01-01T00:30:00+02:00", "takenOffset": "+03:00"}, "2019-12-31T22:30:00.000Z", "+03:00"),
        ({"takenOffset": "+03:00"}, iso(NOON), "+03:00"),
    ],
    ids=str,
)
def test_the_offset_of_a_time_is_stored_unless_another_is_named(
    community: Community, browser: Client, ann: Headers, fields: dict[str, str], taken_at: str, offset: str | None
) -> None:
    photo = community.keep(a_photo(taken_at=NOON, taken_offset="+05:00"))
    body = edit(browser, ann, photo, **fields).json()
    assert (body["takenAt"], body.get("takenOffset")) == (taken_at, offset)


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"title": "x" * 256}, 400, "a title has at most 255 characters, not 256"),
        ({"description": "x" * 5001}, 400, "a description has at most 5,000 characters, not 5,001"),
        ({"altText": "x" * 256}, 400, "an alternative text has at most 255 characters, not 256"),
        ({"tags": [f"{n}" for n in range(21)]}, 400, "a photo has at most 20 tags, not 21"),
        ({"tags": ["x" * 51]}, 400, "a tag has at most 50 characters, not 51"),
        ({"title": "\u202egnp.exe"}, 400, "a title holds characters that cannot be seen: take them out"),
        ({"takenAt": "2020-01-01"}, 422, "body.takenAt: write it with its zone, as 2030-01-31T12:00:00Z"),
        ({"takenAt": "0001-01-01T00:00:00+02:00"}, 400, "out of the calendar: 0001-01-01 00:00:00+02:00"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_edit_with_invalid_values_changes_nothing(
    community: Community, browser: Client, ann: Headers, photo: Photo, fields: dict[str, Any], status: int, message: str
) -> None:
    code = "BAD_INPUT" if status == 400 else "INVALID_REQUEST"
    assert refusal(edit(browser, ann, photo, **fields)) == (status, code, message)
    assert row_of(community, photo) == photo


def test_the_longest_allowed_texts_are_stored(browser: Client, ann: Headers, photo: Photo) -> None:
    fields = {
        "title": "x" * 255,
        "description": "x" * 5000,
        "altText": "x" * 255,
        "tags": [f"{n:050}" for n in range(20)],
    }
    assert edit(browser, ann, photo, **fields).status_code == 200


@pytest.mark.parametrize(
    "fields", [{}, {"version": 0}, {"version": "1"}, {"version": True}, {"version": None}], ids=str
)
def test_an_edit_must_name_the_version(browser: Client, ann: Headers, photo: Photo, fields: dict[str, Any]) -> None:
    response = browser.patch(f"/api/photos/{photo.image_id}", json={"title": "Sea", **fields}, headers=ann)
    assert response.status_code == 422


def test_an_edit_of_another_version_is_answered_with_the_current_version(
    browser: Client, ann: Headers, photo: Photo
) -> None:
    assert edit(browser, ann, photo, title="first").status_code == 200
    response = edit(browser, ann, photo, title="second")
    assert (response.status_code, response.json()["error"], response.json()["currentVersion"]) == (
        409,
        "VERSION_MISMATCH",
        2,
    )


def test_an_edit_of_the_date_moves_the_photo_to_another_month(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    edit(browser, ann, photo, title="Sea")
    community.work()
    assert (months(community), months(community, "ALL")) == ({"2025-08": 1}, {"2025-08": 1})
    edit(browser, ann, photo, version=2, takenAt="2019-07-31T23:30:00+02:00")
    community.work()
    assert (months(community), months(community, "ALL")) == ({"2019-07": 1}, {"2019-07": 1})


def test_a_photo_that_is_made_private_leaves_the_lists_of_the_community(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    edit(browser, ann, photo, tags=["Sea"])
    community.work()
    assert [row["SK"] for row in every(community.table, keys.tags(COMMUNITY))] == ["sea"]
    edit(browser, ann, photo, version=2, visibility="private")
    community.work()
    assert (months(community), months(community, "ALL")) == ({"2025-08": 1}, {})
    assert list(every(community.table, keys.tags(COMMUNITY))) == []
    assert row_of(community, photo).visibility is Visibility.PRIVATE


@pytest.mark.parametrize("state", [PhotoState.PENDING, PhotoState.FAILED, PhotoState.TRASHED])
def test_a_photo_is_edited_whatever_its_state(
    community: Community, browser: Client, ann: Headers, state: PhotoState
) -> None:
    photo = community.keep(a_photo(state=state))
    assert edit(browser, ann, photo, title="Sea").json()["title"] == "Sea"
    assert row_of(community, photo).state is state


def test_only_the_owner_edits_a_photo(community: Community, browser: Client, photo: Photo) -> None:
    private = community.keep(a_photo(visibility=Visibility.PRIVATE))
    for headers in (community.session_of(community.bob), community.session_of(community.carol)):
        assert edit(browser, headers, photo, title="Mine").status_code == 403
        assert refusal(edit(browser, headers, private, title="Mine")) == (404, "NOT_FOUND", NO_SUCH_PHOTO)
    assert edit(browser, community.key_of(community.ann, KeyScope.READ), photo, title="x").status_code == 403
    assert edit(browser, community.key_of(community.ann, KeyScope.EDIT), photo, title="x").status_code == 200


# -- Retrying


def test_a_retried_photo_is_processed_again(community: Community, browser: Client, ann: Headers) -> None:
    photo = community.keep(a_photo(**FAILED))
    response = browser.post(f"/api/photos/{photo.image_id}/retry", headers=ann)
    assert (response.status_code, response.json()["processingStatus"]) == (200, "pending")
    assert "processingError" not in response.json()
    [delivery] = community.stores.jobs.receive(wait=0)
    assert (delivery.job.kind, delivery.job.body["image_id"]) == ("make_renditions", photo.image_id)
    assert row_of(community, photo).state is PhotoState.PENDING


def test_only_a_photo_whose_processing_failed_can_be_retried(
    community: Community, browser: Client, ann: Headers
) -> None:
    photo = community.keep(a_photo())
    response = browser.post(f"/api/photos/{photo.image_id}/retry", headers=ann)
    assert refusal(response) == (409, "CONFLICT", "only a failed photo can be retried")
    assert community.stores.jobs.counts().waiting == 0


# -- Deleting


@pytest.mark.parametrize("path", ["/api/photos/{}", "/api/me/photos/{}"])
def test_a_photo_in_any_state_is_deleted_without_a_trace(
    community: Community, browser: Client, ann: Headers, path: str
) -> None:
    for state in set(PhotoState) - {PhotoState.DELETING}:
        left = read_limit(ANN, table=community.table).photos_left
        photo = hang(community.table, community.blobs, state=state, tags=("sea",))
        assert browser.delete(path.format(photo.image_id), headers=ann).status_code == 204
        assert read_limit(ANN, table=community.table).photos_left == left + 1
        assert browser.get(f"/api/photos/{photo.image_id}", headers=ann).status_code == 404
        community.work()
        assert _traces(community, photo) == []


def test_a_second_deletion_is_404_and_does_not_change_the_upload_limit(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    path = f"/api/photos/{photo.image_id}"
    assert browser.delete(path, headers=ann).status_code == 204
    left = read_limit(ANN, table=community.table)
    assert refusal(browser.delete(path, headers=ann)) == (404, "NOT_FOUND", NO_SUCH_PHOTO)
    community.work()
    assert refusal(browser.delete(path, headers=ann)) == (404, "NOT_FOUND", NO_SUCH_PHOTO)
    assert read_limit(ANN, table=community.table) == left


def test_only_the_owner_deletes_a_photo(community: Community, browser: Client) -> None:
    shown, private = community.keep(a_photo()), community.keep(a_photo(visibility=Visibility.PRIVATE))
    for headers in (community.session_of(community.bob), community.session_of(community.carol)):
        assert browser.delete(f"/api/photos/{shown.image_id}", headers=headers).status_code == 403
        assert browser.delete(f"/api/photos/{private.image_id}", headers=headers).status_code == 404
    assert community.stores.jobs.counts().waiting == 0


def test_an_edit_after_the_deletion_is_404(community: Community, browser: Client, ann: Headers, photo: Photo) -> None:
    browser.delete(f"/api/photos/{photo.image_id}", headers=ann)
    assert edit(browser, ann, photo, title="Sea").status_code == 404
    assert browser.post(f"/api/photos/{photo.image_id}/retry", headers=ann).status_code == 404
    assert NO_PHOTO == NO_SUCH_PHOTO


def test_pending_jobs_of_a_deleted_photo_leave_no_trace(community: Community, browser: Client, ann: Headers) -> None:
    photo, other = hang(community.table, community.blobs), community.keep(a_photo(owner=BOB))
    edit(browser, ann, photo, title="Sea")
    browser.delete(f"/api/photos/{photo.image_id}", headers=ann)
    community.work()
    assert _traces(community, photo) == []
    assert find_photo(other.image_id, table=community.table) == other


def _traces(community: Community, photo: Photo) -> list[str]:
    stores = community.stores
    return traces_of(photo.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=photo.owner)

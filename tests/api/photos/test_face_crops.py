"""Signed URLs of face crops, valid as long as the viewer may see the photo."""

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.model.account import User
from sparks.model.person import Person
from tests.api.client import Client
from tests.api.community import Community
from tests.api.person_makers import PRIVATE, People
from tests.api.shown_photo import RING, Gallery
from tests.factories import NOON, a_face
from tests.library.people.rows import a_box, seen


def crop_of(people: People, person: Person, user: User | None = None) -> str:
    (face,) = people.read(f"/api/persons/{person.person_id}/faces", user)["faces"]
    return str(face["thumbUrl"])


def test_a_face_crop_is_served_to_callers_who_see_the_photo(people: People, community: Community) -> None:
    photo = people.photo()
    person = people.met(photo)
    with community.browser() as browser:
        response = browser.get(crop_of(people, person))
        assert response.status_code == 200
        assert response.content.startswith(b"faces/thumbs/")
        assert response.headers["Content-Type"] == "image/jpeg"
        assert response.headers["Cache-Control"] == "private, max-age=3600"
        assert browser.request("HEAD", crop_of(people, person)).status_code == 200
        assert browser.get(people.read(f"/api/persons/{person.person_id}")["thumbUrl"]).status_code == 200


def test_the_url_of_a_face_crop_ends_with_access_to_the_photo(people: People, community: Community) -> None:
    photo = people.photo()
    url = crop_of(people, people.met(photo))
    trash_photo(photo, at=NOON, table=people.table)
    with community.browser() as browser:
        assert browser.get(url).status_code == 404


def test_a_face_crop_is_served_only_under_its_own_photo(people: People, community: Community) -> None:
    shown, private = people.photo(), people.photo(visibility=PRIVATE)
    url = crop_of(people, people.met(shown))
    foreign = crop_of(people, people.met(private), community.ann)
    face_id = foreign.partition("?")[0].rpartition("/")[2]
    path, _, query = url.partition("?")
    with community.browser() as browser:
        for other in (face_id, "not-an-id", "00000000-0000-7000-8000-000000000000"):
            assert browser.get(f"{path.rpartition('/')[0]}/{other}?{query}").status_code == 404
        assert browser.get(path).status_code == 403
        assert browser.get(f"{url}x").status_code == 403


def test_a_face_without_a_crop_has_no_url(people: People, community: Community) -> None:
    photo = people.photo()
    drawn = seen(people.table, photo)
    (face,) = people.read(f"/api/photos/{photo.image_id}/persons")["faces"]
    assert "thumbUrl" not in face
    query = people.read(f"/api/photos/{photo.image_id}")["urls"]["thumb"].partition("?")[2]
    with community.browser() as browser:
        assert browser.get(f"/media/{photo.image_id}/faces/{drawn.face_id}?{query}").status_code == 404


def test_the_url_of_a_face_serves_only_keys_of_face_crops_whatever_the_row_holds(
    people: People, community: Community
) -> None:
    photo = people.photo()
    seen(people.table, photo, thumb_key=photo.original_key)
    community.blobs.put(photo.original_key or "", [b"all of it"])
    (face,) = people.read(f"/api/photos/{photo.image_id}/persons")["faces"]
    with community.browser() as browser:
        assert browser.get(face["thumbUrl"]).status_code == 404


def test_a_face_crop_is_redirected_where_the_store_serves_blobs() -> None:
    gallery = Gallery(blobs=MemoryBlobs(keyring=RING, is_local=False))
    key = blob_keys.face_thumb(a_face(gallery.photo, a_box()).face_id)
    gallery.blobs.put(key, [b"a face"], content_type="image/jpeg")
    face = seen(gallery.table, gallery.photo, thumb_key=key)
    with Client(gallery.app()) as client:
        response = client.get(gallery.url(gallery.bob_in(), size=f"faces/{face.face_id}"))
    assert (response.status_code, response.headers["Cache-Control"]) == (307, "private, max-age=240")
    assert key in response.headers["Location"]

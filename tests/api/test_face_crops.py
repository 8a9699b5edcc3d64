"""`/media/../faces/`: a face for whom its address was made, for as long as they may see the photo."""

from sparks.blobs.memory import MemoryBlobs
from sparks.library import objects
from sparks.library.photos import trash_photo
from sparks.model.account import User
from sparks.model.person import Person
from tests.api.client import Client
from tests.api.community import Community
from tests.api.crowd import PRIVATE, People
from tests.api.gallery import RING, Gallery
from tests.factories import NOON, a_face
from tests.library.people.rows import a_box, seen


def crop_of(people: People, person: Person, user: User | None = None) -> str:
    (face,) = people.told(f"/api/persons/{person.person_id}/faces", user)["faces"]
    return str(face["thumbUrl"])


def test_a_face_is_at_its_address_for_whoever_sees_the_photo(people: People, community: Community) -> None:
    photo = people.photo()
    person = people.met(photo)
    with community.browser() as browser:
        answer = browser.get(crop_of(people, person))
        assert answer.status_code == 200
        assert answer.content.startswith(b"faces/thumbs/")
        assert answer.headers["Content-Type"] == "image/jpeg"
        assert answer.headers["Cache-Control"] == "private, max-age=3600"
        assert browser.request("HEAD", crop_of(people, person)).status_code == 200
        assert browser.get(people.told(f"/api/persons/{person.person_id}")["thumbUrl"]).status_code == 200


def test_the_address_of_a_face_closes_with_the_photo(people: People, community: Community) -> None:
    photo = people.photo()
    address = crop_of(people, people.met(photo))
    trash_photo(photo, at=NOON, table=people.table)
    with community.browser() as browser:
        assert browser.get(address).status_code == 404


def test_a_face_is_only_at_the_address_of_its_own_photo(people: People, community: Community) -> None:
    shown, private = people.photo(), people.photo(visibility=PRIVATE)
    address = crop_of(people, people.met(shown))
    foreign = crop_of(people, people.met(private), community.ann)
    face_id = foreign.partition("?")[0].rpartition("/")[2]
    path, _, query = address.partition("?")
    with community.browser() as browser:
        for other in (face_id, "not-an-id", "00000000-0000-7000-8000-000000000000"):
            assert browser.get(f"{path.rpartition('/')[0]}/{other}?{query}").status_code == 404
        assert browser.get(path).status_code == 403
        assert browser.get(f"{address}x").status_code == 403


def test_a_face_that_nobody_has_cut_out_has_no_address(people: People, community: Community) -> None:
    photo = people.photo()
    drawn = seen(people.table, photo)
    (face,) = people.told(f"/api/photos/{photo.image_id}/persons")["faces"]
    assert "thumbUrl" not in face
    query = people.told(f"/api/photos/{photo.image_id}")["urls"]["thumb"].partition("?")[2]
    with community.browser() as browser:
        assert browser.get(f"/media/{photo.image_id}/faces/{drawn.face_id}?{query}").status_code == 404


def test_whatever_the_row_says_the_address_of_a_face_leads_to_a_picture_of_a_face(
    people: People, community: Community
) -> None:
    photo = people.photo()
    seen(people.table, photo, thumb_key=photo.original_key)
    community.blobs.put(photo.original_key or "", [b"all of it"])
    (told,) = people.told(f"/api/photos/{photo.image_id}/persons")["faces"]
    with community.browser() as browser:
        assert browser.get(told["thumbUrl"]).status_code == 404


def test_where_sparks_does_not_serve_blobs_itself_a_face_is_sent_on_to_the_store() -> None:
    gallery = Gallery(blobs=MemoryBlobs(keyring=RING), served=None)
    key = objects.face_thumb(a_face(gallery.photo, a_box()).face_id)
    gallery.blobs.put(key, [b"a face"], content_type="image/jpeg")
    face = seen(gallery.table, gallery.photo, thumb_key=key)
    with Client(gallery.app()) as client:
        answer = client.get(gallery.url(gallery.bob_in(), size=f"faces/{face.face_id}"))
    assert (answer.status_code, answer.headers["Cache-Control"]) == (307, "private, max-age=240")
    assert key in answer.headers["Location"]

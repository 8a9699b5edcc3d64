"""Reading persons: the list, one person, and the persons in a photo."""

from itertools import product

from sparks.api.people.responses import FaceList, PersonList, PersonResponse, PhotoPersonsResponse
from sparks.api.photos.responses import ImageList
from sparks.library.people.apply_decision import reconcile_person, relist_person
from sparks.library.people.person_decisions import hide_person, merge_persons
from sparks.library.people.person_picture import update_picture
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.model.account import User
from sparks.model.events import PatrolDue
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.share import LinkPermission
from sparks.people.person_pictures import check_persons
from sparks.table.port import Put
from tests.api.callers import ALBUM
from tests.api.client import refusal
from tests.api.community import Community
from tests.api.person_makers import PRIVATE, People
from tests.factories import ANN, NOON
from tests.library.people.rows import FEW, seen, settle

# -- The list


def test_the_list_of_persons_has_the_shape_that_clients_know(people: People) -> None:
    person = people.in_photos(people.photo(), people.photo())
    update_picture(person.person_id, table=people.table, blobs=people.community.blobs)
    answer = people.read("/api/persons")
    (result,) = answer["persons"]
    assert answer.keys() == {"persons", "hasMore"}
    address = result.pop("thumbUrl")
    face = result.pop("repFaceId")
    assert result == {
        "personId": person.person_id,
        "displayName": person.person_id,
        "s3Key": f"persons/{person.person_id}.jpg",
        "createdAt": 1754049600,
        "photoCount": 2,
        "named": False,
        "hidden": False,
    }
    assert f"/faces/{face}?" in address


def test_a_person_whom_another_program_made_is_listed_and_has_a_page(people: People) -> None:
    row = {
        "PK": "PERSON#person1",
        "SK": "person1",
        "entityType": "PERSON",
        "displayName": "person1",
        "s3Key": "persons/person1.jpg",
        "createdAt": 1754040302,
    }
    people.table.write(Put(row))
    expected = {"personId": "person1", "displayName": "person1", "s3Key": "persons/person1.jpg"}
    assert expected.items() <= people.read("/api/persons/person1").items()
    assert people.read("/api/persons/person1/photos")["images"] == []
    assert people.read("/api/persons/person1/faces")["faces"] == []
    check_persons(PatrolDue(NOON), table=people.table, pipeline=PipelineSettings())
    (listed,) = people.read("/api/persons")["persons"]
    assert listed == expected | {"createdAt": 1754040302, "photoCount": 0, "named": False, "hidden": False}


def test_the_picture_of_a_person_is_never_that_of_a_photo_that_the_community_does_not_see(people: People) -> None:
    person = people.in_photos(people.photo(visibility=PRIVATE), people.photo(visibility=PRIVATE))
    update_picture(person.person_id, table=people.table, blobs=people.community.blobs)
    (listed,) = people.read("/api/persons", people.community.ann)["persons"]
    assert listed["thumbUrl"]
    assert "s3Key" not in listed


def test_every_response_about_persons_matches_the_document(people: People) -> None:
    photo = people.photo()
    person = people.in_photos(photo, people.photo())
    seen(people.table, photo, 3)
    path = f"/api/persons/{person.person_id}"
    for where, shape in (
        ("/api/persons", PersonList),
        (path, PersonResponse),
        (f"{path}/faces", FaceList),
        (f"{path}/photos", ImageList),
        (f"/api/photos/{photo.image_id}/persons", PhotoPersonsResponse),
    ):
        answer = people.read(where)
        if shape is not ImageList:
            assert shape.model_validate(answer).model_dump(by_alias=True, exclude_none=True, mode="json") == answer


def test_a_member_sees_the_community_and_their_own_photos(people: People) -> None:
    both = people.in_photos(people.photo(), people.photo(), people.photo(visibility=PRIVATE))
    private = people.in_photos(people.photo(visibility=PRIVATE), people.photo(visibility=PRIVATE))

    def counts(user: User, scope: str = "all") -> list[tuple[str, int]]:
        result = people.read("/api/persons", user, params={"scope": scope})
        return [(each["personId"], each["photoCount"]) for each in result["persons"]]

    ann, bob = people.community.ann, people.community.bob
    assert counts(ann) == counts(ann, "mine") == [(both.person_id, 3), (private.person_id, 2)]
    assert counts(ann, "community") == counts(bob) == counts(bob, "community") == [(both.person_id, 2)]
    assert counts(bob, "mine") == counts(people.community.carol, "mine") == []


def test_hidden_persons_and_those_in_few_photos_are_listed_on_request(people: People) -> None:
    few, hidden = people.met(people.photo()), people.in_photos(people.photo(), people.photo())
    hide_person(hidden.person_id, hidden=True, who=ANN, at=NOON, table=people.table)
    relist_person(hidden.person_id, min_photos=FEW, table=people.table)

    def ids(**asked: str) -> list[str]:
        return [each["personId"] for each in people.read("/api/persons", params=asked)["persons"]]

    assert ids() == []
    assert ids(few="true") == [few.person_id]
    assert ids(hidden="true") == [hidden.person_id]
    assert ids(few="true", hidden="true") == [hidden.person_id, few.person_id]


def test_the_list_of_persons_continues_after_its_cursor(people: People) -> None:
    persons = [people.in_photos(people.photo(), people.photo()).person_id for _ in range(3)]
    first = people.read("/api/persons?limit=2")
    rest = people.read("/api/persons", params={"limit": "2", "cursor": first["lastEvaluatedKey"]})
    assert [each["personId"] for each in (*first["persons"], *rest["persons"])] == persons
    assert "lastEvaluatedKey" not in rest


def test_a_cursor_is_valid_for_its_list_and_its_caller_only(people: People) -> None:
    photos = [people.photo() for _ in range(2)]
    person, other = people.in_photos(*photos), people.met(photos[0], 1)
    people.name(other, "Grace")
    path = f"/api/persons/{person.person_id}"
    persons = "/api/persons?limit=1"
    lists = [persons, f"{persons}&scope=community", f"{persons}&few=true", f"{path}/photos?limit=1"]
    lists.append(f"{path}/faces?limit=1")
    for each, where in product(lists, lists):
        cursor = people.read(each)["lastEvaluatedKey"]
        answer = people.get(f"{where}&cursor={cursor}")
        assert (answer.status_code == 200) is (where == each), (each, where)
        assert refusal(people.get(f"{each}&cursor={cursor}", people.community.ann))[1] == "BAD_CURSOR"


def test_a_guest_sees_the_persons_of_the_album(people: People, community: Community) -> None:
    within = people.in_photos(people.photo(albums=(ALBUM,)), people.photo(albums=(ALBUM,), visibility=PRIVATE))
    people.in_photos(people.photo(), people.photo())
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    headers = community.guest_of(link)
    with community.browser() as browser:
        (result,) = browser.get("/api/persons", headers=headers).json()["persons"]
        assert (result["personId"], result["photoCount"]) == (within.person_id, 2)
        assert browser.get(result["thumbUrl"]).status_code == 200
        photos = browser.get(f"/api/persons/{within.person_id}/photos", headers=headers).json()
        assert len(photos["images"]) == 2
        assert ANN not in str(photos)


def test_a_link_for_some_persons_shows_no_others(people: People, community: Community) -> None:
    photo = people.photo(albums=(ALBUM,))
    meant, other = people.met(photo), people.met(photo, 1)
    for person, name in ((meant, "Grace"), (other, "Alan")):
        people.name(person, name)
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW, persons=(meant.person_id,))
    headers = community.guest_of(link)
    with community.browser() as browser:
        result = browser.get("/api/persons", headers=headers).json()["persons"]
        assert [each["displayName"] for each in result] == ["Grace"]
        answer = browser.get(f"/api/photos/{photo.image_id}/persons", headers=headers)
        assert [each["displayName"] for each in answer.json()["persons"]] == ["Grace"]
        assert len(answer.json()["faces"]) == 2
        assert other.person_id not in answer.text
        assert browser.get(f"/api/persons/{other.person_id}", headers=headers).status_code == 404


# -- One person


def test_a_person_is_read_as_the_caller_sees_them(people: People) -> None:
    person = people.in_photos(people.photo(), people.photo(visibility=PRIVATE))
    people.name(person, "Grace")
    path = f"/api/persons/{person.person_id}"
    assert people.read(path)["photoCount"] == 1
    result = people.read(path, people.community.ann)
    assert (result["photoCount"], result["displayName"], result["named"]) == (2, "Grace", True)


def test_invisible_and_missing_persons_get_the_same_response(people: People) -> None:
    private = people.met(people.photo(visibility=PRIVATE)).person_id
    for path in ("/api/persons/{}", "/api/persons/{}/photos", "/api/persons/{}/faces"):
        foreign, missing = (refusal(people.get(path.format(each))) for each in (private, "person4711"))
        assert foreign == missing
        assert foreign[:2] == (404, "NOT_FOUND")


def test_the_id_of_a_merged_person_leads_to_the_one_they_became(people: People) -> None:
    photos = [people.photo() for _ in range(2)]
    kept, gone = people.met(photos[0]), people.met(photos[1])
    merge_persons(kept.person_id, gone.person_id, who=ANN, at=NOON, table=people.table)
    for settled in (False, True):
        if settled:
            for person in (kept, gone):
                reconcile_person(person.person_id, min_photos=FEW, table=people.table)
        result = people.read(f"/api/persons/{gone.person_id}")
        assert (result["personId"], result["photoCount"]) == (kept.person_id, 2)
        assert len(people.read(f"/api/persons/{gone.person_id}/photos")["images"]) == 2
        faces = people.read(f"/api/persons/{gone.person_id}/faces")["faces"]
        assert {face["personId"] for face in faces} == {kept.person_id}


# -- The persons in a photo


def test_a_photo_lists_its_faces_and_their_persons(people: People) -> None:
    photo = people.photo()
    person = people.met(photo)
    people.name(person, "Grace")
    waiting = seen(people.table, photo, 1)
    result = people.read(f"/api/photos/{photo.image_id}/persons")
    assert result["persons"] == [{"personId": person.person_id, "displayName": "Grace", "named": True, "hidden": False}]
    faces = {face["faceId"]: face for face in result["faces"]}
    assert faces[waiting.face_id] == {
        "faceId": waiting.face_id,
        "imageId": photo.image_id,
        "bbox": {"Left": 0.1, "Top": 0.0, "Width": 0.08, "Height": 0.08},
        "confidence": 0.99,
        "quality": 0.8,
        "byHand": False,
    }
    (shown,) = (face for face in result["faces"] if face["faceId"] != waiting.face_id)
    assert shown["personId"] == person.person_id


def test_a_person_only_in_a_trashed_photo_is_not_listed_with_it(people: People) -> None:
    photo = people.photo()
    person = people.met(photo)
    trash_photo(photo, at=NOON, table=people.table)
    settle(people.table, photo)
    result = people.read(f"/api/photos/{photo.image_id}/persons", people.community.ann)
    assert (result["persons"], len(result["faces"])) == ([], 1)
    assert person.person_id not in str(result)
    assert people.get(f"/api/photos/{photo.image_id}/persons").status_code == 404


def test_no_embedding_leaves_the_table(people: People) -> None:
    photo = people.photo()
    person = people.met(photo)
    for path in (f"/api/photos/{photo.image_id}/persons", f"/api/persons/{person.person_id}/faces"):
        assert "embedding" not in people.get(path).text
        assert "vector" not in people.get(path).text

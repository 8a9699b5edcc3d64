"""Persons, faces, decisions and merge suggestions, and which of the callers should find each.

`person1` is in the community, and so are `person2`, who is in the album too, and `person8`, who became `person1`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from sparks.library import blob_keys
from sparks.library.people.apply_decision import reconcile_person, relist_person
from sparks.library.people.face_assignment import found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import merge_persons, name_person
from sparks.model.face import Face
from sparks.model.ids import new_event_id
from sparks.model.person import Suggestion
from tests.api.access_sample import NOBODY, RANDOM, Sample
from tests.api.community import Community
from tests.factories import ANN, BOB, a_face, a_photo
from tests.library.people.rows import FEW, a_box, settle

NO_PERSON: Final = "person999999"
CROP: Final = b"\xff\xd8\xff\xe0 a face"
IN_PHOTOS: Final = (  # one person each, in this order
    "in the community",
    "in the community and the album",
    "private",
    "private in the album",
    "private in another album",
    "in the trash",
    "Bob's private",
    "Bob's in the community",
)
PAIRS: Final = ((1, 2), (1, 3), (1, 7), (3, 7))  # of persons who may be one


def people_in(community: Community, photos: Iterable[Sample]) -> Mapping[str, list[Sample]]:
    """By the names of their ids in paths, as in `samples_in`. `photos` are those of the persons."""
    there = {sample.what: sample for sample in photos}
    faces = [_face(community, there[what]) for what in IN_PHOTOS]
    persons = [_person(community, face, there[what]) for face, what in zip(faces, IN_PHOTOS, strict=True)]
    decisions = [_name(community, sample) for sample in persons]
    decisions[-1] = _merge(community, persons[0].id, persons[-1])
    theirs = [
        Sample(f"face {what}", face.face_id, there[what].seen_by, there[what].guests_of, within=face.image_id)
        for face, what in zip(faces, IN_PHOTOS, strict=True)
    ]
    return {
        "personId": [*persons, *_nothing(NO_PERSON)],
        "faceId": [*theirs, *_nothing(a_face(a_photo(), a_box()).face_id)],
        "face_id": [*theirs, *_nothing(a_face(a_photo(), a_box()).face_id)],
        "decisionId": [*decisions, *_nothing(f"{new_event_id()}.{NO_PERSON}")],
        "suggestionId": [*_suggestions(community, persons, faces), *_nothing("person999998~person999999")],
    }


def _nothing(random_id: str) -> list[Sample]:
    return [Sample("no id at all", "not-an-id", is_malformed=True), Sample(RANDOM, random_id)]


def _face(community: Community, photo: Sample) -> Face:
    """A face with a crop."""
    found = a_face(a_photo(image_id=photo.id, owner=photo.owner), a_box(), embedding=b"vector")
    key = blob_keys.face_thumb(found.face_id)
    community.blobs.put(key, [CROP], content_type="image/jpeg")
    return store_face(replace(found, thumb_key=key), at=community.at, table=community.table)


def _person(community: Community, face: Face, photo: Sample) -> Sample:
    """No person is seen in the trash."""
    person = found_person(face, at=community.at, table=community.table)
    assert person is not None
    settle(community.table, a_photo(image_id=face.image_id, owner=face.owner))
    seen_by = NOBODY if "trash" in photo.what else photo.seen_by
    return Sample(photo.what, person.person_id, seen_by, photo.guests_of)


def _name(community: Community, person: Sample) -> Sample:
    name = f"Somebody {person.what}"
    decision = name_person(person.id, name, who=ANN, at=community.at, table=community.table)
    relist_person(person.id, min_photos=FEW, table=community.table)
    return replace(person, what=f"name of one {person.what}", id=decision.decision_id)


def _merge(community: Community, kept: str, gone: Sample) -> Sample:
    decision = merge_persons(kept, gone.id, who=BOB, at=community.at, table=community.table)
    assert decision is not None
    for person_id in (kept, gone.id):
        reconcile_person(person_id, min_photos=FEW, table=community.table)
    return replace(gone, what="merge of two in the community", id=decision.decision_id)


def _suggestions(community: Community, persons: list[Sample], faces: list[Face]) -> list[Sample]:
    """A member who sees both persons gets the suggestion."""
    samples = []
    for first, second in PAIRS:
        one, other = persons[first - 1], persons[second - 1]
        made = Suggestion(
            person_id=one.id,
            other_person_id=other.id,
            face_id=faces[first - 1].face_id,
            other_face_id=faces[second - 1].face_id,
            similarity=0.45,
        )
        community.keep(made)
        samples.append(Sample(f"{one.what} and {other.what}", made.suggestion_id, one.seen_by & other.seen_by))
    return samples

"""Record types of faces, persons, decisions and merge suggestions."""

from collections.abc import Mapping
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import Fields, choice, each, names, nested, number, plain, seconds, time
from sparks.library.records.photo import BOX, renditions
from sparks.library.records.record_type import RecordType
from sparks.model.errors import BadInput
from sparks.model.face import Face, FaceById, FaceChange, FaceLogEntry, FaceReference
from sparks.model.person import (
    Decision,
    DecisionKind,
    FaceDecision,
    Person,
    PersonCounter,
    PersonInPhoto,
    PersonInScope,
    PersonPictureDue,
    Suggestion,
)
from sparks.model.times import EPOCH
from sparks.table.port import EntityType

REFERENCE: Final = Fields(FaceReference, plain("imageId"), nested("bbox", BOX, "box"), plain("faceId"))


def _read_face_type(entity_type: str) -> Mapping[str, Any]:
    unassigned = entity_type == entity_types.FACES_UNASSIGNED.value
    return {"person_id": None if unassigned else _tail(entity_type, "FACE#")}


def _tagging_type(tagging: PersonInPhoto) -> EntityType:
    if tagging.private and tagging.owner is None:
        raise BadInput("a tagging is private to an owner: it names none")
    return entity_types.person_in_photo(tagging.person_id, tagging.owner if tagging.private else None)


def _read_tagging_type(entity_type: str) -> Mapping[str, Any]:
    _, _, owner = _tail(entity_type, "TAGGING#").partition("#")
    return {"private": True, "owner": owner} if owner else {}


def _read_scope_type(entity_type: str) -> Mapping[str, Any]:
    return {"listed": entity_type.startswith("PERSON_IN#")}


def _tail(text: str, head: str) -> str:
    if not text.startswith(head):
        raise ValueError("an entityType of another kind")
    return text[len(head) :]


FACE: Final = RecordType(
    Face,
    plain("owner"),
    nested("bbox", BOX, "box"),
    plain("thumbS3Key", "thumb_key"),
    number("confidence"),
    number("quality"),
    plain("engine"),
    plain("embedding"),
    time("indexedAt"),
    time("addedAt"),
    plain("homePersonId", "stored_engine_person_id"),
    plain("byHand", absent=False),
    pk="{image_id}",
    sk="FACE#{face_id..}",
    key=lambda face: keys.face(face.image_id, face.face_id),
    added={"addedAt": 2},
    entity_type=lambda face: entity_types.face(face.person_id),
    read_type=_read_face_type,
)

FACE_BY_ID: Final = RecordType(
    FaceById,
    plain("imageId"),
    plain("owner"),
    pk="FACE#{face_id..}",
    sk="FACE",
    key=lambda face: keys.face_by_id(face.face_id),
)

FACE_LOG_ENTRY: Final = RecordType(
    FaceLogEntry,
    plain("imageId"),
    plain("owner"),
    choice("change", FaceChange),
    pk="FACE_INGEST#{}",
    sk="{indexed_at:time}#{face_id..}",
    key=lambda entry: keys.face_log_entry(entry.indexed_at, entry.face_id),
)

PERSON_IN_PHOTO: Final = RecordType(
    PersonInPhoto,
    plain("owner"),
    plain("s3Key", "picture_key"),
    renditions(),
    seconds("createdAt"),
    plain("bestFaceId"),
    plain("bestThumbS3Key", "best_thumb_key"),
    number("bestRank"),
    plain("counted"),
    plain("countedFaces"),
    names("countedIn", absent=()),
    pk="{image_id:uuid}",
    sk="PERSON#{person_id}",
    key=lambda tagging: keys.person_in_photo(tagging.image_id, tagging.person_id),
    added={"bestThumbS3Key": 2},
    entity_type=_tagging_type,
    read_type=_read_tagging_type,
    missing=lambda _: {"created_at": EPOCH},
)

PERSON: Final = RecordType(
    Person,
    plain("displayName"),
    plain("s3Key", "picture_key"),
    plain("pictureFaceId"),
    seconds("createdAt"),
    time("updatedAt"),
    plain("repFaceId"),
    plain("repImageId"),
    plain("repThumbS3Key", "rep_thumb_key"),
    number("repRank"),
    plain("chosenFaceId"),
    plain("memberCount"),
    plain("photoCount"),
    plain("canonicalPersonId"),
    plain("hidden", absent=False),
    plain("decisionCount", absent=0),
    pk="PERSON#{person_id}",
    sk="{person_id}",
    key=lambda person: keys.person(person.person_id),
    added={"pictureFaceId": 2, "repThumbS3Key": 2},
    entity_type=lambda _: entity_types.PERSONS,
    missing=lambda person: {"display_name": person["person_id"], "created_at": EPOCH},
)

PERSON_IN_SCOPE: Final = RecordType(
    PersonInScope,
    plain("count"),
    plain("repFaceId"),
    plain("repImageId"),
    number("repRank"),
    plain("enough", "min_photos"),
    pk="PERSON#{person_id}",
    sk="IN#{scope..}",
    key=lambda person: keys.person_in_scope(person.person_id, person.scope),
    entity_type=lambda person: entity_types.person_in_scope(person.scope, listed=person.listed),
    read_type=_read_scope_type,
)

PERSON_PICTURE_DUE: Final = RecordType(
    PersonPictureDue,
    time("madeAt"),
    plain("writing", absent=False),
    pk="PERSON#{person_id}",
    sk="PICTURE_DUE#{due_id..}",
    key=lambda due: keys.person_picture_due(due.person_id, due.due_id),
    entity_type=lambda _: entity_types.PERSON_PICTURES_DUE,
    since=2,
)

DECISION: Final = RecordType(
    Decision,
    choice("kind", DecisionKind),
    plain("who"),
    each("faces", REFERENCE, absent=()),
    plain("otherPersonId"),
    plain("name"),
    plain("was"),
    plain("undoes"),
    pk="PERSON#{person_id}",
    sk="DECISION#{decided_at:time}#{decision_id..}",
    key=lambda decision: keys.decision(decision.person_id, decision.decided_at, decision.decision_id),
    entity_type=lambda _: entity_types.DECISIONS,
)

FACE_DECISION: Final = RecordType(
    FaceDecision,
    plain("owner"),
    choice("kind", DecisionKind),
    plain("personId"),
    each("faces", REFERENCE, absent=()),
    plain("otherPersonId"),
    plain("undone", absent=False),
    pk="{image_id}",
    sk="DECISION#{decided_at:time}#{decision_id..}",
    key=lambda decision: keys.face_decision(decision.image_id, decision.decided_at, decision.decision_id),
)

SUGGESTION: Final = RecordType(
    Suggestion,
    plain("faceId"),
    plain("otherFaceId"),
    number("similarity"),
    pk="SUGGESTION#{person_id}",
    sk="WITH#{other_person_id..}",
    key=lambda suggestion: keys.suggestion(suggestion.person_id, suggestion.other_person_id),
    entity_type=lambda _: entity_types.SUGGESTIONS,
    retired={"madeAt": 2},
)

PERSON_COUNTER: Final = RecordType(
    PersonCounter,
    plain("limit", "last_number"),
    pk="UNKNOWN_PERSONS",
    sk="UNKNOWN_PERSONS",
    key=lambda _: keys.PERSON_COUNTER,
    entity_type=lambda _: entity_types.PERSON_COUNTER,
    missing=lambda _: {},
)

"""Steps that keep the pictures of persons, and bring rows of older versions and of other programs up to date."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import entity_types, keys
from sparks.library.people.apply_decision import reconcile_person
from sparks.library.people.counters import is_listed
from sparks.library.people.person_picture import persons_with_picture_due, picture_due, update_picture
from sparks.library.people.photo_faces import find_persons
from sparks.library.people.reconcile import reconcile_people
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item, key_of, to_item
from sparks.model.errors import ConditionFailed
from sparks.model.events import Event, PatrolDue, PersonPicturesDue
from sparks.model.face import Face
from sparks.model.person import Person, PersonInScope
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import COMMUNITY
from sparks.table.port import Absent, AttributeAbsent, Check, Present, Put, Table, every

MAX_PERSONS: Final = 200  # of one job

_KNOWN: Final = frozenset({
    "displayName", "createdAt", "canonicalPersonId", "memberCount", "hidden", "s3Key", "pictureFaceId", "repFaceId",
    "repImageId", "repThumbS3Key",
})  # fmt: skip
_COVER: Final = frozenset({"entityType", "repFaceId"})
_COUNTED: Final = frozenset({"counted"})


def update_person_pictures(
    _: Event, *, table: Table, blobs: Blobs, pipeline: PipelineSettings
) -> PersonPicturesDue | None:
    """Updates the pictures that are due; sends its event again where there are more than one job should update. The
    photos of a person whose rows an older version wrote are reconciled first.
    """
    due = list(islice(persons_with_picture_due(table=table), MAX_PERSONS))
    for person_id in _older(find_persons(due, table=table).values(), table):
        reconcile_person(person_id, min_photos=pipeline.min_photos, table=table)
    for person_id in due:
        update_picture(person_id, table=table, blobs=blobs)
    return PersonPicturesDue() if len(due) == MAX_PERSONS else None


def check_persons(_: PatrolDue, *, table: Table, pipeline: PipelineSettings) -> PersonPicturesDue | None:
    """Looks through all persons. The picture of a person is due where it does not show the cover face of the community,
    and where an older version wrote the rows. A person whom another program made is listed, with the photos in which
    that program says they are.
    """
    covers = _community_covers(table)
    persons = [from_item(Person, row) for row in every(table, entity_types.PERSONS, only=_KNOWN)]
    for person in persons:
        if person.is_external and person.canonical_person_id is None:
            _adopt(person, covers, pipeline.min_photos, table)
    due = {*_older(persons, table), *(each.person_id for each in persons if _is_stale(each, covers))}
    for person_id in sorted(due):
        table.write(picture_due(person_id))
    return PersonPicturesDue() if due else None


def _community_covers(table: Table) -> Mapping[str, str | None]:
    """The cover faces in the community's scope, by person."""
    lists = (entity_types.person_in_scope(COMMUNITY, listed=listed) for listed in (True, False))
    shown = (from_item(PersonInScope, row) for within in lists for row in every(table, within, only=_COVER))
    return {each.person_id: each.rep_face_id for each in shown}


def _is_stale(person: Person, covers: Mapping[str, str | None]) -> bool:
    cover = None if person.canonical_person_id is not None else covers.get(person.person_id)
    return cover != person.picture_face_id


def _older(persons: Iterable[Person], table: Table) -> list[str]:
    """The ids of those whose rows do not name the crop of their cover face, which every version since writes."""
    without = {
        keys.face(each.rep_image_id, each.rep_face_id): each.person_id
        for each in persons
        if each.rep_thumb_key is None and each.rep_image_id is not None and each.rep_face_id is not None
    }
    faces = table.get_many(list(without))
    return [without[key] for key, row in faces.items() if from_item(Face, row).thumb_key is not None]


# -- Persons of other programs


def _adopt(person: Person, covers: Mapping[str, str | None], min_photos: int | None, table: Table) -> None:
    if person.person_id not in covers:
        _list_person(person, table)
    for row in every(table, entity_types.person_in_photo(person.person_id), only=_COUNTED):
        photo = None if "counted" in row else find_photo(row["PK"], table=table)
        if photo is not None:
            reconcile_people(photo.image_id, photo.owner, min_photos=min_photos, table=table)


def _list_person(person: Person, table: Table) -> None:
    """Nothing happens where Sparks has counted the person meanwhile."""
    shown = is_listed(PersonInScope(person_id=person.person_id, scope=COMMUNITY), person, None)
    still = (Present(), AttributeAbsent("memberCount"), AttributeAbsent("canonicalPersonId"))
    try:
        table.write(Check(key_of(person), still), Put(to_item(shown), when=(Absent(),)))
    except ConditionFailed:
        return

"""Finds rows about persons to be erased, by lists or by a full scan.

Lists may lag, and none leads from a person to a face that the engine assigned to them and people did not. So the traces
found by lists are removed at once, and a scan of the whole table finds the rest.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.consent import SITE, album_of_subject
from sparks.library.face_index import KEYS_ONLY
from sparks.library.face_log import faces_by_id
from sparks.library.people.redirects import leading_to
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import from_item, key_of, read_item
from sparks.model.biometric_erasure import Erasure
from sparks.model.face import Face
from sparks.model.ids import is_uuid
from sparks.model.person import (
    Decision,
    FaceDecision,
    Person,
    PersonInPhoto,
    PersonInScope,
    PersonPictureDue,
    Suggestion,
)
from sparks.model.scope import Scope, owner_of
from sparks.table.port import Item, Key, Table, every

MatchesPhoto = Callable[[str, str], bool]  # by image id and owner

_IN_SCOPE: Final = ("PERSON_IN#", "PERSON_FEW#")


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """The faces to erase: those of the persons, unassigned ones given by id, or all faces of matching photos."""

    persons: frozenset[str] = frozenset()
    face_ids: frozenset[str] = frozenset()
    photo: MatchesPhoto = lambda _image_id, _owner: False

    def matches_face(self, face: Face) -> bool:
        is_listed = face.person_id is None and face.face_id in self.face_ids
        return is_listed or face.person_id in self.persons or self.photo(face.image_id, face.owner)

    def may_match(self, row: Item, kind: str) -> bool:
        """Whether the row of a face must be decoded, which a scan avoids for most rows."""
        names_person = kind.removeprefix("FACE#") in self.persons or "homePersonId" in row
        return names_person or not self.persons or row["SK"].removeprefix(keys.FACES.text) in self.face_ids

    def matches_person_in_photo(self, row: PersonInPhoto) -> bool:
        return row.person_id in self.persons or self.photo(row.image_id, row.owner or "")

    def names_person(self, decision: Decision | FaceDecision) -> bool:
        return decision.person_id in self.persons or decision.other_person_id in self.persons


@dataclass(slots=True)
class FoundTraces:
    """`engine_matches` are faces that the engine assigned to one of the persons and people did not: unassigned, or of
    another person. `decisions` and `face_decisions` are all that were read: the faces found decide which are redacted.
    """

    faces: dict[str, Face] = field(default_factory=dict)
    engine_matches: dict[str, Face] = field(default_factory=dict)
    persons_in_photos: dict[Key, PersonInPhoto] = field(default_factory=dict)
    persons: dict[Key, Person] = field(default_factory=dict)
    persons_in_scopes: dict[Key, PersonInScope] = field(default_factory=dict)
    decisions: dict[Key, Decision] = field(default_factory=dict)
    face_decisions: dict[Key, FaceDecision] = field(default_factory=dict)
    suggestions: dict[Key, Suggestion] = field(default_factory=dict)
    pictures_due: dict[Key, PersonPictureDue] = field(default_factory=dict)

    def add_face(self, face: Face, target: ErasureTarget) -> None:
        if target.matches_face(face):
            self.faces[face.face_id] = face
        elif face.stored_engine_person_id in target.persons:
            self.engine_matches[face.face_id] = face

    def add_person_in_photo(self, row: PersonInPhoto, target: ErasureTarget) -> None:
        if target.matches_person_in_photo(row):
            self.persons_in_photos[key_of(row)] = row

    def add_person_row(self, row: Item, kind: str, target: ErasureTarget) -> None:
        key = Key(row["PK"], row["SK"])
        if kind == entity_types.PERSONS.value and key.sk in target.persons:
            self.persons[key] = from_item(Person, row)
        elif kind.startswith(_IN_SCOPE) and key.pk.removeprefix("PERSON#") in target.persons:
            self.persons_in_scopes[key] = from_item(PersonInScope, row)
        elif kind == entity_types.PERSON_PICTURES_DUE.value:
            self._add_picture_due(from_item(PersonPictureDue, row), target)
        elif kind == entity_types.DECISIONS.value:
            self.decisions[key] = from_item(Decision, row)
        elif not kind and key.sk.startswith(keys.DECISIONS.text):
            self.face_decisions[key] = from_item(FaceDecision, row)
        elif kind == entity_types.SUGGESTIONS.value:
            suggestion = from_item(Suggestion, row)
            if {suggestion.person_id, suggestion.other_person_id} & target.persons:
                self.suggestions[key] = suggestion

    def _add_picture_due(self, due: PersonPictureDue, target: ErasureTarget) -> None:
        """Not the row of a process that is writing the picture: it goes by itself, or within minutes."""
        if due.person_id in target.persons and not due.writing:
            self.pictures_due[key_of(due)] = due

    def is_empty_for(self, target: ErasureTarget) -> bool:
        rows = (
            self.faces,
            self.engine_matches,
            self.persons_in_photos,
            self.persons,
            self.persons_in_scopes,
            self.suggestions,
            self.pictures_due,
        )
        return not any(rows) and not any(self.decisions_about(target))

    def decisions_about(self, target: ErasureTarget) -> Iterator[Decision | FaceDecision]:
        yield from filter(target.names_person, self.decisions.values())
        yield from filter(target.names_person, self.face_decisions.values())


def target_of(erasure: Erasure, *, table: Table) -> ErasureTarget:
    """Includes persons who were merged into one of the erased ones meanwhile: no redirect may lead to an erased person,
    who would come back by it.
    """
    if erasure.person_ids:
        return ErasureTarget(leading_to(erasure.person_ids, table=table), frozenset(erasure.face_ids))
    if erasure.subject == SITE:
        return ErasureTarget(photo=lambda _image_id, _owner: True)
    album_id = album_of_subject(erasure.subject)
    if album_id is None:
        return ErasureTarget(photo=lambda _image_id, owner: owner == erasure.subject)
    return ErasureTarget(photo=_in_album(album_id, table))


def traces_among(rows: Iterable[Item], target: ErasureTarget) -> FoundTraces:
    """The rows that match the target, each once."""
    found = FoundTraces()
    for row in rows:
        kind = str(row.get("entityType", ""))
        if kind == entity_types.FACES_UNASSIGNED.value or kind.startswith("FACE#"):
            if target.may_match(row, kind):
                found.add_face(from_item(Face, row), target)
        elif kind.startswith("TAGGING#"):
            tagging = read_item(PersonInPhoto, row)
            if tagging is not None:
                found.add_person_in_photo(tagging, target)
        elif target.persons:
            found.add_person_row(row, kind, target)
    return found


def listed_rows(target: ErasureTarget, *, table: Table) -> Iterator[Item]:
    """The rows of the persons, and all rows of each photo in which they are, or were according to a decision. Indexes
    give the keys; the rows are read from their own partitions.
    """
    own = [row for person_id in sorted(target.persons) for row in every(table, keys.person_rows(person_id))]
    decision_keys = [Key(row["PK"], row["SK"]) for row in every(table, entity_types.DECISIONS)]
    decisions = table.get_many(decision_keys).values()
    yield from (*own, *decisions, *every(table, entity_types.SUGGESTIONS))
    images = {face.image_id for face in faces_by_id(target.face_ids, table=table).values()}
    images |= {image_id for person_id in target.persons for image_id in _photos_of(person_id, own, table)}
    images |= {image_id for row in decisions for image_id in _named_by(from_item(Decision, row), target)}
    for image_id in sorted(filter(is_uuid, images)):
        yield from every(table, keys.photo_rows(image_id))


def scanned_rows(*, table: Table) -> Iterator[Item]:
    after = None
    while True:
        page = table.scan(after=after)
        yield from page.items
        if page.after is None:
            return
        after = page.after


def _photos_of(person_id: str, own: Iterable[Item], table: Table) -> Iterator[str]:
    """Photos with a face of the person, or a row of the person in a photo: of the community, or private photos of the
    owners in whose scopes the person is.
    """
    faces = list(every(table, entity_types.face(person_id), only=frozenset({"owner"})))
    scopes = {Scope(row["SK"].removeprefix(keys.SCOPES.text)) for row in own}
    owners = {row["owner"] for row in faces} | {owner for scope in scopes if (owner := owner_of(scope)) is not None}
    yield from (row["PK"] for row in faces)
    for owner in (None, *sorted(owners)):
        yield from (row["PK"] for row in every(table, entity_types.person_in_photo(person_id, owner), only=KEYS_ONLY))


def _named_by(decision: Decision, target: ErasureTarget) -> Iterator[str]:
    return (face.image_id for face in decision.faces if target.names_person(decision))


def _in_album(album_id: str, table: Table) -> MatchesPhoto:
    cache: dict[str, bool] = {}

    def matches(image_id: str, owner: str) -> bool:
        if image_id not in cache:
            photo = read_photo(keys.photo(image_id, owner), table=table)
            cache[image_id] = photo is not None and album_id in photo.albums
        return cache[image_id]

    return matches

"""What the table holds of somebody who is to be forgotten: looked up by keys and lists, or among all rows there are.

Lists may be a moment behind, and nothing leads from a person to a face that an engine took for them and people did not.
So what is told by lists goes at once, and a scan of the whole table tells what is left.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.consent import SITE, album_of
from sparks.library.face_index import KEYS_ONLY
from sparks.library.face_log import faces_by_id
from sparks.library.people.redirects import leading_to
from sparks.library.photos import read_photo
from sparks.library.records import from_item, key_of
from sparks.model.face import Face
from sparks.model.forgetting import Erasure
from sparks.model.person import Decision, FaceDecision, Person, PersonInScope, Suggestion, Tagging
from sparks.model.scope import Scope, owner_of
from sparks.table.port import Item, Key, Table, every

IsMeant = Callable[[str, str], bool]  # by image id and owner

_IN_SCOPE: Final = ("PERSON_IN#", "PERSON_FEW#")


@dataclass(frozen=True, slots=True)
class Aim:
    """Which faces are to go: those of the persons, those that are nobody's and told by their ids, or all of photos."""

    persons: frozenset[str] = frozenset()
    face_ids: frozenset[str] = frozenset()
    photo: IsMeant = lambda _image_id, _owner: False

    def takes(self, face: Face) -> bool:
        nobody = face.person_id is None and face.face_id in self.face_ids
        return nobody or face.person_id in self.persons or self.photo(face.image_id, face.owner)

    def may_take(self, row: Item, kind: str) -> bool:
        """Whether the row of a face is worth reading: in a scan, hardly any is."""
        told = kind.removeprefix("FACE#") in self.persons or "homePersonId" in row
        return told or not self.persons or row["SK"].removeprefix(keys.FACES.text) in self.face_ids

    def tags(self, tagging: Tagging) -> bool:
        return tagging.person_id in self.persons or self.photo(tagging.image_id, tagging.owner or "")

    def is_in(self, decision: Decision | FaceDecision) -> bool:
        return decision.person_id in self.persons or decision.other_person_id in self.persons


@dataclass(slots=True)
class Remains:
    """`strays` are faces of others, or of nobody, that an engine took for one of the persons. `decisions`, and `told`
    as photos have them, are all that were met: what is to be unsaid depends on the faces.
    """

    faces: dict[str, Face] = field(default_factory=dict)
    strays: dict[str, Face] = field(default_factory=dict)
    taggings: dict[Key, Tagging] = field(default_factory=dict)
    persons: dict[Key, Person] = field(default_factory=dict)
    lists: dict[Key, PersonInScope] = field(default_factory=dict)
    decisions: dict[Key, Decision] = field(default_factory=dict)
    told: dict[Key, FaceDecision] = field(default_factory=dict)
    suggestions: dict[Key, Suggestion] = field(default_factory=dict)

    def meet_face(self, face: Face, aim: Aim) -> None:
        if aim.takes(face):
            self.faces[face.face_id] = face
        elif face.home_person_id in aim.persons:
            self.strays[face.face_id] = face

    def meet_tagging(self, tagging: Tagging, aim: Aim) -> None:
        if aim.tags(tagging):
            self.taggings[key_of(tagging)] = tagging

    def meet_row_of_person(self, row: Item, kind: str, aim: Aim) -> None:
        key = Key(row["PK"], row["SK"])
        if kind == entity_types.PERSONS.value and key.sk in aim.persons:
            self.persons[key] = from_item(Person, row)
        elif kind.startswith(_IN_SCOPE) and key.pk.removeprefix("PERSON#") in aim.persons:
            self.lists[key] = from_item(PersonInScope, row)
        elif kind == entity_types.DECISIONS.value:
            self.decisions[key] = from_item(Decision, row)
        elif not kind and key.sk.startswith(keys.DECISIONS.text):
            self.told[key] = from_item(FaceDecision, row)
        elif kind == entity_types.SUGGESTIONS.value:
            suggestion = from_item(Suggestion, row)
            if {suggestion.person_id, suggestion.other_person_id} & aim.persons:
                self.suggestions[key] = suggestion

    def is_nothing_for(self, aim: Aim) -> bool:
        """Whether there is nothing left to do."""
        held = self.faces, self.strays, self.taggings, self.persons, self.lists, self.suggestions
        return not any(held) and not any(self.said_of(aim))

    def said_of(self, aim: Aim) -> Iterator[Decision | FaceDecision]:
        """What people said about the persons."""
        yield from filter(aim.is_in, self.decisions.values())
        yield from filter(aim.is_in, self.told.values())


def aim_of(erasure: Erasure, *, table: Table) -> Aim:
    """With who was merged into one of the persons meanwhile: nobody may lead to somebody who is forgotten, and bring
    them back.
    """
    if erasure.person_ids:
        return Aim(leading_to(erasure.person_ids, table=table), frozenset(erasure.face_ids))
    if erasure.subject == SITE:
        return Aim(photo=lambda _image_id, _owner: True)
    album_id = album_of(erasure.subject)
    if album_id is None:
        return Aim(photo=lambda _image_id, owner: owner == erasure.subject)
    return Aim(photo=_within(album_id, table))


def remains_among(rows: Iterable[Item], aim: Aim) -> Remains:
    """What of these rows is meant, each once."""
    found = Remains()
    for row in rows:
        kind = str(row.get("entityType", ""))
        if kind == entity_types.FACES_UNASSIGNED.value or kind.startswith("FACE#"):
            if aim.may_take(row, kind):
                found.meet_face(from_item(Face, row), aim)
        elif kind.startswith("TAGGING#"):
            found.meet_tagging(from_item(Tagging, row), aim)
        elif aim.persons:
            found.meet_row_of_person(row, kind, aim)
    return found


def listed_rows(aim: Aim, *, table: Table) -> Iterator[Item]:
    """The rows of the persons, and all rows of each photo that they are, or were said to be, in. Lists tell which there
    are; how each of them is, its own partition.
    """
    own = [row for person_id in sorted(aim.persons) for row in every(table, keys.person_rows(person_id))]
    said = [Key(row["PK"], row["SK"]) for row in every(table, entity_types.DECISIONS)]
    decisions = table.get_many(said).values()
    yield from (*own, *decisions, *every(table, entity_types.SUGGESTIONS))
    images = {face.image_id for face in faces_by_id(aim.face_ids, table=table).values()}
    images |= {image_id for person_id in aim.persons for image_id in _photos_of(person_id, own, table)}
    images |= {image_id for row in decisions for image_id in _named_by(from_item(Decision, row), aim)}
    for image_id in sorted(images):
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
    """Where they have a face, or are tagged: in the community, or in private photos of whoever has them in a scope."""
    faces = list(every(table, entity_types.face(person_id), only=frozenset({"owner"})))
    scopes = {Scope(row["SK"].removeprefix(keys.SCOPES.text)) for row in own}
    owners = {row["owner"] for row in faces} | {owner for scope in scopes if (owner := owner_of(scope)) is not None}
    yield from (row["PK"] for row in faces)
    for owner in (None, *sorted(owners)):
        yield from (row["PK"] for row in every(table, entity_types.tagging(person_id, owner), only=KEYS_ONLY))


def _named_by(decision: Decision, aim: Aim) -> Iterator[str]:
    return (face.image_id for face in decision.faces if aim.is_in(decision))


def _within(album_id: str, table: Table) -> IsMeant:
    known: dict[str, bool] = {}

    def is_meant(image_id: str, owner: str) -> bool:
        if image_id not in known:
            photo = read_photo(keys.photo(image_id, owner), table=table)
            known[image_id] = photo is not None and album_id in photo.albums
        return known[image_id]

    return is_meant

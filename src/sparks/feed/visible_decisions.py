"""Decisions about persons that one member sees, and the persons, faces and merge suggestions that they are about.

A member sees a decision if they see one of its faces or, where it names no face, the persons. A merged person is seen
by faces of their own: a decision about a person in private photos stays hidden, although that person became one whom
all see.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import cache

from sparks.library.authorized_reads import may_see, person_for
from sparks.library.pagination import first_page
from sparks.library.people.merge_suggestions import list_suggestions
from sparks.library.people.person_photos import images_with_engine_person
from sparks.library.people.photo_faces import decisions_about, find_face
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import key_of
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind, Suggestion
from sparks.table.port import Key, Table


class VisibleDecisions:
    """For one member, at one time; each person and photo is read once."""

    def __init__(self, caller: Member, *, at: datetime, table: Table) -> None:
        self._caller = caller
        self._at = at
        self._table = table
        self.person = cache(self._person)
        self.sees_photo = cache(self._sees_photo)
        self._sees_own_face = cache(self._sees_face_of)

    def sees(self, decision: Decision) -> bool:
        if decision.faces:
            return any(self.sees_photo(face.image_id) for face in decision.faces)
        persons = [each for each in (decision.person_id, decision.other_person_id) if each is not None]
        if any(self.person(each) is None for each in persons):
            return False
        return decision.who == self._caller.email or all(map(self._sees_own_face, persons))

    def face(self, face_id: str) -> Face | None:
        """None where the face is gone, or in a photo that the member does not see."""
        face = find_face(face_id, table=self._table)
        return face if face is not None and self.sees_photo(face.image_id) else None

    def all_about(self, person_ids: Iterable[str]) -> list[Decision]:
        """All decisions about these persons, those that undo others included, whether or not the member sees them."""
        return [each for person_id in person_ids for each in decisions_about(person_id, table=self._table)]

    def page(
        self, decisions: Iterable[Decision], *, limit: int, after: Key | None
    ) -> tuple[list[Decision], Key | None]:
        """The next visible decisions, newest first, and the position of the last one where more follow. Decisions that
        undo others are left out.
        """
        listed = [each for each in decisions if each.kind is not DecisionKind.UNDO]
        rest = [each for each in listed if after is None or key_of(each).sk < after.sk]
        newest_first = sorted(rest, key=lambda decision: key_of(decision).sk, reverse=True)
        return first_page(filter(self.sees, newest_first), key_of, limit=limit)

    def sees_suggestion(self, suggestion: Suggestion) -> bool:
        """Whether the member sees both persons, and these have not been merged since."""
        one, other = self.person(suggestion.person_id), self.person(suggestion.other_person_id)
        return one is not None and other is not None and one.person_id != other.person_id

    def page_of_suggestions(self, *, limit: int, after: Key | None) -> tuple[list[Suggestion], Key | None]:
        """The next visible merge suggestions, the most similar pairs first."""
        ranked = sorted(list_suggestions(table=self._table), key=_rank)
        rest = (each for each in ranked if after is None or _rank(each) > after)
        return first_page(filter(self.sees_suggestion, rest), _rank, limit=limit)

    def _person(self, person_id: str) -> VisiblePerson | None:
        """None where the member sees no person of that id."""
        try:
            return person_for(self._caller, Action.CHANGE_PERSONS, person_id, at=self._at, table=self._table)
        except NotFound:
            return None

    def _sees_photo(self, image_id: str) -> bool:
        photo = find_photo(image_id, table=self._table)
        return photo is not None and may_see(
            self._caller, photo, action=Action.CHANGE_PERSONS, at=self._at, table=self._table
        )

    def _sees_face_of(self, person_id: str) -> bool:
        """Whether the member sees a face of this person; of a merged one, a face that the engine gave to this id."""
        seen = self.person(person_id)
        if seen is None or seen.person_id == person_id:
            return seen is not None
        return any(map(self.sees_photo, images_with_engine_person(seen, person_id, table=self._table)))


def _rank(suggestion: Suggestion) -> Key:
    """The position in the list: more similar pairs sort first."""
    return Key(f"{1 - suggestion.similarity:.6f}", suggestion.suggestion_id)

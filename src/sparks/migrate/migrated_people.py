"""Persons of the source as persons of Sparks: names, merges and faces become decisions.

A face that the source found is decided by its box, before or after Sparks finds it: see `replay_decisions`. Where the
source only says that a person is in a photo, the decision is about the whole picture, and holds if Sparks finds a
single face in it. The faces of photos that show several persons are left to recognition.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sparks.library.people.apply_decision import remove_if_empty
from sparks.library.people.decision_log import MAX_FACES, new_decision, write_decision
from sparks.library.people.face_assignment import next_person_id
from sparks.library.people.person_decisions import merge_persons, name_person, undo_decision
from sparks.library.people.photo_faces import decisions_about, find_person
from sparks.library.people.redirects import resolve_person
from sparks.library.people.replay_decisions import WHOLE_PICTURE, in_force, new_person
from sparks.library.records import key_of, to_item
from sparks.migrate.new_rows import old_id_row
from sparks.migrate.records import SourcePerson, with_issue
from sparks.migrate.target import Target
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.events import DecisionMade
from sparks.model.face import FaceReference
from sparks.model.migration import PERSONS, PHOTOS
from sparks.model.person import Decision, DecisionKind, Person
from sparks.model.photo_index import ExternalId
from sparks.model.times import now
from sparks.table.port import Absent, Delete, Put

WHO: Final = "migration"  # who decided, where the source did
TRIES: Final = 5
NO_PHOTO: Final = "{} photos of this person were not taken: solve their issues, then `retry`"


@dataclass(frozen=True, slots=True)
class FaceInPhoto:
    """A face that belongs to the person, with the owner of its photo."""

    reference: FaceReference
    owner: str


class MigratedPeople:
    """Makes persons of the target agree with those of the source, as often as wanted."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._table = target.table

    def apply(self, person: SourcePerson, known: ExternalId | None) -> None:
        known = self._known(person, known)
        person_id = known.target_id or ""
        faces, missing = self._faces(person)
        if find_person(person_id, table=self._table) is None:
            self._found(person_id, person)
        self._assign(person_id, faces)
        self._name(person_id, person.display_name)
        self._merge(person_id, person.canonical_id)
        self._target.note_issues(known, _with_missing(person, missing))

    def remove(self, known: ExternalId) -> None:
        """Undoes what was decided for a person whom the source does not have any more."""
        person_id = known.target_id or ""
        for decision in self._own(person_id):
            self._undo(decision)
        for decision in self._merges_of(person_id):
            self._undo(decision)
        remove_if_empty(person_id, table=self._table)
        self._table.write(Delete(key_of(known)))

    def differences(self, person: SourcePerson, known: ExternalId) -> Iterator[tuple[str, object, object]]:
        """What is not as the source says: a field, and its value on both sides."""
        person_id = known.target_id or ""
        there = find_person(person_id, table=self._table)
        canonical = self._canonical(person.canonical_id)
        if canonical is not None:
            end, here = (resolve_person(each, table=self._table) for each in (canonical, person_id))
            if end != here:
                yield "canonical_id", end, here
        elif person.display_name is not None:
            named = there.display_name if there is not None and there.is_named else None
            if named != person.display_name and (there is None or there.canonical_person_id is None):
                yield "display_name", person.display_name, named
        wanted = {each.reference for each in self._faces(person)[0]}
        decided, became = self._decided(person_id).keys(), resolve_person(person_id, table=self._table)
        elsewhere = set() if became == person_id else self._decided(became).keys()
        if wanted - elsewhere != decided - elsewhere:
            yield "faces", len(wanted), len(wanted & decided)

    # -- Rows

    def _known(self, person: SourcePerson, known: ExternalId | None) -> ExternalId:
        """The row of the old id. A new person is made with it."""
        for _ in range(TRIES):
            known = known or self._target.known(PERSONS, [person.id]).get(person.id)
            if known is not None and known.target_id is not None:
                return known
            person_id = next_person_id(table=self._table)
            row = old_id_row(PERSONS, person, person_id, known=known)
            try:
                self._table.write(row, Put(to_item(_founded(person_id, person)), when=(Absent(),)))
            except ConditionFailed:
                known = None
                continue
            return self._target.known(PERSONS, [person.id])[person.id]
        raise Busy("persons are being migrated by another process: try again later")

    def _found(self, person_id: str, person: SourcePerson) -> None:
        """A person without faces and name may be gone again: decisions need one."""
        try:
            self._table.write(Put(to_item(_founded(person_id, person)), when=(Absent(),)))
        except ConditionFailed:
            return

    def _faces(self, person: SourcePerson) -> tuple[list[FaceInPhoto], int]:
        """The faces in photos that are taken, and the number of photos that are not."""
        named = {face.photo_id for face in person.faces} | set(person.alone_in)
        photos = {old: row for old, row in self._target.known(PHOTOS, named).items() if row.target_id is not None}
        found = [
            FaceInPhoto(FaceReference(photos[each.photo_id].target_id or "", each.box, each.face_id), owner)
            for each in person.faces
            if each.photo_id in photos and (owner := photos[each.photo_id].owner) is not None
        ]
        found += [
            FaceInPhoto(FaceReference(photos[each].target_id or "", WHOLE_PICTURE), owner)
            for each in person.alone_in
            if each in photos and (owner := photos[each].owner) is not None
        ]
        return found, len(named - photos.keys())

    # -- Decisions

    def _own(self, person_id: str) -> list[Decision]:
        """What the migration decided about the person, and nobody has undone."""
        return [each for each in in_force(decisions_about(person_id, table=self._table)) if each.who == WHO]

    def _decided(self, person_id: str) -> dict[FaceReference, Decision]:
        assigned = [each for each in self._own(person_id) if each.kind is DecisionKind.ASSIGN]
        return {reference: decision for decision in assigned for reference in decision.faces}

    def _assign(self, person_id: str, faces: Sequence[FaceInPhoto]) -> None:
        """[Note: decisions about merged persons] No decision can be about a person who became another one. So a merge
        of the source is undone first, and comes again afterwards. Where people merged the two in Sparks, the decision
        is about the person whom this one became.
        """
        decided = self._decided(person_id)
        wanted = {each.reference for each in faces}
        if wanted == decided.keys():
            return
        for merge in self._merges_of(person_id):
            self._undo(merge)
        for decision in {each.decision_id: each for ref, each in decided.items() if ref not in wanted}.values():
            self._undo(decision)
            decided = {ref: each for ref, each in decided.items() if each.decision_id != decision.decision_id}
        became = resolve_person(person_id, table=self._table)
        decided |= {} if became == person_id else self._decided(became)
        new = [each for each in faces if each.reference not in decided]
        for start in range(0, len(new), MAX_FACES):
            self._decide_faces(became, new[start : start + MAX_FACES])

    def _decide_faces(self, person_id: str, faces: Sequence[FaceInPhoto]) -> None:
        decision = replace(
            new_decision(person_id, DecisionKind.ASSIGN, who=WHO, at=now()),
            faces=tuple(each.reference for each in faces),
        )
        founded = new_person(person_id, at=now())
        write_decision(decision, owners=[each.owner for each in faces], founded=founded, table=self._table)
        self._follow(decision)

    def _name(self, person_id: str, name: str | None) -> None:
        """A person who became another one has no name of their own."""
        person = find_person(person_id, table=self._table)
        if person is None or person.canonical_person_id is not None:
            return
        is_ours = any(each.kind is DecisionKind.NAME for each in self._own(person_id))
        if (name is None and person.is_named and is_ours) or (name is not None and person.display_name != name):
            self._follow(name_person(person_id, name, who=WHO, at=now(), table=self._table))

    def _merge(self, person_id: str, canonical_id: str | None) -> None:
        canonical = self._canonical(canonical_id)
        for decision in self._merges_of(person_id):
            if canonical is None or resolve_person(canonical, table=self._table) != decision.person_id:
                self._undo(decision)
        if canonical is not None:
            merged = merge_persons(canonical, person_id, who=WHO, at=now(), table=self._table)
            if merged is not None:
                self._follow(merged)

    def _canonical(self, canonical_id: str | None) -> str | None:
        """The person that an id of the source means, who is made if it comes later."""
        if canonical_id is None:
            return None
        known = self._known(SourcePerson(id=canonical_id), None)
        if find_person(known.target_id or "", table=self._table) is None:
            self._found(known.target_id or "", SourcePerson(id=canonical_id))
        return known.target_id

    def _merges_of(self, person_id: str) -> list[Decision]:
        """The merges of this person into another one."""
        person = find_person(person_id, table=self._table)
        into = None if person is None else person.canonical_person_id
        merges = [] if into is None else self._own(into)
        return [each for each in merges if each.kind is DecisionKind.MERGE and each.other_person_id == person_id]

    def _undo(self, decision: Decision) -> None:
        undone = undo_decision(decision.decision_id, who=WHO, at=now(), table=self._table)
        self._follow(undone)

    def _follow(self, decision: Decision) -> None:
        self._target.journey.send_after(DecisionMade(decision.decision_id), jobs=self._target.jobs)


def parents_first(persons: Iterable[SourcePerson]) -> list[SourcePerson]:
    """Those whom others became before those others."""
    by_id = {person.id: person for person in persons}

    def depth(person: SourcePerson) -> int:
        seen = {person.id}
        while person.canonical_id in by_id and person.canonical_id not in seen:
            person = by_id[person.canonical_id]
            seen.add(person.id)
        return len(seen)

    return sorted(by_id.values(), key=depth)


def _founded(person_id: str, person: SourcePerson) -> Person:
    return new_person(person_id, at=person.created_at or now())


def _with_missing(person: SourcePerson, missing: int) -> SourcePerson:
    """The issue comes first: persons who wait for photos are found by it."""
    if not missing:
        return person
    return with_issue(person, PERSONS, "photo_id", missing, NO_PHOTO.format(missing), taken=True)

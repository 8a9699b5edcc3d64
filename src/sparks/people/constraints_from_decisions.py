"""Converts human decisions into clustering constraints.

A person about whom people have decided (named, merged, hidden, rejected from a face, marked as different) is anchored
by faces that certainly are theirs: those that people assigned, and of each engine person the few good ones nearest to
their mean; see [Note: engine persons].
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Final

import numpy as np

from sparks.library.people.decision_log import face_decision_of
from sparks.library.people.replay_decisions import WHOLE_PICTURE, Verdict, in_force, verdict_on
from sparks.model.person import Decision, DecisionKind, FaceDecision, Person
from sparks.people.clustering.constraints import Constraints, GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns
from sparks.people.face_arrays import Rows, engine_person_of

MAX_CERTAIN_FACES: Final = 8  # of an engine person, beside those that people assigned
SEPARATING: Final = frozenset({DecisionKind.DIFFERENT, DecisionKind.SPLIT})

Apart = frozenset[tuple[str, str]]
Resolve = Callable[[str], str]


def constraints_for(
    rows: Rows,
    columns: FaceColumns,
    *,
    persons: Mapping[str, Person],
    decisions: Iterable[Decision],
    resolve: Resolve,
    thresholds: GroupingThresholds,
) -> Constraints:
    """`columns` are the rows that can be compared. `persons` are the rows of all persons of these faces and of those
    merged into them; `decisions` are at least all about these persons, undone ones too.

    A decision about another person shows on the faces that it was applied to. One that was not applied to a face yet
    takes effect when the face is written.
    """
    standing = in_force(decisions)
    verdicts = _verdicts(rows, standing, resolve)
    assigned = _assigned_by_people(rows, verdicts)
    engine_persons = {face_id: assigned.get(face_id) or engine_person_of(face) for face_id, face in rows.items()}
    rejected = _rejected(verdicts, engine_persons.values(), resolve)
    decided = _decided_about(persons, standing) | set(assigned.values())
    faces_of: dict[str, set[str]] = defaultdict(set)
    for face_id, person in engine_persons.items():
        if person is not None and {person, resolve(person)} & decided and person not in rejected.get(face_id, ()):
            faces_of[person].add(face_id)
    certain = {
        person: _certain(person, faces, assigned, rejected, columns, thresholds) for person, faces in faces_of.items()
    }
    return Constraints(persons=certain, rejected=rejected, apart=_apart(standing, certain, columns, resolve))


def _verdicts(rows: Rows, standing: Iterable[Decision], resolve: Resolve) -> dict[str, Verdict]:
    """The verdicts on all faces in photos that a decision names. One about the only face of a photo is seen on the face
    that it has reached: not all faces of the photo are known here.
    """
    decided: dict[str, list[FaceDecision]] = defaultdict(list)
    for decision in standing:
        for image_id in dict.fromkeys(face.image_id for face in decision.faces if face.box != WHOLE_PICTURE):
            decided[image_id].append(face_decision_of(decision, image_id, ""))
    named = [face for face in rows.values() if face.image_id in decided]
    face_ids: dict[str, set[str]] = defaultdict(set)
    for face in named:
        face_ids[face.image_id].add(face.face_id)
    return {face.face_id: verdict_on(face, decided[face.image_id], face_ids[face.image_id], resolve) for face in named}


def _assigned_by_people(rows: Rows, verdicts: Mapping[str, Verdict]) -> dict[str, str]:
    """The person of each face that people assigned."""
    by_verdict = {face_id: verdict.person_id for face_id, verdict in verdicts.items()}
    by_row = {face_id: face.person_id for face_id, face in rows.items() if face.by_hand}
    return {face_id: person_id for face_id, person_id in (by_verdict | by_row).items() if person_id is not None}


def _rejected(
    verdicts: Mapping[str, Verdict], engine_persons: Iterable[str | None], resolve: Resolve
) -> dict[str, frozenset[str]]:
    """A face that is not a person is none of that person's engine persons."""
    engine_persons_of: dict[str, set[str]] = defaultdict(set)
    for engine_person in engine_persons:
        if engine_person is not None:
            engine_persons_of[resolve(engine_person)].add(engine_person)
    rejected = {face_id: verdict.rejected for face_id, verdict in verdicts.items() if verdict.rejected}
    return {
        face_id: frozenset(each for person in persons for each in {person, *engine_persons_of[person]})
        for face_id, persons in rejected.items()
    }


def _decided_about(persons: Mapping[str, Person], standing: Iterable[Decision]) -> set[str]:
    named = {person.person_id for person in persons.values() if person.is_named}
    merged = {person.canonical_person_id for person in persons.values()} - {None}
    decided = {each for decision in standing for each in (decision.person_id, decision.other_person_id)} - {None}
    return {person for person in named | merged | decided if person is not None}


def _apart(
    standing: Iterable[Decision], certain: Mapping[str, frozenset[str]], columns: FaceColumns, resolve: Resolve
) -> Apart:
    """Pairs of faces of persons who were marked as different: one face of each engine person that can be compared,
    unlike some manual faces.
    """
    firsts: dict[str, list[str]] = defaultdict(list)
    for engine_person, face_ids in certain.items():
        firsts[resolve(engine_person)] += sorted(face_ids & columns.row_of.keys())[:1]
    pairs = {
        (resolve(each.person_id), resolve(each.other_person_id or "")) for each in standing if each.kind in SEPARATING
    }
    return frozenset(faces for one, other in pairs if one != other for faces in product(firsts[one], firsts[other]))


def _certain(
    person: str,
    face_ids: set[str],
    assigned: Mapping[str, str],
    rejected: Mapping[str, frozenset[str]],
    columns: FaceColumns,
    thresholds: GroupingThresholds,
) -> frozenset[str]:
    """A near duplicate of a face that was rejected from the person is not certain, unless people assigned it."""
    by_people = frozenset(face_ids & assigned.keys())
    photos = {columns.photos[row] for row in columns.rows(by_people)}
    others = [row for row in columns.rows(face_ids - by_people) if columns.photos[row] not in photos]
    wrong = columns.rows(face_id for face_id, persons in rejected.items() if person in persons)
    if wrong and others:
        closest = (columns.vectors[others] @ columns.vectors[wrong].T).max(axis=1)
        others = [
            row for row, similarity in zip(others, closest, strict=True) if similarity < thresholds.near_duplicate
        ]
    return by_people | _central(others, columns, thresholds)


def _central(rows: list[int], columns: FaceColumns, thresholds: GroupingThresholds) -> frozenset[str]:
    """The few faces nearest to the mean, of those good enough to found a person, or of all where none is."""
    founding = [row for row in rows if columns.quality[row] >= thresholds.founding_quality] or rows
    if not founding:
        return frozenset()
    vectors, quality = columns.vectors[founding], np.maximum(columns.quality[founding], 0)
    nearest = np.argsort(-(vectors @ (vectors.T @ quality)), kind="stable")[:MAX_CERTAIN_FACES]
    return frozenset(columns.ids[founding[at]] for at in nearest)

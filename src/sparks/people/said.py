"""What people said about persons and faces, told to the grouping.

Whoever was spoken about (named, merged, hidden, rejected from, told apart) stays who they are by faces that certainly
are theirs: those that people gave them, and of each home (see `known`) the few good ones nearest to its middle.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Final

import numpy as np

from sparks.library.people import Verdict, in_force, verdict_on
from sparks.library.people.decisions import as_told
from sparks.model.person import Decision, DecisionKind, FaceDecision, Person
from sparks.people.groups.constraints import Constraints
from sparks.people.groups.faces import Faces
from sparks.people.groups.rule import Rule
from sparks.people.known import Rows, home_of

CERTAIN: Final = 8  # faces of a home
TWO: Final = frozenset({DecisionKind.DIFFERENT, DecisionKind.SPLIT})

Apart = frozenset[tuple[str, str]]
Resolve = Callable[[str], str]


def constraints_for(
    rows: Rows,
    columns: Faces,
    *,
    persons: Mapping[str, Person],
    decisions: Iterable[Decision],
    resolve: Resolve,
    rule: Rule,
) -> Constraints:
    """`columns` are those of the rows that can be compared. `persons` are the rows of all whose faces these are, and of
    those who became them; `decisions` at least all about these persons, undone ones too. What is said about others is
    known by the faces: a decision that has yet to reach them is obeyed when a face is written.
    """
    standing = in_force(decisions)
    verdicts = _verdicts(rows, standing, resolve)
    given = _given(rows, verdicts)
    homes = {face_id: given.get(face_id) or home_of(face) for face_id, face in rows.items()}
    rejected = _rejected(verdicts, homes.values(), resolve)
    spoken = _spoken_about(persons, standing) | set(given.values())
    theirs: dict[str, set[str]] = defaultdict(set)
    for face_id, home in homes.items():
        if home is not None and {home, resolve(home)} & spoken and home not in rejected.get(face_id, ()):
            theirs[home].add(face_id)
    certain = {home: _certain(home, faces, given, rejected, columns, rule) for home, faces in theirs.items()}
    return Constraints(persons=certain, rejected=rejected, apart=_apart(standing, certain, columns, resolve))


def _verdicts(rows: Rows, standing: Iterable[Decision], resolve: Resolve) -> dict[str, Verdict]:
    """Of the faces in photos that a decision names."""
    decided: dict[str, list[FaceDecision]] = defaultdict(list)
    for decision in standing:
        for image_id in dict.fromkeys(face.image_id for face in decision.faces):
            decided[image_id].append(as_told(decision, image_id, ""))
    named = [face for face in rows.values() if face.image_id in decided]
    there: dict[str, set[str]] = defaultdict(set)
    for face in named:
        there[face.image_id].add(face.face_id)
    return {face.face_id: verdict_on(face, decided[face.image_id], there[face.image_id], resolve) for face in named}


def _given(rows: Rows, verdicts: Mapping[str, Verdict]) -> dict[str, str]:
    """By face, whose people said that it is."""
    said = {face_id: verdict.person_id for face_id, verdict in verdicts.items()}
    told = said | {face_id: face.person_id for face_id, face in rows.items() if face.by_hand}
    return {face_id: person_id for face_id, person_id in told.items() if person_id is not None}


def _rejected(
    verdicts: Mapping[str, Verdict], homes: Iterable[str | None], resolve: Resolve
) -> dict[str, frozenset[str]]:
    """Who is not a person is none of their homes."""
    homes_of: dict[str, set[str]] = defaultdict(set)
    for home in homes:
        if home is not None:
            homes_of[resolve(home)].add(home)
    said = {face_id: verdict.rejected for face_id, verdict in verdicts.items() if verdict.rejected}
    return {
        face_id: frozenset(home for person in persons for home in {person, *homes_of[person]})
        for face_id, persons in said.items()
    }


def _spoken_about(persons: Mapping[str, Person], standing: Iterable[Decision]) -> set[str]:
    by_name = {person.person_id for person in persons.values() if person.is_named}
    merged = {person.canonical_person_id for person in persons.values()} - {None}
    decided = {each for decision in standing for each in (decision.person_id, decision.other_person_id)} - {None}
    return {person for person in by_name | merged | decided if person is not None}


def _apart(
    standing: Iterable[Decision], certain: Mapping[str, frozenset[str]], columns: Faces, resolve: Resolve
) -> Apart:
    """Of two who were told apart, by a face of each home: one that is compared, unlike some that people drew."""
    firsts: dict[str, list[str]] = defaultdict(list)
    for home, face_ids in certain.items():
        firsts[resolve(home)] += sorted(face_ids & columns.row_of.keys())[:1]
    pairs = {(resolve(each.person_id), resolve(each.other_person_id or "")) for each in standing if each.kind in TWO}
    return frozenset(faces for one, other in pairs if one != other for faces in product(firsts[one], firsts[other]))


def _certain(
    home: str,
    face_ids: set[str],
    given: Mapping[str, str],
    rejected: Mapping[str, frozenset[str]],
    columns: Faces,
    rule: Rule,
) -> frozenset[str]:
    """[Note: twins] What people said is not them has near twins: they are no witnesses, unless people gave them."""
    told = frozenset(face_ids & given.keys())
    photos = {columns.photos[row] for row in columns.rows(told)}
    others = [row for row in columns.rows(face_ids - told) if columns.photos[row] not in photos]
    wrong = columns.rows(face_id for face_id, homes in rejected.items() if home in homes)
    if wrong and others:
        alike = (columns.vectors[others] @ columns.vectors[wrong].T).max(axis=1)
        others = [row for row, likeness in zip(others, alike, strict=True) if likeness < rule.twin]
    return told | _central(others, columns, rule)


def _central(rows: list[int], columns: Faces, rule: Rule) -> frozenset[str]:
    """The few nearest to their middle, of those that found, or of all where none does."""
    founding = [row for row in rows if columns.quality[row] >= rule.founding_quality] or rows
    if not founding:
        return frozenset()
    vectors, quality = columns.vectors[founding], np.maximum(columns.quality[founding], 0)
    nearest = np.argsort(-(vectors @ (vectors.T @ quality)), kind="stable")[:CERTAIN]
    return frozenset(columns.ids[founding[at]] for at in nearest)

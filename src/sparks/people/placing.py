"""Faces that were found this moment: at once to the persons whom they clearly are.

Who is clearly somebody need not wait for the job that sees all faces; whatever is doubtful does.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.live import announce_people
from sparks.library.people import PhotoFaces, assign_face, read_faces, settle_people, verdict_on
from sparks.library.people.redirects import Redirects
from sparks.model.errors import NotFound
from sparks.model.events import FacesFound, PeopleDue
from sparks.model.face import Face
from sparks.model.terms import FaceTerms, Terms
from sparks.model.times import now
from sparks.people.groups.arrival import clear_match
from sparks.people.groups.edges import MOST_NEIGHBOURS
from sparks.people.groups.faces import Faces, Vectors
from sparks.people.known import columns_of, faces_of_person, home_of, rule_of
from sparks.people.said import Resolve
from sparks.table.port import Table

MOST_COMPARED: Final = 200  # faces of a person


def place_faces(event: FacesFound, *, table: Table, index: FaceIndex | None, terms: Terms) -> PeopleDue | None:
    """None where the photo has no face that could be somebody's. Any other is settled, even where nobody is placed now:
    whoever placed a face of it before may have been killed right then.
    """
    if terms.faces is None or index is None:
        return None
    seen = read_faces(event.image_id, event.owner, table=table)
    found = columns_of(seen.faces.values(), terms.faces) if seen.is_there else columns_of((), terms.faces)
    if not len(found):
        return None
    _assign(seen, _homes(seen, found, terms.faces, index, table), table)
    touched = settle_people(event.image_id, event.owner, enough=terms.enough, table=table)
    announce_people(touched, at=now(), table=table)
    return PeopleDue()


def _homes(seen: PhotoFaces, found: Faces, terms: FaceTerms, index: FaceIndex, table: Table) -> dict[str, str]:
    """By face the one whom it clearly is. Two faces of a photo that seem to be one person are a doubt."""
    resolve = Redirects(table)
    there = frozenset(resolve(face.person_id) for face in seen.faces.values() if face.person_id is not None)
    homes: dict[str, str] = {}
    for face_id, vector in zip(found.ids, found.vectors, strict=True):
        face = seen.faces[face_id]
        if face.person_id is None and vector.any():
            near = _near(vector, terms, index, resolve, table)
            said = verdict_on(face, seen.decisions, seen.faces, resolve)
            nobody = {home for home in near if resolve(home) in there | said.rejected}
            home = clear_match(vector, face.image_id, near, rule=rule_of(terms), rejected=nobody)
            homes |= {} if home is None or said.person_id is not None else {face_id: home}
    often = Counter(resolve(home) for home in homes.values())
    return {face_id: home for face_id, home in homes.items() if often[resolve(home)] == 1}


def _near(vector: Vectors, terms: FaceTerms, index: FaceIndex, resolve: Resolve, table: Table) -> Mapping[str, Faces]:
    """The faces of each person near to it; of one who was merged, those of the home that is nearest."""
    near = index.nearest(vector, MOST_NEIGHBOURS, terms.candidate)
    rows = faces_by_id([each.face_id for each in near], table=table)
    nearest: dict[str, str] = {}
    for each in near:
        home = home_of(rows[each.face_id]) if each.face_id in rows else None
        if home is not None:
            nearest.setdefault(resolve(home), home)
    return {home: columns_of(_some_of(home, person, table), terms) for person, home in nearest.items()}


def _some_of(home: str, person_id: str, table: Table) -> Iterable[Face]:
    theirs = (face for face in faces_of_person(person_id, table=table) if home_of(face) == home)
    return islice(theirs, MOST_COMPARED)


def _assign(seen: PhotoFaces, homes: Mapping[str, str], table: Table) -> None:
    for face_id, home in homes.items():
        try:
            assign_face(seen.faces[face_id], home, at=now(), as_seen=True, table=table)
        except NotFound:
            continue  # the photo is on its way out, or the person is gone: the job that sees all faces looks again

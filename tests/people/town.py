"""A library of made-up people: photos with their faces, and the jobs that make persons of them."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from sparks.blobs.memory import MemoryBlobs
from sparks.library.face_index import FaceIndex
from sparks.library.people import find_face, find_persons, keep_face, resolve_person, settle_decision, settle_people
from sparks.library.records import from_item
from sparks.model.errors import NotFound
from sparks.model.events import FacesFound
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo
from sparks.model.terms import FaceTerms, Terms
from sparks.people.full import rebuild_all
from sparks.people.incremental import Rebuilt, regroup_faces
from sparks.people.placing import place_faces
from sparks.table.port import Table
from sparks.vectors.exact import ExactVectors
from tests.accounts import everything, keep
from tests.factories import NOON, a_face, a_photo
from tests.library.people.rows import FEW, a_box
from tests.people.makers import DIMENSIONS, FINE, directions

ENGINE: Final = "test-1"
LIKENESS: Final = 0.7
MIDDLES: Final = directions(200, np.random.default_rng(1))


def embedded(who: int, moment: int, likeness: float = LIKENESS) -> bytes:
    """A face of somebody, as alike to their others as `likeness` says; the same moment is the same picture."""
    own = directions(1, np.random.default_rng([who, moment]))[0]
    vector = np.sqrt(likeness) * MIDDLES[who] + np.sqrt(1 - likeness) * own
    return bytes((vector / np.linalg.norm(vector)).astype("<f2").tobytes())


def terms_of(engine: str) -> FaceTerms:
    return FaceTerms(engine=engine, dimensions=DIMENSIONS, candidate=0.42, strong=0.49, founding=0.4, enough=FEW)


class Town:
    """Its clock goes on by a second with every look at it."""

    def __init__(self, table: Table, *, engine: str = ENGINE) -> None:
        self.table = table
        self.blobs = MemoryBlobs()
        self.index = FaceIndex(ExactVectors(DIMENSIONS), engine=engine, table=table)
        self.terms = Terms(faces=terms_of(engine))
        self.engine = engine
        self.clock = NOON
        self._moments = 0

    def now(self) -> datetime:
        self.clock += timedelta(seconds=1)
        return self.clock

    def wait(self, **long: float) -> None:
        self.clock += timedelta(**long)

    # -- What comes

    def photo(
        self, *who: int, likeness: float = LIKENESS, quality: float = FINE, moment: int | None = None, **changes: Any
    ) -> list[Face]:
        """A photo of these people, and their faces in it, as an engine found them."""
        photo = a_photo(**changes)
        keep(self.table, photo)
        told: dict[str, Any] = {"likeness": likeness, "quality": quality, "moment": moment}
        return [self.face(photo, each, place, **told) for place, each in enumerate(who)]

    def face(
        self,
        photo: Photo,
        who: int,
        place: int,
        *,
        likeness: float = LIKENESS,
        quality: float = FINE,
        moment: int | None = None,
    ) -> Face:
        self._moments += 1
        found = a_face(
            photo,
            a_box(place),
            engine=self.engine,
            embedding=embedded(who, self._moments if moment is None else moment, likeness),
            indexed_at=self.now(),
            quality=quality,
        )
        return keep_face(found, at=self.clock, table=self.table)

    def photos(self, *who: int, times: int) -> list[Face]:
        """So many photos of each of them, one in each."""
        return [face for each in who for _ in range(times) for face in self.photo(each)]

    # -- What follows

    def place(self, faces: Iterable[Face]) -> None:
        for image_id, owner in dict.fromkeys((face.image_id, face.owner) for face in faces):
            self.index.catch_up(at=self.now())
            place_faces(FacesFound(image_id, owner), table=self.table, index=self.index, terms=self.terms)

    def regroup(self) -> Rebuilt:
        return regroup_faces(table=self.table, index=self.index, terms=self.terms, at=self.now())

    def rebuild(self, **changes: Any) -> Rebuilt:
        told: dict[str, Any] = {"table": self.table, "blobs": self.blobs, "index": self.index, "terms": self.terms}
        return rebuild_all(**{**told, **changes}, at=self.now())

    def settle(self, decision: Decision | None) -> Decision:
        assert decision is not None
        settle_decision(decision, enough=FEW, table=self.table)
        return decision

    def settle_all(self) -> None:
        for photo in (from_item(Photo, item) for item in everything(self.table) if "uploadedBy" in item):
            settle_people(photo.image_id, photo.owner, enough=FEW, table=self.table)

    # -- What is there

    def person_of(self, face: Face) -> str | None:
        """Whose it is, at the end of the redirects."""
        found = find_face(face.face_id, table=self.table)
        if found is None:
            raise NotFound("no such face")
        return None if found.person_id is None else resolve_person(found.person_id, table=self.table)

    def persons_of(self, faces: Iterable[Face]) -> set[str | None]:
        return {self.person_of(face) for face in faces}

    def person(self, faces: Iterable[Face]) -> Person:
        """The one person whose all of these are."""
        [person_id] = self.persons_of(faces)
        assert person_id is not None
        return find_persons([person_id], table=self.table)[person_id]

    def faces(self) -> list[Face]:
        return [from_item(Face, item) for item in everything(self.table) if item["SK"].startswith("FACE#")]

    def persons(self) -> dict[str, Person]:
        rows = (from_item(Person, item) for item in everything(self.table) if item.get("entityType") == "PERSON")
        return {person.person_id: person for person in rows}

    def whose(self) -> dict[str, str]:
        """By face, the persons whom they belong to; those who wait are not told."""
        return {face.face_id: person for face in self.faces() if (person := self.person_of(face)) is not None}

    def groups(self) -> set[frozenset[str]]:
        """The faces that are together, whatever their persons' ids."""
        together: dict[str, set[str]] = defaultdict(set)
        for face_id, person in self.whose().items():
            together[person].add(face_id)
        return {frozenset(group) for group in together.values()}

    def names(self) -> dict[str, str]:
        return {person.person_id: person.display_name for person in self.persons().values() if person.is_named}

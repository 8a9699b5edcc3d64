"""A library of synthetic persons: photos with faces, and the jobs that make persons of them."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from sparks.blobs.memory import MemoryBlobs
from sparks.library.face_index import FaceIndex
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.face_rows import store_face
from sparks.library.people.photo_faces import find_face, find_persons
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import resolve_person
from sparks.library.records import from_item
from sparks.model.errors import NotFound
from sparks.model.events import FacesFound
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.people.assign_faces import place_faces
from sparks.people.group_new_faces import RegroupResult, regroup_faces
from sparks.people.rebuild import rebuild_all
from sparks.table.port import Table
from sparks.vectors.memory import MemoryVectors
from tests.account_makers import everything, keep
from tests.factories import NOON, a_face, a_photo
from tests.library.people.rows import FEW, a_box
from tests.people.makers import DIMENSIONS, FINE, directions

ENGINE: Final = "test-1"
LIKENESS: Final = 0.7
MIDDLES: Final = directions(200, np.random.default_rng(1))


def embedded(who: int, moment: int, likeness: float = LIKENESS) -> bytes:
    """The embedding of a face of person `who`, as similar to their others as `likeness`; `moment` names the picture."""
    own = directions(1, np.random.default_rng([who, moment]))[0]
    vector = np.sqrt(likeness) * MIDDLES[who] + np.sqrt(1 - likeness) * own
    return bytes((vector / np.linalg.norm(vector)).astype("<f2").tobytes())


def pipeline_settings_of(engine: str) -> FacePipelineSettings:
    return FacePipelineSettings(
        engine=engine, dimensions=DIMENSIONS, candidate=0.42, strong=0.49, founding=0.4, min_photos=FEW
    )


class FaceLibrary:
    """Its clock moves on by a second with every call of `now`."""

    def __init__(self, table: Table, *, engine: str = ENGINE) -> None:
        self.table = table
        self.blobs = MemoryBlobs()
        self.index = FaceIndex(MemoryVectors(DIMENSIONS), engine=engine, table=table)
        self.pipeline = PipelineSettings(faces=pipeline_settings_of(engine))
        self.engine = engine
        self.clock = NOON
        self._moments = 0

    def now(self) -> datetime:
        self.clock += timedelta(seconds=1)
        return self.clock

    def wait(self, **long: float) -> None:
        self.clock += timedelta(**long)

    # -- New photos

    def photo(
        self, *who: int, likeness: float = LIKENESS, quality: float = FINE, moment: int | None = None, **changes: Any
    ) -> list[Face]:
        """A photo of these persons; returns their faces, as an engine finds them."""
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
        return store_face(found, at=self.clock, table=self.table)

    def photos(self, *who: int, times: int) -> list[Face]:
        """So many photos of each person, alone."""
        return [face for each in who for _ in range(times) for face in self.photo(each)]

    # -- Jobs

    def place(self, faces: Iterable[Face]) -> None:
        for image_id, owner in dict.fromkeys((face.image_id, face.owner) for face in faces):
            self.index.catch_up(at=self.now())
            place_faces(FacesFound(image_id, owner), table=self.table, index=self.index, pipeline=self.pipeline)

    def regroup(self) -> RegroupResult:
        return regroup_faces(table=self.table, index=self.index, pipeline=self.pipeline, at=self.now())

    def rebuild(self, **changes: Any) -> RegroupResult:
        told: dict[str, Any] = {
            "table": self.table,
            "blobs": self.blobs,
            "index": self.index,
            "pipeline": self.pipeline,
        }
        return rebuild_all(**{**told, **changes}, at=self.now())

    def settle(self, decision: Decision | None) -> Decision:
        assert decision is not None
        apply_decision(decision, min_photos=FEW, table=self.table)
        return decision

    def settle_all(self) -> None:
        for photo in (from_item(Photo, item) for item in everything(self.table) if "uploadedBy" in item):
            reconcile_people(photo.image_id, photo.owner, min_photos=FEW, table=self.table)

    # -- State

    def person_of(self, face: Face) -> str | None:
        """The person of the face, after redirects."""
        found = find_face(face.face_id, table=self.table)
        if found is None:
            raise NotFound("no such face")
        return None if found.person_id is None else resolve_person(found.person_id, table=self.table)

    def persons_of(self, faces: Iterable[Face]) -> set[str | None]:
        return {self.person_of(face) for face in faces}

    def person(self, faces: Iterable[Face]) -> Person:
        """The one person of all these faces."""
        [person_id] = self.persons_of(faces)
        assert person_id is not None
        return find_persons([person_id], table=self.table)[person_id]

    def faces(self) -> list[Face]:
        return [from_item(Face, item) for item in everything(self.table) if item["SK"].startswith("FACE#")]

    def persons(self) -> dict[str, Person]:
        rows = (from_item(Person, item) for item in everything(self.table) if item.get("entityType") == "PERSON")
        return {person.person_id: person for person in rows}

    def whose(self) -> dict[str, str]:
        """The person of each assigned face."""
        return {face.face_id: person for face in self.faces() if (person := self.person_of(face)) is not None}

    def groups(self) -> set[frozenset[str]]:
        """The sets of faces with the same person."""
        together: dict[str, set[str]] = defaultdict(set)
        for face_id, person in self.whose().items():
            together[person].add(face_id)
        return {frozenset(group) for group in together.values()}

    def names(self) -> dict[str, str]:
        return {person.person_id: person.display_name for person in self.persons().values() if person.is_named}

"""A community whose photos show real faces, analyzed by the engine of Sparks."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from sparks.faces.opencv_engine import OpenCvEngine
from sparks.faces.port import FoundFace
from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.face_index import FaceIndex
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.reconcile import reconcile_people
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.face import Face
from sparks.model.ids import face_id
from sparks.model.photo import Photo
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.vectors.memory import MemoryVectors
from tests.api.community import Community
from tests.faces.samples import FOLDER, find, photo
from tests.factories import a_photo

BLAIR: Final = "Tony_Blair"
HENMAN: Final = "Tim_Henman"
SHOWN: Final = (1, 2, 3)  # the photos of each that are in the community
UNSEEN: Final = 5  # one that is not
NOBODY: Final = "groups/017_0.jpg"
SEVERAL: Final = "groups/010_2.jpg"


def sights(opencv_engine: OpenCvEngine, renderer: SandboxedRenderer) -> Callable[[Stores], Stores]:
    """Stores with the face engine."""
    marks = opencv_engine.thresholds
    known = FacePipelineSettings(
        engine=opencv_engine.name,
        dimensions=opencv_engine.dimensions,
        candidate=marks.candidate,
        strong=marks.strong,
        founding=marks.founding,
        min_photos=2,
    )

    def equip(stores: Stores) -> Stores:
        index = FaceIndex(MemoryVectors(opencv_engine.dimensions), engine=opencv_engine.name, table=stores.table)
        return replace(
            stores, engine=opencv_engine, renderer=renderer, index=index, pipeline=PipelineSettings(faces=known)
        )

    return equip


def sighted(data: Path, opencv_engine: OpenCvEngine, renderer: SandboxedRenderer) -> Community:
    return Community(data, equip=sights(opencv_engine, renderer))


def file_of(who: str, number: int) -> str:
    return f"lfw/{who}/{who}_{number:04}.jpg"


def selfie_of(who: str, number: int = UNSEEN) -> bytes:
    return content(file_of(who, number))


def content(name: str) -> bytes:
    photo(name)
    return (FOLDER / name).read_bytes()


@cache
def main_face(opencv_engine: OpenCvEngine, name: str) -> FoundFace:
    return find(opencv_engine, photo(name))[0]


def show(community: Community, opencv_engine: OpenCvEngine, who: str, *numbers: int, **changes: Any) -> str:
    """Stores photos with a face of one person; the id of the person."""
    person_id: str | None = None
    for number in numbers or SHOWN:
        face = _face(community, a_photo(**changes), main_face(opencv_engine, file_of(who, number)), opencv_engine.name)
        if person_id is None:
            founded = found_person(face, at=community.at, table=community.table)
            assert founded is not None
            person_id = founded.person_id
        else:
            assign_face(face, person_id, at=community.at, table=community.table)
        reconcile_people(face.image_id, face.owner, min_photos=2, table=community.table)
    assert person_id is not None
    assert community.stores.index is not None
    community.stores.index.catch_up(at=community.at)
    return person_id


def _face(community: Community, photo: Photo, found: FoundFace, engine: str) -> Face:
    community.keep(photo)
    known = face_id(photo.image_id, engine, found.box)
    crop = blob_keys.face_thumb(known)
    community.blobs.put(crop, [found.crop], content_type="image/jpeg")
    face = Face(
        image_id=photo.image_id,
        face_id=known,
        owner=photo.owner,
        box=found.box,
        thumb_key=crop,
        confidence=found.confidence,
        quality=found.quality,
        engine=engine,
        embedding=found.embedding,
        indexed_at=community.at,
    )
    return store_face(face, at=community.at, table=community.table)

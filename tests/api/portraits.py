"""A community whose photos show real people, found and told apart by the engine that Sparks comes with."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from sparks.faces.booth import Booth
from sparks.faces.port import FoundFace
from sparks.journey import Stores
from sparks.library import objects
from sparks.library.face_index import FaceIndex
from sparks.library.people import assign_face, found_person, keep_face, settle_people
from sparks.media.studio import Studio
from sparks.model.face import Face
from sparks.model.ids import face_id
from sparks.model.photo import Photo
from sparks.model.terms import FaceTerms, Terms
from sparks.vectors.exact import ExactVectors
from tests.api.community import Community
from tests.faces.samples import FOLDER, find, photo
from tests.factories import a_photo

BLAIR: Final = "Tony_Blair"
HENMAN: Final = "Tim_Henman"
SHOWN: Final = (1, 2, 3)  # the photos of each that are in the community
UNSEEN: Final = 5  # one that is not
NOBODY: Final = "groups/017_0.jpg"
SEVERAL: Final = "groups/010_2.jpg"


def sights(booth: Booth, studio: Studio) -> Callable[[Stores], Stores]:
    """What makes stores see faces."""
    marks = booth.thresholds
    known = FaceTerms(
        engine=booth.name,
        dimensions=booth.dimensions,
        candidate=marks.candidate,
        strong=marks.strong,
        founding=marks.founding,
        enough=2,
    )

    def equip(stores: Stores) -> Stores:
        index = FaceIndex(ExactVectors(booth.dimensions), engine=booth.name, table=stores.table)
        return replace(stores, engine=booth, studio=studio, index=index, terms=Terms(faces=known))

    return equip


def sighted(data: Path, booth: Booth, studio: Studio) -> Community:
    return Community(data, equip=sights(booth, studio))


def file_of(who: str, number: int) -> str:
    return f"lfw/{who}/{who}_{number:04}.jpg"


def selfie_of(who: str, number: int = UNSEEN) -> bytes:
    return content(file_of(who, number))


def content(name: str) -> bytes:
    photo(name)
    return (FOLDER / name).read_bytes()


@cache
def main_face(booth: Booth, name: str) -> FoundFace:
    return find(booth, photo(name))[0]


def show(community: Community, booth: Booth, who: str, *numbers: int, **changes: Any) -> str:
    """Photos of somebody, each with the face in it; tells the id of the person."""
    person_id: str | None = None
    for number in numbers or SHOWN:
        face = _face(community, a_photo(**changes), main_face(booth, file_of(who, number)), booth.name)
        if person_id is None:
            founded = found_person(face, at=community.at, table=community.table)
            assert founded is not None
            person_id = founded.person_id
        else:
            assign_face(face, person_id, at=community.at, table=community.table)
        settle_people(face.image_id, face.owner, enough=2, table=community.table)
    assert person_id is not None
    assert community.stores.index is not None
    community.stores.index.catch_up(at=community.at)
    return person_id


def _face(community: Community, photo: Photo, found: FoundFace, engine: str) -> Face:
    community.keep(photo)
    known = face_id(photo.image_id, engine, found.box)
    crop = objects.face_thumb(known)
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
    return keep_face(face, at=community.at, table=community.table)

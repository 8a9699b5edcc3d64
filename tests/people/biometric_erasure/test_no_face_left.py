"""A data folder: soon after an erasure, none of its files holds an embedding or a crop of the person."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.face_index import FaceIndex
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import name_person
from sparks.library.people.photo_faces import find_face
from sparks.library.people.reconcile import reconcile_people
from sparks.model import times
from sparks.model.biometric_erasure import Keep
from sparks.model.events import ErasureBegun
from sparks.model.face import Face
from sparks.people.biometric_erasure.begin import ErasureRequest, begin_erasure
from sparks.people.biometric_erasure.erase import erase_faces, erase_listed
from sparks.people.rebuild import rebuild_all
from sparks.settings import Settings
from sparks.vectors.embedded import EmbeddedVectors
from sparks.wiring import open_stores
from tests.account_makers import keep
from tests.factories import ANN, a_face, a_photo
from tests.library.people.rows import a_box
from tests.people.face_library import embedded
from tests.servers.process import wait_until

ZOE, YAN, XIA = 1, 2, 3
PIECE = 32  # bytes: a quarter of what an embedding is in the least
CROP_BYTES = 3000


class Folder:
    """A data folder with all that one has, and the index of another process beside our own."""

    def __init__(self, stores: Stores, index: FaceIndex, other: FaceIndex, data: Path) -> None:
        self.stores, self.index, self.other, self.data = stores, index, other, data
        self.crops: dict[str, bytes] = {}

    def meet(self, who: int, times_met: int) -> list[Face]:
        """A person in so many photos, and one unassigned face of theirs."""
        faces = [self._face(who, moment) for moment in range(times_met)]
        table, at = self.stores.table, times.now()
        person = found_person(faces[0], at=at, table=table)
        assert person is not None
        for face in faces[1:-1]:
            assign_face(face, person.person_id, at=at, table=table)
        for face in faces:
            reconcile_people(face.image_id, face.owner, table=table)
        for index in (self.index, self.other):
            index.catch_up(at=times.now())
        self.index.forget(())  # saves
        return faces

    def person_of(self, face: Face) -> str:
        found = find_face(face.face_id, table=self.stores.table)
        assert found is not None
        assert found.person_id is not None
        return found.person_id

    def erase_person(self, person_id: str, keep: Keep) -> None:
        stores = self.stores
        request = ErasureRequest(person_id=person_id, keep=keep, who=ANN, account=None, at=times.now())
        begun = begin_erasure(
            request, table=stores.table, blobs=stores.blobs, index=self.index, pipeline=stores.pipeline
        )
        erase_listed(begun, table=stores.table, blobs=stores.blobs, index=self.index, pipeline=stores.pipeline)
        event = ErasureBegun(begun.erasure_id)
        erase_faces(event, table=stores.table, blobs=stores.blobs, index=self.index, pipeline=stores.pipeline)
        self.other.catch_up(at=times.now())

    def holds(self, faces: list[Face]) -> list[str]:
        """The files with a piece of an embedding, in the form of any store, or of a crop."""
        pieces = [piece for face in faces for piece in self._pieces(face)]
        paths = (Path(above, name) for above, _, names in os.walk(self.data) for name in names)
        return sorted({str(path.relative_to(self.data)) for path in paths if _holds(path, pieces)})

    def _face(self, who: int, moment: int) -> Face:
        photo = a_photo()
        assert self.stores.pipeline.faces is not None
        engine = self.stores.pipeline.faces.engine
        found = a_face(photo, a_box(), engine=engine, embedding=embedded(who, moment), indexed_at=times.now())
        key = blob_keys.face_thumb(found.face_id)
        self.crops[found.face_id] = os.urandom(CROP_BYTES)
        keep(self.stores.table, photo)
        self.stores.blobs.put(key, [self.crops[found.face_id]], content_type="image/jpeg")
        return store_face(replace(found, thumb_key=key), at=times.now(), table=self.stores.table)

    def _pieces(self, face: Face) -> Iterator[bytes]:
        assert face.embedding is not None
        half = np.frombuffer(face.embedding, "<f2")
        for form in (face.embedding, half.astype("<f4").tobytes(), self.crops[face.face_id]):
            yield from (form[start : start + PIECE] for start in range(0, len(form) - PIECE, PIECE))


def _holds(path: Path, pieces: list[bytes]) -> bool:
    try:
        content = path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:
        return False
    return any(piece in content for piece in pieces)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    settings = Settings(data=tmp_path / "data")
    with ExitStack() as stack:
        stores = stack.enter_context(open_stores(settings))
        known = stores.pipeline.faces
        assert known is not None
        path = settings.data / f"vectors-{known.engine}"
        indexes = []
        for _ in range(2):
            vectors = stack.enter_context(closing(EmbeddedVectors(known.dimensions, path)))
            indexes.append(FaceIndex(vectors, engine=known.engine, table=stores.table))
        yield Folder(stores, indexes[0], indexes[1], settings.data)


def test_soon_after_an_erasure_no_file_of_the_data_folder_holds_the_face(folder: Folder) -> None:
    forgotten = {Keep.VECTOR: folder.meet(ZOE, 5), Keep.NOTHING: folder.meet(YAN, 5)}
    stays = folder.meet(XIA, 3)
    gone = [face for faces in forgotten.values() for face in faces]
    assert all(folder.holds([face]) for face in gone)
    assert {re.split("[/-]", name)[0] for name in folder.holds(gone)} == {"blobs", "vectors", "sparks.db"}

    stores = folder.stores
    for kept, faces in forgotten.items():
        person_id = folder.person_of(faces[0])
        name_person(person_id, "Somebody", who=ANN, at=times.now(), table=stores.table)
        folder.erase_person(person_id, kept)
    rebuild_all(table=stores.table, blobs=stores.blobs, index=folder.index, pipeline=stores.pipeline, at=times.now())

    wait_until(lambda: not folder.holds(gone), what="no byte of the faces", seconds=60)
    assert all(folder.holds([face]) for face in stays)

"""A library of faces with an erasure of one person."""

import re
from dataclasses import replace
from typing import Any

from sparks.library import blob_keys
from sparks.library.people.face_rows import store_face
from sparks.library.photos.photo_rows import find_photo
from sparks.model.biometric_erasure import Erasure, Keep
from sparks.model.events import ErasureBegun
from sparks.model.face import Face
from sparks.model.photo import Photo
from sparks.people.biometric_erasure.begin import ErasureRequest, begin_erasure
from sparks.people.biometric_erasure.erase import erase_faces, erase_listed
from sparks.people.biometric_erasure.receipts import find_erasure
from sparks.table.port import Table
from tests.account_makers import everything
from tests.factories import ANN
from tests.people.face_library import FaceLibrary

ZOE, YAN, XIA = 1, 2, 3


class ErasureLibrary(FaceLibrary):
    """A library whose faces have crops, with biometric erasures."""

    def face(self, *args: Any, **more: Any) -> Face:
        face = super().face(*args, **more)
        return self.with_crop(face)

    def with_crop(self, face: Face) -> Face:
        key = blob_keys.face_thumb(face.face_id)
        self.blobs.put(key, [b"crop of " + face.face_id.encode()], content_type="image/jpeg")
        return store_face(replace(face, thumb_key=key), at=self.clock, table=self.table)

    def begin(
        self, person_id: str, keep: Keep = Keep.VECTOR, account: str | None = None, table: Table | None = None
    ) -> Erasure:
        request = ErasureRequest(person_id=person_id, keep=keep, who=ANN, account=account, at=self.now())
        return begin_erasure(
            request, table=table or self.table, blobs=self.blobs, index=self.index, pipeline=self.pipeline
        )

    def erase_person(self, person_id: str, keep: Keep = Keep.VECTOR, account: str | None = None) -> Erasure:
        return self.erase(self.begin(person_id, keep, account))

    def erase(self, erasure: Erasure, table: Table | None = None) -> Erasure:
        return erase_listed(
            erasure, table=table or self.table, blobs=self.blobs, index=self.index, pipeline=self.pipeline
        )

    def follow(self, erasure: Erasure, table: Table | None = None) -> Erasure:
        event = ErasureBegun(erasure.erasure_id)
        erase_faces(event, table=table or self.table, blobs=self.blobs, index=self.index, pipeline=self.pipeline)
        done = find_erasure(erasure.erasure_id, table=self.table)
        assert done is not None
        return done

    def made_up_faces(self) -> dict[int, list[Face]]:
        """Three people with three photos each, and one of all."""
        faces = {who: self.photos(who, times=3) for who in (ZOE, YAN, XIA)}
        for who, face in zip(faces, self.photo(*faces), strict=True):
            faces[who].append(face)
        self.regroup()
        return faces

    def traces(self, *telling: str) -> list[str]:
        """The rows, but for receipts and ledgers, that hold one of these texts."""
        kept = ("ERASURE#", "CONSENT#", "FACE_INGEST#", "JOB#")
        rows = [row for row in everything(self.table) if not row["PK"].startswith(kept)]
        args = re.compile("|".join(f"{re.escape(text)}(?!\\d)" for text in telling))
        return [f"{row['PK']} | {row['SK']}" for row in rows if args.search(repr(row))]

    def photo_of(self, face: Face) -> Photo:
        photo = find_photo(face.image_id, table=self.table)
        assert photo is not None
        return photo

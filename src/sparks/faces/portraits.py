"""A picture that somebody shows of themselves: upright and small, with the faces in it. Nothing of it is kept."""

import os
from dataclasses import dataclass, field
from typing import Final

from sparks.blobs.local_file import file_of
from sparks.faces.port import FaceEngine, FoundFace
from sparks.media.kinds import Kind
from sparks.media.sizes import SIZES
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.media.studio import Studio
from sparks.model.errors import UnsupportedType
from sparks.model.photo import AssetType, Rendition

LARGE: Final = {Rendition.LARGE.value: SIZES[Rendition.LARGE]}


@dataclass(frozen=True, slots=True)
class Portrait:
    """`picture` is a WebP file. The largest and surest face comes first; none is fine."""

    picture: bytes = field(repr=False)
    faces: tuple[FoundFace, ...]

    @property
    def face(self) -> FoundFace | None:
        return self.faces[0] if self.faces else None


def look_at_portrait(file: int, *, studio: Studio, engine: FaceEngine | None) -> Portrait:
    """Without an engine, no face is looked for. UnsupportedType where the file is no picture, Damaged where it cannot
    be decoded.
    """
    picture = studio.show(file, _picture_kind(file), LARGE).renditions[Rendition.LARGE]
    if engine is None:
        return Portrait(picture, ())
    with file_of([picture]) as upright:
        return Portrait(picture, tuple(engine.find_faces(upright)))


def _picture_kind(file: int) -> Kind:
    kind = sniff(os.pread(file, HEAD_BYTES, 0), size=os.fstat(file).st_size)
    if kind.asset_type is AssetType.VIDEO:
        raise UnsupportedType(f"This is a video ({kind.label}). A face is shown by a picture: send one.")
    return kind

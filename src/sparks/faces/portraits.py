"""Portraits: uploaded pictures of a caller, rendered small and searched for faces, never stored."""

import os
from dataclasses import dataclass, field
from typing import Final

from sparks.blobs.local_file import file_of
from sparks.faces.port import FaceEngine, FoundFace
from sparks.media.file_types import FileType
from sparks.media.rendition_sizes import SIZES
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import UnsupportedType
from sparks.model.photo import AssetType, Rendition

LARGE: Final = {Rendition.LARGE.value: SIZES[Rendition.LARGE]}


@dataclass(frozen=True, slots=True)
class Portrait:
    """`picture` is a WebP file. The largest and surest face comes first; there may be none."""

    picture: bytes = field(repr=False)
    faces: tuple[FoundFace, ...]

    @property
    def face(self) -> FoundFace | None:
        return self.faces[0] if self.faces else None


def analyze_portrait(file: int, *, renderer: SandboxedRenderer, engine: FaceEngine | None) -> Portrait:
    """Renders the picture and, with an engine, detects its faces.

    UnsupportedType where the file is no picture, Damaged where it cannot be decoded.
    """
    picture = renderer.render(file, _picture_kind(file), LARGE).renditions[Rendition.LARGE]
    if engine is None:
        return Portrait(picture, ())
    with file_of([picture]) as upright:
        return Portrait(picture, tuple(engine.find_faces(upright)))


def _picture_kind(file: int) -> FileType:
    kind = sniff(os.pread(file, HEAD_BYTES, 0), size=os.fstat(file).st_size)
    if kind.asset_type is AssetType.VIDEO:
        raise UnsupportedType(f"This is a video ({kind.label}). Send a picture of the face instead.")
    return kind

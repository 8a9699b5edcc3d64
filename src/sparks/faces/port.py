"""Port of face engines: find and analyze faces in pictures and videos.

An engine is a model in a sandbox on this machine, or a remote service.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sparks.media.file_types import FileType
from sparks.model.face import Box


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFace:
    """A face in a picture, or in a frame of a video.

    - `confidence`: probability that it is a face, from 0 to 100.
    - `quality`: how well it can be recognized, from 0 to 1.
    - `embedding`: one little-endian float16 for each dimension of the engine, of unit length, so that a scalar product
      is the similarity (`np.frombuffer(embedding, "<f2")`).
    - `crop`: a small JPEG of the face.
    """

    box: Box
    confidence: float
    quality: float
    embedding: bytes = field(repr=False)
    crop: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Thresholds of an engine's similarities and qualities.

    From the similarity `candidate` on two faces may be the same person, from `strong` on they are. A face below the
    quality `founding` may join a person, but does not start a new one.
    """

    candidate: float
    strong: float
    founding: float


class FaceEngine(Protocol):
    """Detection is deterministic: the same picture gives the same boxes.

    Files are regular files, open for reading only; they stay open. Damaged, with the reason, where a file cannot be
    decoded. Unavailable where the engine cannot work now, and always while it is `missing` something.
    """

    @property
    def name(self) -> str:
        """Model and version. Each face stores it: embeddings of engines with different names cannot be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def thresholds(self) -> Thresholds: ...

    @property
    def missing(self) -> str:
        """For an operator: why the engine cannot work on this installation, and what to do; else empty."""
        ...

    def find_faces(self, picture: int) -> Sequence[FoundFace]:
        """At most a hundred faces of an upright rendition, the largest and surest first."""
        ...

    def analyze_box(self, picture: int, box: Box) -> FoundFace:
        """The face in the box that a user drew, with exactly this box.

        Where the engine detects no face there, confidence and quality are 0, and the embedding is meaningless.
        """
        ...

    def find_faces_in_video(self, video: int, kind: FileType) -> Sequence[FoundFace]:
        """The best face of each distinguishable person, from frames spread over the video."""
        ...

    def close(self) -> None:
        """Waits for the running call. May be called twice."""
        ...

"""What finds faces. An engine may be a model in a jail of this machine, or a service of somebody else's."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sparks.media.kinds import Kind
from sparks.model.face import Box


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFace:
    """A face in a picture, or in a frame of a film.

    `confidence`: how sure the engine is that it is a face, from 0 to 100. `quality`: how well it can be recognised, 0
    to 1. `embedding`: as many little-endian float16 numbers as the engine has dimensions, of unit length, so that a
    scalar product is the similarity (`np.frombuffer(embedding, "<f2")`). `crop`: a small JPEG of the face.
    """

    box: Box
    confidence: float
    quality: float
    embedding: bytes = field(repr=False)
    crop: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What an engine's similarities and qualities mean.

    From `candidate` on two faces may be the same person, from `strong` on they are. A face below the quality `founding`
    may join a person, and founds none.
    """

    candidate: float
    strong: float
    founding: float


class FaceEngine(Protocol):
    """Finding is the same for the same picture: what is found again has the same boxes.

    Files are regular ones, open for reading only; they stay open. Damaged, with the reason, where one cannot be
    decoded. Unavailable where the engine cannot work now, and always while it is `missing` something.
    """

    @property
    def name(self) -> str:
        """Model and version. It stands with each face: embeddings of different names cannot be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def thresholds(self) -> Thresholds: ...

    @property
    def missing(self) -> str:
        """What keeps it from working on this installation, and what to do, in words for an operator; or nothing."""
        ...

    def find_faces(self, picture: int) -> Sequence[FoundFace]:
        """Of an upright rendition. The best hundred, the largest and surest first; none is fine."""
        ...

    def look_at(self, picture: int, box: Box) -> FoundFace:
        """The face that somebody has seen in this box; the answer has just this box.

        Where the engine sees none there, the confidence and the quality are 0, and the embedding is a guess.
        """
        ...

    def watch(self, film: int, kind: Kind) -> Sequence[FoundFace]:
        """Of a film, from frames all over it: for each person that can be told apart, the best face."""
        ...

    def close(self) -> None:
        """Waits for the work at hand. Closing twice is fine."""
        ...

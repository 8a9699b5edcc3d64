"""The booth: where faces are found, in a jail, by the engine that Sparks comes with."""

import math
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

import numpy as np

from sparks.faces.opencv.engine import DIMENSIONS, NAME, THRESHOLDS
from sparks.faces.opencv.orders import FindFaces, Look, LookAt, Watch
from sparks.faces.opencv.weights import missing_weights
from sparks.faces.port import FoundFace, Thresholds
from sparks.media.caps import USUAL, Caps
from sparks.media.jail import Answer, Jail
from sparks.media.kinds import Kind
from sparks.model.errors import BadInput, Damaged, Unavailable
from sparks.model.face import Box

SECONDS: Final = 120.0  # for a picture; a crowd needs five
FILM_SECONDS: Final = 900.0
WORKING: Final = 768 << 20  # bytes of memory beside what decoding a film may take
JPEG: Final = b"\xff\xd8"
NEAR: Final = 0.01  # how far an embedding may be from unit length


class Booth:
    """One picture at a time; others wait. A `FaceEngine`."""

    name: Final = NAME
    dimensions: Final = DIMENSIONS

    def __init__(self, *, thresholds: Thresholds = THRESHOLDS, caps: Caps = USUAL, missing: str | None = None) -> None:
        """`missing`: why it is not to work, where that is known; else its weights are looked at."""
        self.thresholds: Final = thresholds
        self.missing: Final = missing_weights() if missing is None else missing
        self._caps = caps
        self._jail: Jail[tuple[Look, ...]] = Jail(
            task="sparks.faces.opencv.task:run",
            warm="sparks.faces.opencv.warm:warm",
            answer=tuple[Look, ...],
            memory=caps.memory + WORKING,
        )

    def start(self) -> tuple[str, ...]:
        """Makes the first child now, and tells what of its jail this machine cannot build. Not needed."""
        return () if self.missing else self._jail.start()

    def find_faces(self, picture: int) -> Sequence[FoundFace]:
        return self._ask(FindFaces(), picture, seconds=SECONDS)

    def look_at(self, picture: int, box: Box) -> FoundFace:
        sides = box.left, box.top, box.width, box.height
        if not all(map(math.isfinite, sides)) or min(box.width, box.height) <= 0:
            raise BadInput("a box round a face has a width and a height")
        found = self._ask(LookAt(sides), picture, seconds=SECONDS)
        if len(found) != 1:
            raise _garbled()
        return found[0]

    def watch(self, film: int, kind: Kind) -> Sequence[FoundFace]:
        return self._ask(Watch(kind.name, self._caps), film, seconds=FILM_SECONDS)

    def close(self) -> None:
        self._jail.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, order: FindFaces | LookAt | Watch, file: int, *, seconds: float) -> list[FoundFace]:
        if self.missing:
            raise Unavailable(f"faces cannot be found: {self.missing}")
        return _checked(self._jail.run(order, [file], seconds=seconds))


def _checked(answer: Answer[tuple[Look, ...]]) -> list[FoundFace]:
    """What a child says is doubted: somebody's picture may have taken it over."""
    if len(answer.blobs) != len(answer.value):
        raise _garbled()
    return [_found(look, crop) for look, crop in zip(answer.value, answer.blobs, strict=True)]


def _found(look: Look, crop: bytes) -> FoundFace:
    length = float(np.linalg.norm(np.frombuffer(look.embedding, "<f2").astype(np.float32)))
    numbers = (*look.box, look.score, look.quality)
    if not all(map(math.isfinite, numbers)) or not abs(length - 1) < NEAR or not crop.startswith(JPEG):
        raise _garbled()
    return FoundFace(
        box=Box(*look.box),
        confidence=round(100 * look.score, 1),
        quality=look.quality,
        embedding=look.embedding,
        crop=crop,
    )


def _garbled() -> Damaged:
    return Damaged("faces could not be looked for: the engine gave no proper answer")

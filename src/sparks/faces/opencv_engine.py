"""Face engine that runs OpenCV's models in a sandboxed child process."""

import math
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

import numpy as np

from sparks.faces.opencv.engine_messages import (
    DIMENSIONS,
    NAME,
    THRESHOLDS,
    AnalyzeBoxRequest,
    AnalyzeVideoRequest,
    FaceReply,
    FindFacesRequest,
)
from sparks.faces.opencv.weights import missing_weights
from sparks.faces.port import FoundFace, Thresholds
from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.sandbox import Sandbox
from sparks.media.sandbox.protocol import TaskResult
from sparks.model.errors import BadInput, Damaged, Unavailable
from sparks.model.face import Box

TIMEOUT: Final = 120.0  # seconds for a picture; one with a hundred faces takes five
VIDEO_TIMEOUT: Final = 900.0
WORKING_MEMORY: Final = 768 << 20  # bytes beside those for decoding a video
JPEG: Final = b"\xff\xd8"
UNIT_TOLERANCE: Final = 0.01  # allowed deviation of an embedding from unit length


class OpenCvEngine:
    """A `FaceEngine` that analyzes one picture at a time; further calls wait."""

    name: Final = NAME
    dimensions: Final = DIMENSIONS

    def __init__(
        self, *, thresholds: Thresholds = THRESHOLDS, limits: DecodeLimits = DEFAULT_LIMITS, missing: str | None = None
    ) -> None:
        """`missing` says why the engine cannot work, if that is known; else its weights are checked."""
        self.thresholds: Final = thresholds
        self.missing: Final = missing_weights() if missing is None else missing
        self._limits = limits
        self._sandbox: Sandbox[tuple[FaceReply, ...]] = Sandbox(
            task="sparks.faces.opencv.face_task:run",
            preload="sparks.faces.opencv.face_task:preload",
            value_type=tuple[FaceReply, ...],
            memory=limits.memory + WORKING_MEMORY,
        )

    def start(self) -> tuple[str, ...]:
        """Starts the first child now and returns the steps of the lockdown that this machine lacks. Optional."""
        return () if self.missing else self._sandbox.start()

    def find_faces(self, picture: int) -> Sequence[FoundFace]:
        return self._run(FindFacesRequest(), picture, seconds=TIMEOUT)

    def analyze_box(self, picture: int, box: Box) -> FoundFace:
        sides = box.left, box.top, box.width, box.height
        if not all(map(math.isfinite, sides)) or min(box.width, box.height) <= 0:
            raise BadInput("a box around a face needs a width and a height")
        found = self._run(AnalyzeBoxRequest(sides), picture, seconds=TIMEOUT)
        if len(found) != 1:
            raise _invalid_reply()
        return found[0]

    def find_faces_in_video(self, video: int, kind: FileType) -> Sequence[FoundFace]:
        return self._run(AnalyzeVideoRequest(kind.name, self._limits), video, seconds=VIDEO_TIMEOUT)

    def close(self) -> None:
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(
        self, request: FindFacesRequest | AnalyzeBoxRequest | AnalyzeVideoRequest, file: int, *, seconds: float
    ) -> list[FoundFace]:
        if self.missing:
            raise Unavailable(f"faces cannot be found: {self.missing}")
        return _checked(self._sandbox.run(request, [file], seconds=seconds))


def _checked(result: TaskResult[tuple[FaceReply, ...]]) -> list[FoundFace]:
    """Faces of a result, whose values are checked: a malicious picture may have taken over the child."""
    if len(result.blobs) != len(result.value):
        raise _invalid_reply()
    return [_found(reply, crop) for reply, crop in zip(result.value, result.blobs, strict=True)]


def _found(reply: FaceReply, crop: bytes) -> FoundFace:
    length = float(np.linalg.norm(np.frombuffer(reply.embedding, "<f2").astype(np.float32)))
    numbers = (*reply.box, reply.score, reply.quality)
    if not all(map(math.isfinite, numbers)) or not abs(length - 1) < UNIT_TOLERANCE or not crop.startswith(JPEG):
        raise _invalid_reply()
    return FoundFace(
        box=Box(*reply.box),
        confidence=round(100 * reply.score, 1),
        quality=reply.quality,
        embedding=reply.embedding,
        crop=crop,
    )


def _invalid_reply() -> Damaged:
    return Damaged("faces could not be detected: the engine gave no proper answer")

"""Sandboxed renderer: renditions, crops and transcodes, made in a child process."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.metadata.embedded_metadata import embedded_metadata_of
from sparks.media.renderer_messages import CropRequest, RenderReply, RenderRequest, TranscodeRequest
from sparks.media.rendition_sizes import FORMAT, QUALITY, SIZES
from sparks.media.sandbox import Sandbox
from sparks.media.sandbox.landlock import version
from sparks.media.sandbox.protocol import Report
from sparks.model.errors import Damaged
from sparks.model.face import Box
from sparks.model.photo import EmbeddedMetadata

TIMEOUT: Final = 120.0  # seconds for renditions; a hundredth of it is usual
TIMEOUT_PER_SECOND: Final = 6.0  # for each second of a video: a slow core needs four for the largest camera files
MAX_VIDEO_TIMEOUT: Final = 3300.0  # a step must end within an hour
MAX_VIDEO_BYTES: Final = 16 << 30
WORKING_MEMORY: Final = 256 << 20  # bytes beside those that the limits count
JPEG: Final = b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedMedia:
    """`renditions` are WebP files by the name of their size; `metadata` is what the file holds about itself.

    `width` and `height` are those of the original, upright. `duration` is that of a video, or of the video that a
    motion photo declares. Only a video may be not `playable`: browsers cannot play it, or its metadata cannot be
    stripped.
    """

    renditions: Mapping[str, bytes]
    thumbhash: bytes
    width: int
    height: int
    duration: float | None
    animated: bool
    playable: bool
    metadata: EmbeddedMetadata
    format: str = FORMAT
    quality: int = QUALITY


class SandboxedRenderer:
    """Processes one file at a time; further calls wait.

    Damaged, with the reason, where a file cannot be decoded; Unavailable where no decoder can be started.
    """

    def __init__(
        self, sizes: Mapping[str, int] = SIZES, limits: DecodeLimits = DEFAULT_LIMITS, *, seconds: float = TIMEOUT
    ) -> None:
        """`sizes`: the renditions of every original, by name and longest side. `seconds`: the timeout of a file."""
        self.sizes: Final = {str(name): side for name, side in sizes.items()}
        self._limits = limits
        self._seconds = seconds
        self._sandbox: Sandbox[RenderReply] = Sandbox(
            task="sparks.media.renderer_task:run",
            preload="sparks.media.preload:preload",
            value_type=RenderReply,
            memory=limits.memory + WORKING_MEMORY,
            output=MAX_VIDEO_BYTES,
        )

    def start(self) -> tuple[str, ...]:
        """Starts the first decoder now and returns the steps of the lockdown that this machine lacks. Optional."""
        return self._sandbox.start()

    def render(self, file: int, kind: FileType, sizes: Mapping[str, int]) -> RenderedMedia:
        """Makes renditions of a file that is open for reading only."""
        result = self._sandbox.run(RenderRequest(kind.name, self._limits, sizes), [file], seconds=self._seconds)
        reply, blobs = result.value, result.blobs
        if len(blobs) != len(sizes) or not reply.thumbhash:
            raise Damaged("the file could not be decoded: the decoder gave no proper answer")
        return RenderedMedia(
            renditions=dict(zip(sizes, blobs, strict=True)),
            thumbhash=reply.thumbhash,
            width=reply.width,
            height=reply.height,
            duration=reply.duration,
            animated=reply.animated,
            playable=reply.playable,
            metadata=embedded_metadata_of(reply.metadata),
        )

    def crop_square(self, file: int, kind: FileType, *, side: int, around: Box | None = None) -> bytes:
        """A JPEG of at most `side` pixels around the box, or of the picture's center."""
        box = None if around is None else (around.left, around.top, around.width, around.height)
        result = self._sandbox.run(CropRequest(kind.name, self._limits, side, box), [file], seconds=self._seconds)
        if len(result.blobs) != 1 or not result.blobs[0].startswith(JPEG):
            raise Damaged("the picture could not be cut: the decoder gave no proper answer")
        return result.blobs[0]

    def transcode(
        self,
        file: int,
        kind: FileType,
        target: int,
        *,
        duration: float | None = None,
        progress: Report = lambda _: None,
    ) -> bool:
        """Writes an MP4 of at most 720p into `target`, an empty file that is open for reading and writing.

        False, and nothing is written, where the original is playable. Of a motion photo its video is transcoded;
        Damaged where it has none. `duration` is that of the video, if known.
        """
        seconds = min(self._seconds + TIMEOUT_PER_SECOND * (duration or self._limits.seconds), MAX_VIDEO_TIMEOUT)
        request = TranscodeRequest(kind.name, self._limits)
        return not self._sandbox.run(request, [file, target], seconds=seconds, progress=progress).value.playable

    def close(self) -> None:
        """Waits for the running file. May be called twice."""
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def has_landlock() -> bool:
    """Whether the kernel can deny decoders all files; without it, the other steps of the lockdown apply."""
    with suppress(OSError):
        return version() > 0
    return False

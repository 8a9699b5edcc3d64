"""Opens a video container as its sniffed type, within limits."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, Final

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Stream
from av.video.stream import VideoStream

from sparks.media import file_types
from sparks.media.decode_errors import Unreadable, explain, no_frames, unreadable
from sparks.media.decode_limits import DecodeLimits, check_pixels
from sparks.media.file_types import FileType
from sparks.model.errors import Damaged

FORMATS: Final = {
    file_types.MP4: "mov",
    file_types.MOV: "mov",
    file_types.THREE_GP: "mov",
    file_types.WEBM: "matroska",
    file_types.MKV: "matroska",
    file_types.AVI: "avi",
}
# Errors of FFmpeg and its bindings for broken files. A plain OSError is not among them: it may be a full disk.
AV_ERRORS: Final = (FFmpegError, ValueError, OverflowError, ZeroDivisionError, EOFError, MemoryError)
BYTES_PER_PIXEL: Final = 32.0  # about twelve frames are in memory at a time

_ATTACHED: Final = 0x0400  # a cover picture, not a video


@contextmanager
def open_video(file: BinaryIO, kind: FileType, *, limits: DecodeLimits) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its video stream; Damaged where it has none, or one that exceeds the limits."""
    try:
        with _opened(file, kind, limits=limits) as video:
            yield video
    except Unreadable as error:
        read = partial(_read, file)
        raise explain(error, read, file.seek(0, io.SEEK_END), kind) from error


@contextmanager
def _opened(file: BinaryIO, kind: FileType, *, limits: DecodeLimits) -> Iterator[tuple[InputContainer, VideoStream]]:
    file.seek(0)
    try:
        with av.open(file, "r", format=FORMATS[kind], metadata_errors="replace") as container:
            video_stream = _video_stream(container, kind)
            _check(container, video_stream, kind, limits=limits)
            video_stream.codec_context.thread_count = 1
            yield container, video_stream
    except AV_ERRORS as error:
        raise unreadable(kind, error) from error


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def seconds_of(container: InputContainer, stream: VideoStream) -> float | None:
    """The duration of a video; None where the file does not declare it."""
    if container.duration is not None and container.duration > 0:
        return container.duration / av.time_base
    if stream.duration is not None and stream.duration > 0 and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return None


def _video_stream(container: InputContainer, kind: FileType) -> VideoStream:
    video_streams = [stream for stream in container.streams.video if not stream.disposition & _ATTACHED]
    if not video_streams:
        raise Damaged(f"This {kind.label} holds no moving picture.")
    if not _is_known(video_streams[0]):
        raise no_frames(kind)
    return video_streams[0]


def find_audio(container: InputContainer) -> AudioStream | None:
    """The first audio stream that can be decoded."""
    return next((stream for stream in container.streams.audio if _is_known(stream)), None)


def _is_known(stream: Stream) -> bool:
    """Whether FFmpeg has a decoder for the stream; without one its context is missing, contrary to the types."""
    return getattr(stream, "codec_context", None) is not None


def _check(container: InputContainer, stream: VideoStream, kind: FileType, *, limits: DecodeLimits) -> None:
    context = stream.codec_context
    check_pixels(context.width, context.height, kind, limits=limits, bytes_per_pixel=BYTES_PER_PIXEL)
    seconds = seconds_of(container, stream)
    if seconds is not None and seconds > limits.seconds:
        raise Damaged(
            f"This {kind.label} runs for {seconds / 60:,.0f} minutes; at most {limits.seconds / 60:,.0f} can be shown."
        )

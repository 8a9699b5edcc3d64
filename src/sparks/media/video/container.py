"""A video's container, opened as what it was sniffed to be and as nothing else."""

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

from sparks.media import kinds
from sparks.media.caps import Caps, check_pixels
from sparks.media.kinds import Kind
from sparks.media.reasons import Unreadable, explain, nothing_in, unreadable
from sparks.model.errors import Damaged

FORMATS: Final = {
    kinds.MP4: "mov",
    kinds.MOV: "mov",
    kinds.THREE_GP: "mov",
    kinds.WEBM: "matroska",
    kinds.MKV: "matroska",
    kinds.AVI: "avi",
}
# All that FFmpeg and its bindings raise on broken files. A plain OSError is none: that is a disk that is full.
AV_ERRORS: Final = (FFmpegError, ValueError, OverflowError, ZeroDivisionError, EOFError, MemoryError)
BYTES_PER_PIXEL: Final = 32.0  # a dozen frames are held at a time

_ATTACHED: Final = 0x0400  # a cover, not a film


@contextmanager
def open_video(file: BinaryIO, kind: Kind, *, caps: Caps) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its film; Damaged where there is none, or where it is larger or longer than the caps."""
    try:
        with _opened(file, kind, caps=caps) as video:
            yield video
    except Unreadable as error:
        read = partial(_read, file)
        raise explain(error, read, file.seek(0, io.SEEK_END), kind) from error


@contextmanager
def _opened(file: BinaryIO, kind: Kind, *, caps: Caps) -> Iterator[tuple[InputContainer, VideoStream]]:
    file.seek(0)
    try:
        with av.open(file, "r", format=FORMATS[kind], metadata_errors="replace") as container:
            film = _film(container, kind)
            _check(container, film, kind, caps=caps)
            film.codec_context.thread_count = 1
            yield container, film
    except AV_ERRORS as error:
        raise unreadable(kind, error) from error


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def seconds_of(container: InputContainer, film: VideoStream) -> float | None:
    """How long it runs; None where nothing tells."""
    if container.duration is not None and container.duration > 0:
        return container.duration / av.time_base
    if film.duration is not None and film.duration > 0 and film.time_base is not None:
        return float(film.duration * film.time_base)
    return None


def _film(container: InputContainer, kind: Kind) -> VideoStream:
    films = [stream for stream in container.streams.video if not stream.disposition & _ATTACHED]
    if not films:
        raise Damaged(f"This {kind.label} holds no moving picture.")
    if not _is_known(films[0]):
        raise nothing_in(kind)
    return films[0]


def find_sound(container: InputContainer) -> AudioStream | None:
    """The first sound that can be decoded."""
    return next((stream for stream in container.streams.audio if _is_known(stream)), None)


def _is_known(stream: Stream) -> bool:
    """Whether there is a decoder for it: the bindings have no context for one without, whatever their types say."""
    return getattr(stream, "codec_context", None) is not None


def _check(container: InputContainer, film: VideoStream, kind: Kind, *, caps: Caps) -> None:
    context = film.codec_context
    check_pixels(context.width, context.height, kind, caps=caps, bytes_per_pixel=BYTES_PER_PIXEL)
    seconds = seconds_of(container, film)
    if seconds is not None and seconds > caps.seconds:
        raise Damaged(
            f"This {kind.label} runs for {seconds / 60:,.0f} minutes; at most {caps.seconds / 60:,.0f} can be shown."
        )

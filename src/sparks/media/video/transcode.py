"""Transcodes a video to a 720p MP4 with its index at the front.

1. Packets are read in file order. Each frame is rotated upright, shrunk and encoded; the audio is encoded as well.
2. Packets that cannot be decoded are skipped. Titles, locations and all other tags are left out.
3. At the end the index is moved to the front. This reads back the output, so the target must be readable.
"""

import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.video.container import find_audio, open_video
from sparks.media.video.encoders import AudioEncoder, VideoEncoder
from sparks.media.video.probe import probe_video

Progress = Callable[[float], None]


class IndependentFile:
    """Reads and writes a shared file at its own position."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0

    def read(self, size: int) -> bytes:
        self._file.seek(self._at)
        content = self._file.read(size)
        self._at += len(content)
        return content

    def write(self, content: bytes) -> int:
        self._file.seek(self._at)
        written = self._file.write(content)
        self._at += written
        return written

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            self._at = self._file.seek(offset, io.SEEK_END)
        else:
            self._at = offset + (self._at if whence == io.SEEK_CUR else 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """Leaves the file open, because the caller owns it."""


def transcode(
    source: BinaryIO,
    target: BinaryIO,
    kind: FileType,
    *,
    limits: DecodeLimits = DEFAULT_LIMITS,
    progress: Progress = lambda _: None,
) -> None:
    """Writes an MP4 of at most 720p into `target`, from its start. `progress` gets fractions that grow up to 1.

    Damaged where the video cannot be decoded, or exceeds the limits.
    """
    info = probe_video(source, kind, limits=limits)
    seconds = info.duration or limits.seconds
    second_reader = IndependentFile(target)
    options = {"movflags": "faststart"}
    with (
        open_video(source, kind, limits=limits) as (container, video_stream),
        av.open(
            IndependentFile(target), "w", format="mp4", options=options, io_open=lambda *_: second_reader
        ) as output,
    ):
        for at in _encode_all(
            container, video_stream, output, size=(info.width, info.height), max_seconds=limits.seconds
        ):
            progress(min(at / seconds, 1.0))
    progress(1.0)


def _encode_all(
    container: InputContainer,
    stream: VideoStream,
    output: OutputContainer,
    *,
    size: tuple[int, int],
    max_seconds: float,
) -> Iterator[float]:
    """Yields the position after each second of the video."""
    audio = find_audio(container)
    video_encoder = VideoEncoder(output, stream, size)
    audio_encoder = AudioEncoder(output) if audio is not None else None
    position = 0.0
    for frame in _frames(container, stream, audio):
        if isinstance(frame, VideoFrame):
            output.mux(video_encoder.encode(frame))
        elif audio_encoder is not None:
            output.mux(audio_encoder.encode(frame))
        at = frame.time if frame.pts is not None else None
        if at is not None and at >= position + 1:
            position = at
            yield position
        if position > max_seconds:  # longer than the container declares
            break
    for rest in (video_encoder.finish(), audio_encoder.finish() if audio_encoder is not None else []):
        output.mux(rest)


def _frames(
    container: InputContainer, stream: VideoStream, audio: AudioStream | None
) -> Iterator[VideoFrame | AudioFrame]:
    packets = container.demux(stream) if audio is None else container.demux(stream, audio)
    for packet in packets:
        try:
            yield from (frame for frame in packet.decode() if isinstance(frame, VideoFrame | AudioFrame))
        except FFmpegError:
            continue

"""Probes a video: duration, size, codecs, and whether browsers play it."""

from dataclasses import dataclass
from typing import BinaryIO, Final

from av.video.stream import VideoStream

from sparks.media import file_types
from sparks.media.decode_errors import no_frames
from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.metadata.read_metadata import Metadata, read_video_metadata
from sparks.media.video.container import find_audio, open_video, seconds_of
from sparks.media.video.frames import frames_of, orientation_of, shown_size

# Video and audio codecs that Chrome, Firefox and Safari all play.
BROWSER_CODECS: Final = {
    file_types.MP4: ({"h264"}, {"aac", "mp3"}),
    file_types.MOV: ({"h264"}, {"aac", "mp3"}),
    file_types.WEBM: ({"vp8", "vp9"}, {"opus", "vorbis"}),
}
BROWSER_PIXEL_FORMATS: Final = frozenset({"yuv420p", "yuvj420p"})


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoInfo:
    """`width` and `height` are upright and in square pixels; `metadata` is that of the container."""

    width: int
    height: int
    duration: float | None  # seconds
    orientation: int
    frame_rate: float | None
    video_codec: str
    audio_codec: str | None
    playable: bool
    metadata: Metadata


def probe_video(file: BinaryIO, kind: FileType, *, limits: DecodeLimits = DEFAULT_LIMITS) -> VideoInfo:
    """Damaged where the file holds no video that can be decoded, or one that exceeds the limits."""
    with open_video(file, kind, limits=limits) as (container, video_stream):
        frame = next(frames_of(container, video_stream), None)
        if frame is None:
            raise no_frames(kind)
        width, height = shown_size(frame, video_stream)
        seconds = seconds_of(container, video_stream)
        audio_stream = find_audio(container)
        audio_codec = None if audio_stream is None else audio_stream.codec_context.name
        return VideoInfo(
            width=width,
            height=height,
            duration=None if seconds is None else round(seconds, 3),
            orientation=orientation_of(frame),
            frame_rate=None if not video_stream.average_rate else round(float(video_stream.average_rate), 3),
            video_codec=video_stream.codec_context.name,
            audio_codec=audio_codec,
            playable=_is_playable(kind, video_stream, frame.format.name, audio_codec),
            metadata=read_video_metadata({**video_stream.metadata, **container.metadata}),
        )


def _is_playable(kind: FileType, stream: VideoStream, pixel_format: str, audio_codec: str | None) -> bool:
    if kind not in BROWSER_CODECS or pixel_format not in BROWSER_PIXEL_FORMATS:
        return False
    video_codecs, audio_codecs = BROWSER_CODECS[kind]
    return stream.codec_context.name in video_codecs and (audio_codec is None or audio_codec in audio_codecs)

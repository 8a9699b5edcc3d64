"""What a video is: how long, how large, made by which codecs, and whether browsers play it."""

from dataclasses import dataclass
from typing import BinaryIO, Final

from av.video.stream import VideoStream

from sparks.media import kinds
from sparks.media.caps import USUAL, Caps
from sparks.media.kinds import Kind
from sparks.media.metadata.read import Metadata, read_video_metadata
from sparks.media.reasons import nothing_in
from sparks.media.video.container import find_sound, open_video, seconds_of
from sparks.media.video.frames import frames_of, orientation_of, shown_size

# What Chrome, Firefox and Safari all play.
PLAYED: Final = {
    kinds.MP4: ({"h264"}, {"aac", "mp3"}),
    kinds.MOV: ({"h264"}, {"aac", "mp3"}),
    kinds.WEBM: ({"vp8", "vp9"}, {"opus", "vorbis"}),
}
EIGHT_BITS: Final = frozenset({"yuv420p", "yuvj420p"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """`width` and `height` are upright and in square pixels. `metadata` holds what the container tells beside."""

    width: int
    height: int
    duration: float | None  # seconds
    orientation: int
    frame_rate: float | None
    video_codec: str
    audio_codec: str | None
    playable: bool
    metadata: Metadata


def probe(file: BinaryIO, kind: Kind, *, caps: Caps = USUAL) -> Clip:
    """Damaged where it holds no film, or one of which nothing can be decoded, or more than the caps allow."""
    with open_video(file, kind, caps=caps) as (container, film):
        frame = next(frames_of(container, film), None)
        if frame is None:
            raise nothing_in(kind)
        width, height = shown_size(frame, film)
        seconds = seconds_of(container, film)
        sound = find_sound(container)
        audio = None if sound is None else sound.codec_context.name
        return Clip(
            width=width,
            height=height,
            duration=None if seconds is None else round(seconds, 3),
            orientation=orientation_of(frame),
            frame_rate=None if not film.average_rate else round(float(film.average_rate), 3),
            video_codec=film.codec_context.name,
            audio_codec=audio,
            playable=_is_playable(kind, film, frame.format.name, audio),
            metadata=read_video_metadata({**film.metadata, **container.metadata}),
        )


def _is_playable(kind: Kind, film: VideoStream, pixels: str, audio: str | None) -> bool:
    if kind not in PLAYED or pixels not in EIGHT_BITS:
        return False
    videos, audios = PLAYED[kind]
    return film.codec_context.name in videos and (audio is None or audio in audios)

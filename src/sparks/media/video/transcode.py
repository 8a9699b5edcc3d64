"""Makes a video that any browser plays: H.264 and AAC in an MP4 that starts before it has arrived as a whole.

1. Packets are read in the order in which they lie; each frame is turned upright, made small and encoded anew, and so is
   the sound beside it.
2. What cannot be decoded is passed over. Titles, places and all other tags stay behind.
3. At the end the index is moved to the front. That reads back what was written, so the target is one that can be read.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.caps import USUAL, Caps
from sparks.media.kinds import Kind
from sparks.media.video.clip import probe
from sparks.media.video.container import find_sound, open_video
from sparks.media.video.encoders import FilmEncoder, SoundEncoder
from sparks.media.video.position import Position

Progress = Callable[[float], None]


def transcode(
    source: BinaryIO, target: BinaryIO, kind: Kind, *, caps: Caps = USUAL, progress: Progress = lambda _: None
) -> None:
    """Writes an MP4 of at most 720p into `target`, from its start. `progress` hears numbers that grow up to 1.

    Damaged where nothing of the film can be decoded, or where it is more than the caps allow.
    """
    clip = probe(source, kind, caps=caps)
    seconds = clip.duration or caps.seconds
    again = Position(target)
    options = {"movflags": "faststart"}
    with (
        open_video(source, kind, caps=caps) as (container, film),
        av.open(Position(target), "w", format="mp4", options=options, io_open=lambda *_: again) as output,
    ):
        for at in _encode_all(container, film, output, size=(clip.width, clip.height), most_seconds=caps.seconds):
            progress(min(at / seconds, 1.0))
    progress(1.0)


def _encode_all(
    container: InputContainer, film: VideoStream, output: OutputContainer, *, size: tuple[int, int], most_seconds: float
) -> Iterator[float]:
    """Tells after each second of the film how far it has come."""
    sound = find_sound(container)
    films = FilmEncoder(output, film, size)
    sounds = SoundEncoder(output) if sound is not None else None
    told = 0.0
    for frame in _frames(container, film, sound):
        if isinstance(frame, VideoFrame):
            output.mux(films.encode(frame))
        elif sounds is not None:
            output.mux(sounds.encode(frame))
        at = frame.time if frame.pts is not None else None
        if at is not None and at >= told + 1:
            told = at
            yield told
        if told > most_seconds:  # longer than the container says
            break
    for rest in (films.finish(), sounds.finish() if sounds is not None else []):
        output.mux(rest)


def _frames(
    container: InputContainer, film: VideoStream, sound: AudioStream | None
) -> Iterator[VideoFrame | AudioFrame]:
    packets = container.demux(film) if sound is None else container.demux(film, sound)
    for packet in packets:
        try:
            yield from (frame for frame in packet.decode() if isinstance(frame, VideoFrame | AudioFrame))
        except FFmpegError:
            continue

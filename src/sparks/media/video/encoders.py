"""The two halves of an MP4 that any browser plays: a film in H.264, and its sound in AAC."""

from fractions import Fraction
from typing import Any, Final, TypeAlias

from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.container import OutputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.video.scaling import Scaling, fit_even

X264: Final = {"preset": "veryfast", "crf": "26", "threads": "1"}
MOST_FRAMES_A_SECOND: Final = 60
USUAL_RATE: Final = Fraction(30)
CLOCK: Final = Fraction(1, 90_000)
AUDIO_RATE: Final = 48_000
AUDIO_BITS: Final = 128_000

Packets: TypeAlias = "list[Packet[Any]]"


class FilmEncoder:
    """`size` is that of the upright film."""

    def __init__(self, output: OutputContainer, film: VideoStream, size: tuple[int, int]) -> None:
        small = fit_even(*size)
        self._scaling = Scaling(small, film.time_base or CLOCK)
        self._stream = output.add_stream("libx264", rate=film.average_rate or USUAL_RATE, options=X264)
        self._stream.width, self._stream.height = small
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = CLOCK
        self._next = float("-inf")

    def encode(self, frame: VideoFrame) -> Packets:
        """Nothing for a frame without a time, and for those beyond sixty a second."""
        if frame.pts is None or frame.time < self._next:
            return []
        self._next = frame.time + 0.9 / MOST_FRAMES_A_SECOND
        scaled = self._scaling.scale(frame)
        scaled.pict_type = 0  # which frames stand for themselves is for the encoder to say
        return self._stream.encode(scaled)

    def finish(self) -> Packets:
        return self._stream.encode(None)


class SoundEncoder:
    def __init__(self, output: OutputContainer) -> None:
        self._stream = output.add_stream("aac", rate=AUDIO_RATE, layout="stereo", bit_rate=AUDIO_BITS)
        self._stream.codec_context.open()
        self._resampler = AudioResampler("fltp", "stereo", AUDIO_RATE, self._stream.codec_context.frame_size)

    def encode(self, frame: AudioFrame | None) -> Packets:
        return [packet for part in self._resampler.resample(frame) for packet in self._stream.encode(part)]

    def finish(self) -> Packets:
        return [*self.encode(None), *self._stream.encode(None)]

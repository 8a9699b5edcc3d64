"""H.264 and AAC encoders, with frames scaled upright to an even size."""

from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.container import OutputContainer
from av.filter import Graph
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.decode.color import HLG, PQ, light_of, value_of
from sparks.media.video.frames import orientation_of

LONG_SIDE, SHORT_SIDE = 1280, 720

_TURNS: Final = {6: ("clock",), 8: ("cclock",), 3: ("clock", "clock")}
_BLACK, _WHITE, _STEP = 16, 235, 8  # range of a video's luma, and the distance of two knots of the curve
_SATURATION: Final = {PQ: 2.7, HLG: 1.7}  # fitted to photos that were converted to HDR and back
X264: Final = {"preset": "veryfast", "crf": "26", "threads": "1"}
MAX_FRAME_RATE: Final = 60
DEFAULT_RATE: Final = Fraction(30)
TIME_BASE: Final = Fraction(1, 90_000)
AUDIO_RATE: Final = 48_000
AUDIO_BITS: Final = 128_000
Packets: TypeAlias = "list[Packet[Any]]"


def fit_even(width: int, height: int) -> tuple[int, int]:
    """The size that fits into 720p, never enlarged. Sides are even, because chroma has half the resolution."""
    scale = min(1.0, LONG_SIDE / max(width, height), SHORT_SIDE / min(width, height))
    even_width, even_height = (max(2, round(side * scale / 2) * 2) for side in (width, height))
    return even_width, even_height


class FrameScaler:
    """Scales frames with a filter graph that is rebuilt when their size or format changes, as with some cameras."""

    def __init__(self, size: tuple[int, int], time_base: Fraction) -> None:
        self._size = size
        self._time_base = time_base
        self._form: tuple[object, ...] | None = None
        self._graph = Graph()

    def scale(self, frame: VideoFrame) -> VideoFrame:
        form = (frame.width, frame.height, frame.format.name, orientation_of(frame), frame.color_trc)
        if form != self._form:
            self._graph, self._form = self._set_up(frame), form
        self._graph.vpush(frame)
        return self._graph.vpull()

    def _set_up(self, frame: VideoFrame) -> Graph:
        graph = Graph()
        start = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=self._time_base)
        turns = [graph.add("transpose", turn) for turn in _TURNS.get(orientation_of(frame), ())]
        scale = graph.add("scale", f"w={self._size[0]}:h={self._size[1]}:flags=bicubic")
        form = graph.add("format", "yuv420p")
        light = [graph.add(name, options) for name, options in _tone_mapping(frame.color_trc)]
        end = graph.add("setsar", "1"), graph.add("buffersink")
        graph.link_nodes(start, *turns, scale, form, *light, *end).configure()
        return graph


def _tone_mapping(transfer: int) -> list[tuple[str, str]]:
    """Filters that compress HDR into the range of HDTV; without them such videos look gray.

    Luma follows the same curve as in pictures, and chroma is amplified. The result is within a few steps of the exact
    conversion, which takes twenty times as long.
    """
    if transfer not in _SATURATION:
        return []
    chroma = f"128+(val-128)*{_SATURATION[transfer]}"
    tags = "color_primaries=bt709:color_trc=bt709:colorspace=bt709"
    return [("lutyuv", f"y={_curve(transfer)}:u={chroma}:v={chroma}"), ("setparams", tags)]


def _curve(transfer: int) -> str:
    """The curve as an FFmpeg expression of straight segments; each term adds to the slope of those before it."""
    knots = np.arange(_BLACK, _WHITE + 1, _STEP)
    span = _WHITE - _BLACK
    heights = _BLACK + span * value_of(light_of((knots - _BLACK) / span, transfer))
    slopes = np.diff(heights) / _STEP
    slope_changes = np.diff(slopes, prepend=0.0)
    pieces = (f"{change:.6f}*max(val-{knot},0)" for knot, change in zip(knots, slope_changes, strict=False))
    return f"clip({_BLACK}+{'+'.join(pieces)},{_BLACK},{_WHITE})"


class VideoEncoder:
    """Encodes H.264; `size` is that of the upright video."""

    def __init__(self, output: OutputContainer, stream: VideoStream, size: tuple[int, int]) -> None:
        small = fit_even(*size)
        self._scaling = FrameScaler(small, stream.time_base or TIME_BASE)
        self._stream = output.add_stream("libx264", rate=stream.average_rate or DEFAULT_RATE, options=X264)
        self._stream.width, self._stream.height = small
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = TIME_BASE
        self._next = float("-inf")

    def encode(self, frame: VideoFrame) -> Packets:
        """Packets of a frame; none for a frame without a time, or beyond the maximal frame rate."""
        if frame.pts is None or frame.time < self._next:
            return []
        self._next = frame.time + 0.9 / MAX_FRAME_RATE
        scaled = self._scaling.scale(frame)
        scaled.pict_type = 0  # the encoder chooses the keyframes
        return self._stream.encode(scaled)

    def finish(self) -> Packets:
        return self._stream.encode(None)


class AudioEncoder:
    def __init__(self, output: OutputContainer) -> None:
        self._stream = output.add_stream("aac", rate=AUDIO_RATE, layout="stereo", bit_rate=AUDIO_BITS)
        self._stream.codec_context.open()
        self._resampler = AudioResampler("fltp", "stereo", AUDIO_RATE, self._stream.codec_context.frame_size)

    def encode(self, frame: AudioFrame | None) -> Packets:
        return [packet for part in self._resampler.resample(frame) for packet in self._stream.encode(part)]

    def finish(self) -> Packets:
        return [*self.encode(None), *self._stream.encode(None)]

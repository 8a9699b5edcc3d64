"""Frames of any size, shape and colour in; upright frames of one size out, as H.264 wants them."""

from fractions import Fraction
from typing import Final

import numpy as np
from av.filter import Graph
from av.video.frame import VideoFrame

from sparks.media.pictures.light import HLG, PQ, light_of, value_of
from sparks.media.video.frames import orientation_of

LONG_SIDE, SHORT_SIDE = 1280, 720

_TURNS: Final = {6: ("clock",), 8: ("cclock",), 3: ("clock", "clock")}
_BLACK, _WHITE, _STEP = 16, 235, 8  # of a film's brightness
_MORE_COLOUR: Final = {PQ: 2.7, HLG: 1.7}  # fitted to photos that were made bright and back


def fit_even(width: int, height: int) -> tuple[int, int]:
    """The size that fits into 720p, never larger than it was; even sides, for colour has half the pixels."""
    scale = min(1.0, LONG_SIDE / max(width, height), SHORT_SIDE / min(width, height))
    even_width, even_height = (max(2, round(side * scale / 2) * 2) for side in (width, height))
    return even_width, even_height


class Scaling:
    """Set up anew whenever the frames change their form, as those of some cameras do."""

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
        light = [graph.add(name, options) for name, options in _less_light(frame.color_trc)]
        end = graph.add("setsar", "1"), graph.add("buffersink")
        graph.link_nodes(start, *turns, scale, form, *light, *end).configure()
        return graph


def _less_light(transfer: int) -> list[tuple[str, str]]:
    """Presses more light than HDTV has into it; without that, such films look grey.

    Brightness follows the same curve as in pictures, and colours grow with it: that is within a few steps of the whole
    conversion, which would take twenty times as long.
    """
    if transfer not in _MORE_COLOUR:
        return []
    colour = f"128+(val-128)*{_MORE_COLOUR[transfer]}"
    told = "color_primaries=bt709:color_trc=bt709:colorspace=bt709"
    return [("lutyuv", f"y={_curve(transfer)}:u={colour}:v={colour}"), ("setparams", told)]


def _curve(transfer: int) -> str:
    """Straight pieces, as an expression: each adds to the slope of those before it."""
    knots = np.arange(_BLACK, _WHITE + 1, _STEP)
    span = _WHITE - _BLACK
    heights = _BLACK + span * value_of(light_of((knots - _BLACK) / span, transfer))
    slopes = np.diff(heights) / _STEP
    bends = np.diff(slopes, prepend=0.0)
    pieces = (f"{bend:.6f}*max(val-{knot},0)" for knot, bend in zip(knots, bends, strict=False))
    return f"clip({_BLACK}+{'+'.join(pieces)},{_BLACK},{_WHITE})"

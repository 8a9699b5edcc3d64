"""The picture that stands for a video: a frame a little way in, and not a black one."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import BinaryIO, Final

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.caps import USUAL, Caps
from sparks.media.kinds import Kind
from sparks.media.reasons import nothing_in
from sparks.media.renditions import Rendered, make_renditions
from sparks.media.sizes import SIZES
from sparks.media.video.container import open_video, seconds_of
from sparks.media.video.frames import frames_of, picture_of

FIRST_LOOK: Final = 1.0  # seconds in, where the film is that long
LOOKS: Final = (0.25, 0.5, 0.75)  # of its length, where the first looks found nothing
MOST_FRAMES: Final = 60  # decoded from the start
DARKEST: Final = 20.0  # mean brightness of 255
PLAINEST: Final = 8.0  # how much brightness varies
GLANCE: Final = 64  # pixels of a side


def render_poster(file: BinaryIO, kind: Kind, *, sizes: Mapping[str, int] = SIZES, caps: Caps = USUAL) -> Rendered:
    with open_video(file, kind, caps=caps) as (container, film):
        frame = _best(container, film)
        if frame is None:
            raise nothing_in(kind)
        return make_renditions(picture_of(frame, film), kind, sizes=sizes)


def _best(container: InputContainer, film: VideoStream) -> VideoFrame | None:
    """The first that shows something; else the liveliest of those looked at."""
    best, most = None, -1.0
    for frame in _looks(container, film):
        brightness, variety = _glance(frame)
        if brightness >= DARKEST and variety >= PLAINEST:
            return frame
        if variety > most:
            best, most = frame, variety
    return best


def _looks(container: InputContainer, film: VideoStream) -> Iterator[VideoFrame]:
    """The frames from a little way in, for a while; then those at which a player could jump in further on."""
    seconds = seconds_of(container, film) or 0.0
    first = None
    for frame in islice(frames_of(container, film), MOST_FRAMES):
        first = first or frame
        if frame.pts is not None and frame.time >= min(FIRST_LOOK, seconds / 10):
            yield frame
    if first is not None:
        yield first
    for part in LOOKS:
        if _jump(container, seconds * part):
            yield from islice(frames_of(container, film), 1)


def _jump(container: InputContainer, seconds: float) -> bool:
    """To the first frame from there on that needs none before it; False where there is none."""
    try:
        container.seek(int(seconds * av.time_base), backward=False)
    except FFmpegError:
        return False
    return True


def _glance(frame: VideoFrame) -> tuple[float, float]:
    """How bright a frame is, and how much that varies within it."""
    grey = np.asarray(frame.reformat(width=GLANCE, height=GLANCE, format="gray").to_ndarray())
    return float(grey.mean()), float(grey.std())

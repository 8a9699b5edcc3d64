"""Poster of a video: an early frame that is not black."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import BinaryIO, Final

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.decode_errors import no_frames
from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.rendition_sizes import SIZES
from sparks.media.renditions import RenderedPicture, make_renditions
from sparks.media.video.container import open_video, seconds_of
from sparks.media.video.frames import frames_of, picture_of

FIRST_SECONDS: Final = 1.0  # start of the search; a tenth of a shorter video
FALLBACK_POSITIONS: Final = (0.25, 0.5, 0.75)  # shares of the duration, tried where no early frame is good
MAX_FRAMES: Final = 60  # decoded from the start
MIN_BRIGHTNESS: Final = 20.0  # mean, of 255
MIN_VARIATION: Final = 8.0  # standard deviation of brightness
SAMPLE_SIDE: Final = 64  # pixels of the sample of a frame


def render_poster(
    file: BinaryIO, kind: FileType, *, sizes: Mapping[str, int] = SIZES, limits: DecodeLimits = DEFAULT_LIMITS
) -> RenderedPicture:
    with open_video(file, kind, limits=limits) as (container, video_stream):
        frame = _best_frame(container, video_stream)
        if frame is None:
            raise no_frames(kind)
        return make_renditions(picture_of(frame, video_stream), kind, sizes=sizes)


def _best_frame(container: InputContainer, stream: VideoStream) -> VideoFrame | None:
    """The first frame that is neither dark nor plain; else the candidate with the most variation."""
    best_frame, best_variation = None, -1.0
    for frame in _candidates(container, stream):
        brightness, variation = _brightness_of(frame)
        if brightness >= MIN_BRIGHTNESS and variation >= MIN_VARIATION:
            return frame
        if variation > best_variation:
            best_frame, best_variation = frame, variation
    return best_frame


def _candidates(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Frames near the start, then the very first frame, then keyframes further on."""
    seconds = seconds_of(container, stream) or 0.0
    first = None
    for frame in islice(frames_of(container, stream), MAX_FRAMES):
        first = first or frame
        if frame.pts is not None and frame.time >= min(FIRST_SECONDS, seconds / 10):
            yield frame
    if first is not None:
        yield first
    for part in FALLBACK_POSITIONS:
        if _seek_forward(container, seconds * part):
            yield from islice(frames_of(container, stream), 1)


def _seek_forward(container: InputContainer, seconds: float) -> bool:
    """Seeks to the first keyframe from there on; False where there is none."""
    try:
        container.seek(int(seconds * av.time_base), backward=False)
    except FFmpegError:
        return False
    return True


def _brightness_of(frame: VideoFrame) -> tuple[float, float]:
    """Mean and standard deviation of the frame's brightness."""
    grey = np.asarray(frame.reformat(width=SAMPLE_SIDE, height=SAMPLE_SIDE, format="gray").to_ndarray())
    return float(grey.mean()), float(grey.std())

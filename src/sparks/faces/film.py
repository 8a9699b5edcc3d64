"""Films: frames from all over one, as pictures in which faces can be found."""

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from sparks.media.caps import Caps
from sparks.media.kinds import Kind
from sparks.media.pictures.colour import to_srgb
from sparks.media.pictures.picture import turn_upright
from sparks.media.renditions import shrink
from sparks.media.video.container import open_video, seconds_of
from sparks.media.video.frames import frames_of, picture_of

EVERY: Final = 2.0  # seconds
MOST_FRAMES: Final = 16
MOST_DECODED: Final = 250  # on the way from where a player could jump in to the frame that is wanted
UNTOLD: Final = 25  # frames between two looks, where nothing tells how long the film is
SIDE: Final = 1280

Pixels = NDArray[np.uint8]


def frames_over(file: BinaryIO, kind: Kind, *, caps: Caps) -> Iterator[Pixels]:
    """Upright, blue before green before red, spread evenly over the film; at most sixteen. Damaged as `open_video`."""
    with open_video(file, kind, caps=caps) as (container, film):
        for frame in _spread(container, film):
            yield _pixels(frame, film)


def _spread(container: InputContainer, film: VideoStream) -> Iterator[VideoFrame]:
    seconds = seconds_of(container, film)
    if seconds is None:
        yield from islice(frames_of(container, film), 0, UNTOLD * MOST_FRAMES, UNTOLD)
        return
    count = min(max(int(seconds / EVERY), 1), MOST_FRAMES)
    last = -1
    for number in range(count):
        frame = _frame_at(container, film, seconds * (number + 0.5) / count)
        if frame is not None and frame.pts is not None and frame.pts > last:
            last = frame.pts
            yield frame


def _frame_at(container: InputContainer, film: VideoStream, seconds: float) -> VideoFrame | None:
    """The first from there on, or the last that there is within reach."""
    try:
        container.seek(int(seconds * av.time_base))
    except FFmpegError:
        return None
    found = None
    for frame in islice(frames_of(container, film), MOST_DECODED):
        found = frame
        if frame.pts is not None and frame.time >= seconds:
            break
    return found


def _pixels(frame: VideoFrame, film: VideoStream) -> Pixels:
    picture = picture_of(frame, film)
    small = to_srgb(shrink(picture.frames[0], SIDE), profile=picture.profile, nclx=picture.nclx)
    upright = turn_upright(small, picture.orientation)
    flat = np.frombuffer(bytes(upright.write_to_memory()), np.uint8)
    return np.ascontiguousarray(flat.reshape(upright.height, upright.width, upright.bands)[:, :, 2::-1])

"""Frames sampled over a video, and the best face of each person in them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO, Final, Protocol

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from sparks.faces.port import Thresholds
from sparks.media.decode.color import to_srgb
from sparks.media.decode.picture import turn_upright
from sparks.media.decode_limits import DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.renditions import shrink
from sparks.media.video.container import open_video, seconds_of
from sparks.media.video.frames import frames_of, picture_of

INTERVAL: Final = 2.0  # seconds
MAX_FRAMES: Final = 16
MAX_DECODED: Final = 250  # frames decoded from a keyframe to the target
FRAME_STEP: Final = 25  # distance of two samples where the duration is unknown
MAX_SIDE: Final = 1280

Pixels = NDArray[np.uint8]


def frames_over(file: BinaryIO, kind: FileType, *, limits: DecodeLimits) -> Iterator[Pixels]:
    """At most MAX_FRAMES frames spread evenly over the video, upright and in BGR order. Damaged as `open_video`."""
    with open_video(file, kind, limits=limits) as (container, stream):
        for frame in _spread(container, stream):
            yield _pixels(frame, stream)


def _spread(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    seconds = seconds_of(container, stream)
    if seconds is None:
        yield from islice(frames_of(container, stream), 0, FRAME_STEP * MAX_FRAMES, FRAME_STEP)
        return
    count = min(max(int(seconds / INTERVAL), 1), MAX_FRAMES)
    last = -1
    for number in range(count):
        frame = _frame_at(container, stream, seconds * (number + 0.5) / count)
        if frame is not None and frame.pts is not None and frame.pts > last:
            last = frame.pts
            yield frame


def _frame_at(container: InputContainer, stream: VideoStream, seconds: float) -> VideoFrame | None:
    """The first frame at or after this time, or the last one that was decoded."""
    try:
        container.seek(int(seconds * av.time_base))
    except FFmpegError:
        return None
    found = None
    for frame in islice(frames_of(container, stream), MAX_DECODED):
        found = frame
        if frame.pts is not None and frame.time >= seconds:
            break
    return found


def _pixels(frame: VideoFrame, stream: VideoStream) -> Pixels:
    picture = picture_of(frame, stream)
    small = to_srgb(shrink(picture.frames[0], MAX_SIDE), profile=picture.profile, nclx=picture.nclx)
    upright = turn_upright(small, picture.orientation)
    flat = np.frombuffer(bytes(upright.write_to_memory()), np.uint8)
    return np.ascontiguousarray(flat.reshape(upright.height, upright.width, upright.bands)[:, :, 2::-1])


class ScoredFace(Protocol):
    @property
    def quality(self) -> float: ...
    @property
    def embedding(self) -> bytes: ...


@dataclass(slots=True)
class FaceTrack:
    """Faces of one person in a video; `best` is the index of the best one."""

    best: int
    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    frames: set[int] = field(default_factory=set)

    def similarity(self, vector: NDArray[np.float32], frame: int) -> float:
        """The similarity to the nearest face of the track; -1 in a frame where the track already has a face."""
        return -1.0 if frame in self.frames else max(float(vector @ other) for other in self.vectors)

    def add(self, vector: NDArray[np.float32], frame: int) -> None:
        self.vectors.append(vector)
        self.frames.add(frame)


def best_of_each(frames: Sequence[int], faces: Sequence[ScoredFace], thresholds: Thresholds) -> list[int]:
    """The indexes of the best face of each person, the best first. `frames` gives the frame of each face.

    A face whose quality is too low to start a person starts no track, because videos have many such faces.
    """
    tracks: list[FaceTrack] = []
    for index in sorted(range(len(faces)), key=lambda index: -faces[index].quality):
        vector = np.frombuffer(faces[index].embedding, "<f2").astype(np.float32)
        track = _track_of(vector, frames[index], tracks, thresholds.candidate)
        if track is None and faces[index].quality >= thresholds.founding:
            tracks.append(track := FaceTrack(index))
        if track is not None:
            track.add(vector, frames[index])
    return [track.best for track in tracks]


def _track_of(
    vector: NDArray[np.float32], frame: int, tracks: Sequence[FaceTrack], min_similarity: float
) -> FaceTrack | None:
    nearest = max(tracks, key=lambda track: track.similarity(vector, frame), default=None)
    return nearest if nearest is not None and nearest.similarity(vector, frame) >= min_similarity else None

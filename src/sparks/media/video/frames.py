"""Frames of a video as pictures, with orientation and square pixels."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.decode.picture import Picture, upright_size
from sparks.media.decode.vips import Image

MAX_PACKETS: Final = 2000  # read in search of a frame
UNSPECIFIED: Final = 2
HD_HEIGHT: Final = 720  # lines; undeclared colors of videos from this height on are those of HDTV

_ORIENTATIONS: Final = {
    -90: 6,
    270: 6,
    90: 8,
    -270: 8,
    180: 3,
    -180: 3,
}  # degrees counterclockwise to EXIF's orientation


def frames_of(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Frames from the container's position on; broken packets are skipped."""
    for number, packet in enumerate(container.demux(stream)):
        if number == MAX_PACKETS:
            return
        try:
            yield from packet.decode()
        except FFmpegError:
            continue


def orientation_of(frame: VideoFrame) -> int:
    return _ORIENTATIONS.get(frame.rotation, 1)


def shown_size(frame: VideoFrame, stream: VideoStream) -> tuple[int, int]:
    """The size of the frame, upright and in square pixels."""
    shape = stream.sample_aspect_ratio or Fraction(1)
    width = round(frame.width * shape) if Fraction(1, 4) <= shape <= 4 else frame.width
    return upright_size(max(1, width), frame.height, orientation_of(frame))


def picture_of(frame: VideoFrame, stream: VideoStream) -> Picture:
    width, height = shown_size(frame, stream)
    stored = upright_size(width, height, orientation_of(frame))
    plain = frame.reformat(width=stored[0], height=stored[1], format="rgb24", src_colorspace=_matrix(frame))
    return Picture(
        frames=(Image.new_from_array(plain.to_ndarray(), interpretation="srgb"),),
        width=width,
        height=height,
        orientation=orientation_of(frame),
        nclx=(int(frame.color_primaries), int(frame.color_trc)),
    )


def _matrix(frame: VideoFrame) -> str | None:
    """The color matrix to assume where the video does not declare one."""
    if frame.colorspace != UNSPECIFIED:
        return None
    return "ITU709" if frame.height >= HD_HEIGHT else "ITU601"

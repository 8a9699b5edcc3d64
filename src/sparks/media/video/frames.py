"""Single frames of a video, as pictures."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from sparks.media.pictures.picture import Picture, upright_size
from sparks.media.pictures.vips import Image

MOST_PACKETS: Final = 2000  # to look through for a frame
UNSPECIFIED: Final = 2
HIGH_DEFINITION: Final = 720  # lines, from which on untold colours are those of HDTV

_ORIENTATIONS: Final = {-90: 6, 270: 6, 90: 8, -270: 8, 180: 3, -180: 3}  # degrees to the left, in EXIF's numbers


def frames_of(container: InputContainer, film: VideoStream) -> Iterator[VideoFrame]:
    """Those that can be decoded, from where the container stands; broken packets are passed over."""
    for number, packet in enumerate(container.demux(film)):
        if number == MOST_PACKETS:
            return
        try:
            yield from packet.decode()
        except FFmpegError:
            continue


def orientation_of(frame: VideoFrame) -> int:
    return _ORIENTATIONS.get(frame.rotation, 1)


def shown_size(frame: VideoFrame, film: VideoStream) -> tuple[int, int]:
    """Upright, and with square pixels."""
    shape = film.sample_aspect_ratio or Fraction(1)
    width = round(frame.width * shape) if Fraction(1, 4) <= shape <= 4 else frame.width
    return upright_size(max(1, width), frame.height, orientation_of(frame))


def picture_of(frame: VideoFrame, film: VideoStream) -> Picture:
    width, height = shown_size(frame, film)
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
    """How brightness and colour were mixed, where the film does not tell."""
    if frame.colorspace != UNSPECIFIED:
        return None
    return "ITU709" if frame.height >= HIGH_DEFINITION else "ITU601"

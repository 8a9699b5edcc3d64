"""Short generated videos."""

import io
from fractions import Fraction
from functools import cache
from typing import Any, Final

import av
import numpy as np
from numpy.typing import NDArray

from tests.media.container_builders import gradient

Picture = NDArray[np.uint8]
RED = (255, 0, 0)


def scene(width: int, height: int, *, number: int = 0) -> Picture:
    """A gradient with a red square in its top left, and a little different each time."""
    picture = gradient(width, height)
    picture[:, :, 2] = number * 5 % 256
    picture[: height // 4, : width // 4] = RED
    return picture


def make_clip(
    form: str,
    codec: str,
    *,
    size: tuple[int, int] = (160, 120),
    frames: int = 10,
    rate: int = 25,
    black: int = 0,
    pixels: str = "yuv420p",
    rotation: int | None = None,
    sound: str | None = None,
    shape: Fraction | None = None,
    light: int | None = None,
    tags: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
) -> bytes:
    """The first `black` frames are black. `rotation` counts degrees to the left, `light` is a transfer's number."""
    file = io.BytesIO()
    container_options = {"movflags": "use_metadata_tags"} if tags and form in ("mp4", "mov") else {}
    with av.open(file, "w", format=form, options=container_options) as container:
        container.metadata.update(tags or {})
        stream: Any = container.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        if shape is not None:
            stream.codec_context.sample_aspect_ratio = shape
        if light is not None:
            context = stream.codec_context
            context.color_trc, context.color_primaries, context.colorspace = light, 9, 9
        if rotation is not None:
            stream.set_display_rotation(rotation)
        voice: Any = container.add_stream(sound, rate=48_000, layout="stereo") if sound is not None else None
        for number in range(frames):
            picture = np.zeros((size[1], size[0], 3), np.uint8) if number < black else scene(*size, number=number)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=pixels)
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if voice is not None:
            _hum(container, voice, seconds=frames / rate)
    return file.getvalue()


def _hum(container: Any, voice: Any, *, seconds: float) -> None:
    wave = (np.sin(np.arange(int(48_000 * seconds)) / 10) * 8000).astype(np.int16).repeat(2)
    frame = av.AudioFrame.from_ndarray(wave[np.newaxis, :], format="s16", layout="stereo")
    frame.rate, frame.pts = 48_000, 0
    resampler = av.AudioResampler(
        voice.codec_context.format.name, "stereo", 48_000, voice.codec_context.frame_size or None
    )
    for part in (*resampler.resample(frame), *resampler.resample(None)):
        container.mux(voice.encode(part))
    container.mux(voice.encode(None))


QUIET: Final = {"x265-params": "log-level=none:pools=none"}
KNOWN: Final[dict[str, dict[str, Any]]] = {
    "h264.mp4": {"form": "mp4", "codec": "libx264", "sound": "aac"},
    "h264.mov": {"form": "mov", "codec": "libx264"},
    "vp8.webm": {"form": "webm", "codec": "libvpx", "sound": "libopus"},
    "hevc.mov": {"form": "mov", "codec": "libx265", "options": QUIET},
    "ten_bits.mp4": {"form": "mp4", "codec": "libx264", "pixels": "yuv420p10le"},
    "mpeg4.mp4": {"form": "mp4", "codec": "mpeg4"},
    "ac3.mkv": {"form": "matroska", "codec": "libx264", "sound": "ac3"},
    "mjpeg.avi": {"form": "avi", "codec": "mjpeg", "pixels": "yuvj420p", "sound": "pcm_s16le"},
    "h263.3gp": {"form": "3gp", "codec": "h263", "size": (176, 144)},
}
PLAYED: Final = ("h264.mp4", "h264.mov", "vp8.webm")


@cache
def clip_named(name: str) -> bytes:
    return make_clip(**KNOWN[name])

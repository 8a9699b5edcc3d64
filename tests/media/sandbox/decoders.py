"""The decoders of Sparks as tasks: each decodes the one file of its request and returns the size of the picture."""

import importlib
import io
import os
import pkgutil

import av
import numpy as np
import PIL.Image
import pillow_heif
import pyvips
import rawpy

from tests.media.sandbox.tasks import context


def preload() -> None:
    """Imports modules that libraries import only at first use, which a locked-down child cannot do."""
    for module in pkgutil.walk_packages(av.__path__, "av."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    PIL.Image.init()
    pyvips.cache_set_max(0)


def read_all() -> bytes:
    file = context.files[0]
    return os.pread(file, os.fstat(file).st_size, 0)


def decode_with_vips() -> list[int]:
    picture = pyvips.Image.new_from_buffer(read_all(), "", access="sequential").copy_memory()
    return [picture.width, picture.height]


def decode_with_pillow() -> list[int]:
    with PIL.Image.open(io.BytesIO(read_all())) as picture:
        picture.load()
        return list(picture.size)


def decode_with_heif() -> list[int]:
    pixels = np.asarray(pillow_heif.open_heif(io.BytesIO(read_all()))[0])
    return [pixels.shape[1], pixels.shape[0]]


def decode_with_libraw() -> list[int]:
    with rawpy.imread(io.BytesIO(read_all())) as raw:
        height, width, _ = raw.postprocess().shape
    return [width, height]


def encode_webp() -> None:
    picture = pyvips.Image.new_from_buffer(read_all(), "")
    context.blobs = [picture.thumbnail_image(side).webpsave_buffer(Q=80, effort=2, keep="none") for side in (720, 256)]


def take_poster() -> list[int]:
    with os.fdopen(context.files[0], "rb", closefd=False) as file, av.open(file, "r") as video:
        frame = next(video.decode(video=0))
        pixels = frame.to_ndarray(format="rgb24")
    return [pixels.shape[1], pixels.shape[0]]


def transcode(frames: int) -> None:
    """The first frames, as H.264."""
    output = io.BytesIO()
    with (
        os.fdopen(context.files[0], "rb", closefd=False) as file,
        av.open(file, "r") as video,
        av.open(output, "w", format="mp4") as copy,
    ):
        stream = copy.add_stream("libx264", rate=25, width=320, height=180, pix_fmt="yuv420p")
        for _, frame in zip(range(frames), video.decode(video=0), strict=False):
            copy.mux(stream.encode(frame.reformat(320, 180, "yuv420p")))
        copy.mux(stream.encode())
    context.blobs = [output.getvalue()]

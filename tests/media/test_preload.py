"""A process that has preloaded the decoders may fork, and its children import nothing more."""

import subprocess
import sys
from typing import Final

from tests.media.samples import FOLDER, ROOT, sample

PROGRAM: Final = """
import builtins, io, os, sys
from pathlib import Path
from sparks.media.preload import preload
from sparks.media.sniff import sniff

files = [Path(name).read_bytes() for name in sys.argv[1:]]
preload()
from sparks.media.metadata.read_metadata import read_metadata
from sparks.media.renditions import render
from sparks.media.video.poster import render_poster
from sparks.media.video.transcode import transcode

before = set(sys.modules)
child = os.fork()
if child == 0:
    for content in files:
        kind = sniff(content)
        if kind.asset_type == "VIDEO":
            render_poster(io.BytesIO(content), kind, sizes={"t": 64})
            transcode(io.BytesIO(content), io.BytesIO(), kind)
        else:
            read_metadata(content, kind)
            render(content, kind, sizes={"t": 64})
    os.write(1, repr(sorted(set(sys.modules) - before)).encode())
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""
NAMES: Final = (
    "metadata/prairie_falcon.jpg",
    "metadata/thompson-springs.jpg",
    "odd/pil_sample_cmyk.jpg",
    "odd/16-bit-grey-alpha.png",
    "odd/animated-loop-3.gif",
    "odd/truncated.heic",
    "formats/8bit-sRGB.avif",
    "formats/denali.webp",
    "video/bikes.mp4",
)


def test_a_child_forked_after_the_preload_decodes_without_importing_anything() -> None:
    for name in NAMES:
        sample(name)
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *(str(FOLDER / name) for name in NAMES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout) == (0, "[]"), ended.stderr

"""Three renditions, thumbhash and metadata of 12-megapixel photos, against sharp making the same three files.

Ours are made as a worker makes them, in a sandboxed child; its CPU counts, and so does that of its parent and our own.
"""

import base64
import io
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

from benchmarks.frame import Figure, run
from sparks.media import file_types
from sparks.media.rendition_sizes import SIZES
from sparks.media.renditions import EFFORT, render
from sparks.media.sandboxed_renderer import SandboxedRenderer
from tests.media.samples import FOLDER, ROOT

PASSES: Final = 7
SHARP_EFFORT: Final = 4  # its default
PHOTOS: Final = sorted((FOLDER / "camera").glob("*.jpg"))
MODULES: Final = ROOT / "tests/servers/node_modules"

Grey = NDArray[np.float64]


def measure() -> list[Figure]:
    contents = [path.read_bytes() for path in PHOTOS]
    with sharp(PHOTOS) as ask, SandboxedRenderer() as renderer:
        renderer.start()
        same, default, shared = f"pipelines {EFFORT}", f"pipelines {SHARP_EFFORT}", f"shared {EFFORT}"
        ours, peers = [], []
        for number in range(PASSES + 1):  # the first warms both up
            times = (
                tree_cpu_seconds(partial(make_all, renderer)),
                {each: ask(each)["seconds"] for each in (same, default, shared)},
            )
            if number:
                ours.append(times[0])
                peers.append(times[1])
        files = [[base64.b64decode(file) for file in made] for made in ask(f"files {EFFORT}")["files"]]

    def ratio(peer: str) -> float:
        return float(median(own / other[peer] for own, other in zip(ours, peers, strict=True)))

    return [
        Figure("cpu_vs_sharp_same_effort", ratio(same), "CPU / sharp's, three pipelines, the same effort", "<= 0.75"),
        Figure("cpu_vs_sharp_default", ratio(default), "CPU / sharp's at its default effort", "<= 0.52"),
        Figure("cpu_vs_sharp_shared_decode", ratio(shared), "CPU / sharp's with one shared decode, the same effort"),
        Figure("cpu_ms", median(ours) / len(PHOTOS) * 1000, "CPU of a photo, milliseconds"),
        *compare_files(contents, files),
    ]


def make_all(renderer: SandboxedRenderer) -> None:
    for path in PHOTOS:
        with path.open("rb") as file:
            renderer.render(file.fileno(), file_types.JPEG, renderer.sizes)


def tree_cpu_seconds(work: Callable[[], object]) -> float:
    """Of this process and all that came of it; sharp's does nothing meanwhile."""
    before = tree_cpu(os.getpid())
    work()
    return tree_cpu(os.getpid()) - before


def tree_cpu(pid: int) -> float:
    """Those that have ended count with who waited for them."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    used = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    children = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return used + sum(tree_cpu(int(child)) for each in children for child in each)


@contextmanager
def sharp(photos: Sequence[Path]) -> Iterator[Any]:
    """A function that asks sharp, which lives in a Node process of its own."""
    paths = os.pathsep.join([str(MODULES), os.environ.get("NODE_PATH", "")])
    with subprocess.Popen(
        ["node", str(Path(__file__).with_name("sharp.cjs")), *map(str, photos)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "NODE_PATH": paths},
    ) as node:
        assert node.stdin is not None
        assert node.stdout is not None

        def ask(words: str) -> Any:
            print(words, file=node.stdin, flush=True)
            return json.loads(node.stdout.readline())  # type: ignore[union-attr]

        yield ask
        node.stdin.close()


# -- Quality: how alike each rendition is to the original, made as small by another program


def compare_files(contents: Sequence[bytes], files: Sequence[Sequence[bytes]]) -> list[Figure]:
    ours = [list(render(content, file_types.JPEG).renditions.values()) for content in contents]
    likeness: dict[str, tuple[float, float]] = {}
    for at, size in enumerate(SIZES):
        pairs = [
            (alike(own[at], original, at_size_of=peer[at]), alike(peer[at], original, at_size_of=peer[at]))
            for own, peer, original in zip(ours, files, map(flat, contents), strict=True)
        ]
        likeness[size] = mean(own for own, _ in pairs), mean(peer for _, peer in pairs)
    own_bytes, peer_bytes = (sum(len(file) for made in each for file in made) for each in (ours, files))
    return [
        Figure(
            "quality_vs_sharp",
            min(own / peer for own, peer in likeness.values()),
            "SSIM to the original / sharp's, of the size that does worst",
            ">= 0.99",
        ),
        *(
            Figure(f"ssim_{size}", own, f"SSIM of {size}; sharp's is {peer:.4f}")
            for size, (own, peer) in likeness.items()
        ),
        Figure("bytes_vs_sharp", own_bytes / peer_bytes, "bytes of the three files / sharp's"),
    ]


def flat(content: bytes) -> Image.Image:
    """The original in sRGB."""
    image = Image.open(io.BytesIO(content))
    if profile := image.info.get("icc_profile"):
        converted = ImageCms.profileToProfile(
            image, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB")
        )
        assert converted is not None
        return converted.convert("RGB")
    return image.convert("RGB")


def alike(file: bytes, original: Image.Image, *, at_size_of: bytes) -> float:
    """Both at the size of sharp's file: where ours is 2016 pixels wide instead of 2048, that counts against it."""
    size = Image.open(io.BytesIO(at_size_of)).size
    made = Image.open(io.BytesIO(file)).convert("RGB")
    if made.size != size:
        made = made.resize(size, Image.Resampling.LANCZOS)
    return ssim(grey(made), grey(original.resize(size, Image.Resampling.LANCZOS)))


def grey(image: Image.Image) -> Grey:
    return np.asarray(image.convert("L"), dtype=np.float64)


def ssim(one: Grey, other: Grey) -> float:
    """Wang and others, 2004, with its Gaussian window of 11 pixels."""
    ours, theirs = blur(one), blur(other)
    variances = blur(one * one) - ours**2 + blur(other * other) - theirs**2
    covariance = blur(one * other) - ours * theirs
    light, contrast = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    alikeness = (2 * ours * theirs + light) * (2 * covariance + contrast)
    return float((alikeness / ((ours**2 + theirs**2 + light) * (variances + contrast))).mean())


def blur(image: Grey) -> Grey:
    window = np.exp(-(np.arange(-5, 6) ** 2) / (2 * 1.5**2))
    window /= window.sum()
    wide = sum(weight * image[:, at : image.shape[1] - 10 + at] for at, weight in enumerate(window))
    assert isinstance(wide, np.ndarray)
    return np.asarray(sum(weight * wide[at : wide.shape[0] - 10 + at] for at, weight in enumerate(window)))


if __name__ == "__main__":
    run("renditions", measure)

"""The weights of the two networks, which the build puts beside us: whether they are there, and are the right ones."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparks.model.errors import Unavailable

FOLDER: Final = Path(__file__).parents[1] / "weights"
DETECTOR: Final = "face_detection_yunet_2023mar.onnx"
RECOGNISER: Final = "face_recognition_sface_2021dec.onnx"
ADVICE: Final = "install Sparks again while packages can be fetched, and faces will be found"


@dataclass(frozen=True, slots=True)
class Weights:
    detector: bytes
    recogniser: bytes


def missing_weights(folder: Path = FOLDER) -> str:
    """What is wrong with them, and what to do; nothing where both are there and right."""
    try:
        read_weights(folder)
    except Unavailable as error:
        return str(error)
    return ""


def read_weights(folder: Path = FOLDER) -> Weights:
    """Unavailable where a file is not there, or is another than the one that was measured."""
    digests = _digests()
    return Weights(*(_read(folder / name, digests[name]) for name in (DETECTOR, RECOGNISER)))


def _digests() -> dict[str, str]:
    lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def _read(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the weights {path.name} of the face engine are not there: {ADVICE}") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise Unavailable(f"the weights {path.name} of the face engine are not what they should be: {ADVICE}")
    return content

"""Weight files of the face models, read after a check of their hashes."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparks.model.errors import Unavailable

FOLDER: Final = Path(__file__).parents[1] / "weights"
DETECTOR: Final = "face_detection_yunet_2023mar.onnx"
RECOGNIZER: Final = "face_recognition_sface_2021dec.onnx"
ADVICE: Final = "install Sparks again while the package index can be reached"


@dataclass(frozen=True, slots=True)
class Weights:
    detector: bytes
    recognizer: bytes


def missing_weights(folder: Path = FOLDER) -> str:
    """The reason why the weights cannot be used, and what to do; empty where both files are right."""
    try:
        read_weights(folder)
    except Unavailable as error:
        return str(error)
    return ""


def read_weights(folder: Path = FOLDER) -> Weights:
    """Unavailable where a file is missing, or has another hash."""
    digests = _digests()
    return Weights(*(_read(folder / name, digests[name]) for name in (DETECTOR, RECOGNIZER)))


def _digests() -> dict[str, str]:
    lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def _read(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the weights {path.name} of the face engine are missing: {ADVICE}") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise Unavailable(f"the weights {path.name} of the face engine are damaged: {ADVICE}")
    return content

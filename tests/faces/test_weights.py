"""Missing or altered weights are reported, with what to do."""

import shutil
from pathlib import Path

import pytest

from sparks.faces.opencv.weights import DETECTOR, FOLDER, RECOGNIZER, missing_weights, read_weights
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.model.errors import Unavailable


def test_an_empty_folder_lacks_the_weights_and_the_reason_says_what_to_do(tmp_path: Path) -> None:
    assert f"{DETECTOR} of the face engine are missing: install Sparks again" in missing_weights(tmp_path)
    with pytest.raises(Unavailable, match="are missing"):
        read_weights(tmp_path)


def test_a_weight_file_with_another_hash_is_not_used(opencv_engine: OpenCvEngine, tmp_path: Path) -> None:
    for name in (DETECTOR, RECOGNIZER):
        shutil.copy(FOLDER / name, tmp_path)
    assert missing_weights(tmp_path) == ""
    with (tmp_path / RECOGNIZER).open("ab") as file:
        file.write(b"x")
    assert f"{RECOGNIZER} of the face engine are damaged" in missing_weights(tmp_path)


def test_the_licenses_of_the_weights_are_included() -> None:
    assert "MIT License" in (FOLDER / "LICENSE-yunet").read_text()
    assert "Apache License" in (FOLDER / "LICENSE-sface").read_text()

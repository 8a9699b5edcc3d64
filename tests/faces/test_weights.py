"""Weights that are missing or altered are told, with what to do."""

import shutil
from pathlib import Path

import pytest

from sparks.faces.booth import Booth
from sparks.faces.opencv.weights import DETECTOR, FOLDER, RECOGNISER, missing_weights, read_weights
from sparks.model.errors import Unavailable


def test_an_empty_folder_is_missing_them_and_says_what_to_do(tmp_path: Path) -> None:
    assert f"{DETECTOR} of the face engine are not there: install Sparks again" in missing_weights(tmp_path)
    with pytest.raises(Unavailable, match="not there"):
        read_weights(tmp_path)


def test_a_file_that_was_altered_is_not_used(booth: Booth, tmp_path: Path) -> None:
    for name in (DETECTOR, RECOGNISER):
        shutil.copy(FOLDER / name, tmp_path)
    assert missing_weights(tmp_path) == ""
    with (tmp_path / RECOGNISER).open("ab") as file:
        file.write(b"x")
    assert f"{RECOGNISER} of the face engine are not what they should be" in missing_weights(tmp_path)


def test_the_licences_come_along() -> None:
    assert "MIT License" in (FOLDER / "LICENSE-yunet").read_text()
    assert "Apache License" in (FOLDER / "LICENSE-sface").read_text()

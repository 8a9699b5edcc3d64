"""Real sample files, in `../shared/data` beside the repository or in SPARKS_TEST_DATA."""

import os
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = Path(os.environ.get("SPARKS_TEST_DATA") or ROOT.parent / "shared/data") / "media"


@cache
def sample(name: str) -> bytes:
    """The content of a file such as `camera/train.jpg`. Without the folder the test is skipped, and fails in CI."""
    path = FOLDER / name
    if not FOLDER.is_dir():
        reason = "the sample files are not there; SPARKS_TEST_DATA may say where they are"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return path.read_bytes()

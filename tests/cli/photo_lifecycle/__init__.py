"""Chapters of the lifecycle test. Each continues with the library of the one before."""

import pytest

CHAPTERS = ("uploads", "views", "edits", "deletions")

pytest.register_assert_rewrite(*(f"{__name__}.{chapter}" for chapter in CHAPTERS))

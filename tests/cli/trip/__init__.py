"""The chapters of a photo's trip. Each goes on with the library that the one before has left."""

import pytest

CHAPTERS = ("uploading", "looking", "changing", "deleting")

pytest.register_assert_rewrite(*(f"{__name__}.{chapter}" for chapter in CHAPTERS))

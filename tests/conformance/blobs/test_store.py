"""The store as a whole."""

from sparks.blobs.port import Blobs


def test_a_store_that_can_be_reached_passes_its_check(blobs: Blobs) -> None:
    blobs.check()


def test_closing_twice_is_fine(blobs: Blobs) -> None:
    blobs.close()
    blobs.close()

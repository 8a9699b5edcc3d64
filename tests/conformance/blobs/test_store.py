"""The store as a whole."""

from sparks.blobs.port import Blobs


def test_a_store_that_can_be_reached_passes_its_check(blobs: Blobs) -> None:
    blobs.check()


def test_close_may_be_called_twice(blobs: Blobs) -> None:
    blobs.close()
    blobs.close()

"""Sample pictures and videos from beside the repository, and a generated raw photo."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MEDIA = Path(os.environ.get("SPARKS_TEST_DATA", Path(__file__).parents[4] / "shared" / "data")) / "media"
SHORT, LONG, SIGNED_RATIO = 3, 4, 10


@contextmanager
def opened(name: str) -> Iterator[int]:
    """A descriptor of that sample. Where there are no samples the test is skipped, but not in CI."""
    path = MEDIA / name
    if not path.exists():
        missing = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        missing(f"there is no sample {name}: set SPARKS_TEST_DATA")
    with path.open("rb") as file:
        yield file.fileno()


def make_dng(*, side: int) -> bytes:
    """A raw photo of a grey wall: sensor values without compression, red and blue at opposite corners."""
    pixels = struct.pack("<H", 20_000) * side * side
    tags = [
        (254, LONG, 1, struct.pack("<I", 0)),
        (256, LONG, 1, struct.pack("<I", side)),
        (257, LONG, 1, struct.pack("<I", side)),
        (258, SHORT, 1, struct.pack("<H", 16)),
        (259, SHORT, 1, struct.pack("<H", 1)),
        (262, SHORT, 1, struct.pack("<H", 32803)),
        (273, LONG, 1, struct.pack("<I", 8)),
        (277, SHORT, 1, struct.pack("<H", 1)),
        (278, LONG, 1, struct.pack("<I", side)),
        (279, LONG, 1, struct.pack("<I", len(pixels))),
        (33421, SHORT, 2, struct.pack("<2H", 2, 2)),
        (33422, 1, 4, bytes([0, 1, 1, 2])),
        (50706, 1, 4, bytes([1, 4, 0, 0])),
        (50708, 2, 5, b"Test\0"),
        (50721, SIGNED_RATIO, 9, struct.pack("<18i", *(n for row in range(9) for n in (int(row % 4 == 0), 1)))),
    ]
    return _make_tiff(pixels, tags)


def _make_tiff(pixels: bytes, tags: list[tuple[int, int, int, bytes]]) -> bytes:
    at = 8 + len(pixels)
    beyond, entries = b"", b""
    for number, kind, count, value in tags:
        if len(value) > 4:
            place = at + 2 + 12 * len(tags) + 4 + len(beyond)
            beyond += value
            value = struct.pack("<I", place)
        entries += struct.pack("<HHI4s", number, kind, count, value)
    folder = struct.pack("<H", len(tags)) + entries + struct.pack("<I", 0)
    return b"II*\0" + struct.pack("<I", at) + pixels + folder + beyond

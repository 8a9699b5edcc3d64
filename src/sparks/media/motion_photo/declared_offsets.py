"""Video offsets that Google's XMP (in its two versions) and Samsung's trailer declare."""

from collections.abc import Iterator, Mapping
from typing import Final

from sparks.media.containers.blocks import matches
from sparks.media.metadata.xmp_packet import parse_packet, read_packet

CAMERA: Final = "http://ns.google.com/photos/1.0/camera/ "
ITEM: Final = "http://ns.google.com/photos/1.0/container/item/ "
MAX_ITEMS: Final = 100
MAX_DIGITS: Final = 15
MAX_CHARACTERS: Final = 100
MARKS: Final = (b"MotionPhoto", b"MicroVideo")  # every packet that declares a video contains one of them

_ELEMENT: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns# li"
MAX_BLOCKS: Final = 100
SAMSUNG_VIDEO: Final = b"MotionPhoto_Data"
_START, _END, _ENTRY, _HEAD = b"SEFH", b"SEFT", 12, 8


def xmp_offsets(packet: bytes, size: int) -> Iterator[int]:
    """The declared offsets in a file of this size; they are not verified."""
    if not any(mark in packet for mark in MARKS):
        return
    items = [item for item in _items(packet) if "Semantic" in item]
    for number, item in enumerate(items):
        if item["Semantic"] == "MotionPhoto":
            start = size - _number(item.get("Length")) - sum(map(_length_of, items[number + 1 :]))
            yield start
            yield start - _number(item.get("Padding"))  # some phones include it in the length
    for offset in parse_packet(packet).get(CAMERA + "MicroVideoOffset", ()):
        yield size - _number(offset)


def _length_of(item: Mapping[str, str]) -> int:
    return _number(item.get("Length")) + _number(item.get("Padding"))


def _items(packet: bytes) -> list[dict[str, str]]:
    reader = _Reader()
    read_packet(packet, reader)
    return reader.items


class _Reader:
    """Collects the item properties of each list element, from its attributes and its child elements."""

    def __init__(self) -> None:
        self.items: list[dict[str, str]] = []
        self._word: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == _ELEMENT and len(self.items) < MAX_ITEMS:
            self.items.append({})
        self._word = name.removeprefix(ITEM) if name.startswith(ITEM) else None
        for attribute, value in attributes.items():
            if attribute.startswith(ITEM) and self.items:
                self.items[-1][attribute.removeprefix(ITEM)] = value

    def text(self, piece: str) -> None:
        if self._word is not None and self.items and len(piece) <= MAX_CHARACTERS:
            self.items[-1][self._word] = self.items[-1].get(self._word, "") + piece

    def end(self, _: str) -> None:
        self._word = None


def _number(text: str | None) -> int:
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if text is not None and is_number else 0


def samsung_start(view: memoryview) -> int | None:
    """The offset of the video; None where the trailer declares none."""
    end = len(view) - _HEAD
    if end < 0 or not matches(view, _END, end + 4):
        return None
    listed = end - _uint32(view, end)
    if listed < 0 or not matches(view, _START, listed):
        return None
    for number in range(min(_uint32(view, listed + 8), MAX_BLOCKS)):
        block = listed - _uint32(view, listed + 12 + _ENTRY * number + 4)
        if (
            block >= 0
            and _uint32(view, block + 4) == len(SAMSUNG_VIDEO)
            and matches(view, SAMSUNG_VIDEO, block + _HEAD)
        ):
            return block + _HEAD + len(SAMSUNG_VIDEO)
    return None


def _uint32(view: memoryview, at: int) -> int:
    return int.from_bytes(view[at : at + 4], "little")

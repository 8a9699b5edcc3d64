"""Where the XMP packet of a motion photo says that its film begins. Google has said it in two ways."""

from collections.abc import Iterator, Mapping
from typing import Final

from sparks.media.metadata.packet import parse_packet, read_packet

CAMERA: Final = "http://ns.google.com/photos/1.0/camera/ "
ITEM: Final = "http://ns.google.com/photos/1.0/container/item/ "
MOST_ITEMS: Final = 100
MOST_DIGITS: Final = 15
MOST_LETTERS: Final = 100
MARKS: Final = (b"MotionPhoto", b"MicroVideo")  # one of them is in every packet that tells of a film

_ELEMENT: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns# li"


def told_starts(packet: bytes, size: int) -> Iterator[int]:
    """For a file of this size: none of them may be true."""
    if not any(mark in packet for mark in MARKS):
        return
    items = [item for item in _items(packet) if "Semantic" in item]
    for number, item in enumerate(items):
        if item["Semantic"] == "MotionPhoto":
            start = size - _number(item.get("Length")) - sum(map(_room, items[number + 1 :]))
            yield start
            yield start - _number(item.get("Padding"))  # which some phones count with the length, and some do not
    for offset in parse_packet(packet).get(CAMERA + "MicroVideoOffset", ()):
        yield size - _number(offset)


def _room(item: Mapping[str, str]) -> int:
    return _number(item.get("Length")) + _number(item.get("Padding"))


def _items(packet: bytes) -> list[dict[str, str]]:
    reader = _Reader()
    read_packet(packet, reader)
    return reader.items


class _Reader:
    """What each element of a list says in the words of the directory, as attributes or as elements of their own."""

    def __init__(self) -> None:
        self.items: list[dict[str, str]] = []
        self._word: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == _ELEMENT and len(self.items) < MOST_ITEMS:
            self.items.append({})
        self._word = name.removeprefix(ITEM) if name.startswith(ITEM) else None
        for attribute, value in attributes.items():
            if attribute.startswith(ITEM) and self.items:
                self.items[-1][attribute.removeprefix(ITEM)] = value

    def text(self, piece: str) -> None:
        if self._word is not None and self.items and len(piece) <= MOST_LETTERS:
            self.items[-1][self._word] = self.items[-1].get(self._word, "") + piece

    def end(self, _: str) -> None:
        self._word = None


def _number(text: str | None) -> int:
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if text is not None and is_number else 0

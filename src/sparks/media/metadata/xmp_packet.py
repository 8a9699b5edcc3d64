"""XMP packet parser that refuses doctypes, entities and deep nesting."""

from contextlib import suppress
from typing import Final, Protocol
from xml.parsers import expat

MAX_DEPTH: Final = 64
MAX_VALUES: Final = 1000
MAX_CHARACTERS: Final = 20_000  # of a value

_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
_TREE, _DESCRIPTION, _ELEMENT = _RDF + "RDF", _RDF + "Description", _RDF + "li"
_LISTS: Final = (_RDF + "Alt", _RDF + "Bag", _RDF + "Seq")
_LANGUAGE: Final = "http://www.w3.org/XML/1998/namespace lang"

Values = dict[str, list[str]]


class PacketRefused(Exception):
    """The packet has a doctype, entities, deep nesting or too many values, which no honest program writes."""


def parse_packet(raw: bytes) -> Values:
    """The values of each property: the elements of a list, or the texts of all languages with the default first.

    A property is named by its namespace, a space and its name. A broken packet is read up to its first error.
    """
    reader = _Reader()
    read_packet(raw, reader)
    return reader.values


class PacketHandler(Protocol):
    """Callbacks for the elements of a packet, in their order."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...
    def text(self, piece: str) -> None: ...
    def end(self, name: str) -> None: ...


def read_packet(raw: bytes, reader: PacketHandler) -> None:
    """Parses up to the first error, or until the reader raises PacketRefused."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    with suppress(expat.ExpatError, PacketRefused):
        parser.Parse(raw.strip(b" \t\r\n\x00"), True)


def _refuse(*_: object) -> None:
    raise PacketRefused


class _Reader:
    """Collects values by the path of the current element."""

    def __init__(self) -> None:
        self.values: Values = {}
        self._path: list[str] = []
        self._pieces: list[str] = []
        self._length = 0
        self._count = 0
        self._default = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) == MAX_DEPTH:
            raise PacketRefused
        self._reset_text()
        self._path.append(name)
        self._default = attributes.get(_LANGUAGE) == "x-default"
        if self._path[-2:] == [_TREE, _DESCRIPTION]:
            for attribute, value in attributes.items():
                self._add(attribute, value[:MAX_CHARACTERS])

    def text(self, piece: str) -> None:
        if self._length < MAX_CHARACTERS:
            self._pieces.append(piece)
            self._length += len(piece)

    def end(self, _: str) -> None:
        name, value = self._property(), "".join(self._pieces).strip()
        if name is not None and value:
            self._add(name, value[:MAX_CHARACTERS])
        self._reset_text()
        self._path.pop()

    def _property(self) -> str | None:
        """The property of the current element, or of the list that it is in."""
        path = self._path
        if path[-3:-1] == [_TREE, _DESCRIPTION]:
            return path[-1]
        if path[-5:-3] == [_TREE, _DESCRIPTION] and path[-2] in _LISTS and path[-1] == _ELEMENT:
            return path[-3]
        return None

    def _add(self, name: str, value: str) -> None:
        self._count += 1
        if self._count > MAX_VALUES:
            raise PacketRefused
        values = self.values.setdefault(name, [])
        values.insert(0 if self._default else len(values), value)

    def _reset_text(self) -> None:
        self._pieces.clear()
        self._length = 0

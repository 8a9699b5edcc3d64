"""An XMP packet: RDF, read by a parser that takes no document type, no entities and no depths."""

from contextlib import suppress
from typing import Final, Protocol
from xml.parsers import expat

MOST_DEPTH: Final = 64
MOST_VALUES: Final = 1000
MOST_CHARACTERS: Final = 20_000  # of a value

_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
_TREE, _DESCRIPTION, _ELEMENT = _RDF + "RDF", _RDF + "Description", _RDF + "li"
_LISTS: Final = (_RDF + "Alt", _RDF + "Bag", _RDF + "Seq")
_LANGUAGE: Final = "http://www.w3.org/XML/1998/namespace lang"

Values = dict[str, list[str]]


class Refused(Exception):
    """The packet is of a form that no program writes without a bad reason."""


def parse_packet(raw: bytes) -> Values:
    """The values of each property: of a list its elements, of a text in many languages the default one first.

    A property is named by its namespace and its name, with a space between. Of a broken packet: what stands before the
    first mistake.
    """
    reader = _Reader()
    read_packet(raw, reader)
    return reader.values


class Reader(Protocol):
    """Hears of the elements of a packet in their order."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...
    def text(self, piece: str) -> None: ...
    def end(self, name: str) -> None: ...


def read_packet(raw: bytes, reader: Reader) -> None:
    """Up to the first mistake, or to where the reader raises Refused."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    with suppress(expat.ExpatError, Refused):
        parser.Parse(raw.strip(b" \t\r\n\x00"), True)


def _refuse(*_: object) -> None:
    raise Refused


class _Reader:
    """Follows the elements, and knows by where it is what a text belongs to."""

    def __init__(self) -> None:
        self.values: Values = {}
        self._path: list[str] = []
        self._pieces: list[str] = []
        self._length = 0
        self._count = 0
        self._default = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) == MOST_DEPTH:
            raise Refused
        self._forget()
        self._path.append(name)
        self._default = attributes.get(_LANGUAGE) == "x-default"
        if self._path[-2:] == [_TREE, _DESCRIPTION]:
            for attribute, value in attributes.items():
                self._add(attribute, value[:MOST_CHARACTERS])

    def text(self, piece: str) -> None:
        if self._length < MOST_CHARACTERS:
            self._pieces.append(piece)
            self._length += len(piece)

    def end(self, _: str) -> None:
        name, value = self._property(), "".join(self._pieces).strip()
        if name is not None and value:
            self._add(name, value[:MOST_CHARACTERS])
        self._forget()
        self._path.pop()

    def _property(self) -> str | None:
        """The property that this element is, or whose list it is in."""
        path = self._path
        if path[-3:-1] == [_TREE, _DESCRIPTION]:
            return path[-1]
        if path[-5:-3] == [_TREE, _DESCRIPTION] and path[-2] in _LISTS and path[-1] == _ELEMENT:
            return path[-3]
        return None

    def _add(self, name: str, value: str) -> None:
        self._count += 1
        if self._count > MOST_VALUES:
            raise Refused
        held = self.values.setdefault(name, [])
        held.insert(0 if self._default else len(held), value)

    def _forget(self) -> None:
        self._pieces.clear()
        self._length = 0

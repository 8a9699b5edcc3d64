"""Serializer of items to DynamoDB's typed JSON and back.

Equal values become equal requests (maps sorted, numbers in one form), because DynamoDB recognizes a repeated
transaction only if its parameters are equal.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sparks.model.errors import Damaged
from sparks.table.port import Item, Key
from sparks.table.values import clean_number

Wire = dict[str, Any]


def pack_item(item: Mapping[str, Any]) -> Wire:
    return {name: pack(item[name]) for name in sorted(item)}


def pack_key(key: Key) -> Wire:
    return {"PK": {"S": key.pk}, "SK": {"S": key.sk}}


def pack(value: Any) -> Wire:
    """The value, already cleaned by the rules, as DynamoDB's JSON."""
    match value:
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case bytes():
            return {"B": value}
        case list():
            return {"L": [pack(element) for element in value]}
        case dict():
            return {"M": pack_item(value)}
        case _:
            return {"N": str(value)}


def unpack_item(wire: Mapping[str, Any]) -> Item:
    """Sparks writes no NULL and no set, but other writers may: a NULL is absent, and a set is a list in its order."""
    return {name: unpack(value) for name, value in wire.items() if "NULL" not in value}


def unpack_key(wire: Mapping[str, Any]) -> Key:
    return Key(wire["PK"]["S"], wire["SK"]["S"])


def unpack(wire: Mapping[str, Any]) -> Any:
    [(kind, value)] = wire.items()
    match kind:
        case "S" | "B" | "BOOL":
            return value
        case "N":
            return int(value) if value.isdecimal() else clean_number(Decimal(value), "a number in the table")
        case "L":
            return [unpack(element) for element in value if "NULL" not in element]
        case "SS" | "BS":
            return sorted(value)
        case "NS":
            return sorted(unpack({"N": number}) for number in value)
        case "M":
            return unpack_item(value)
        case _:
            raise Damaged(f"an item in the table holds a value of type {kind}, which Sparks never writes")

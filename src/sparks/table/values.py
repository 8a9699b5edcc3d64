"""Item values: allowed types, canonical form and size."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from sparks.model.errors import BadInput, TooLarge
from sparks.table.port import MAX_ITEM_BYTES, Item, Key, Number

MAX_DIGITS: Final = 38
MAX_EXPONENT: Final = 125
MIN_EXPONENT: Final = -130
MAX_DEPTH: Final = 32
MAX_NAME_BYTES: Final = 255
# PK is the sort key of the indexes, and a sort key has at most 1,024 bytes.
MAX_KEY_BYTES: Final = {"PK": 1024, "SK": 1024, "entityType": 2048, "uploadedBy": 2048}


def clean_item(item: Mapping[str, Any]) -> Item:
    """A copy of the item in the form in which it is read back, or BadInput or TooLarge."""
    for name in ("PK", "SK"):
        if name not in item:
            raise BadInput(f"an item needs a {name}")
    copy = clean_attributes(item)
    check_size(copy)
    return copy


def clean_attributes(values: Mapping[str, Any]) -> Item:
    return {clean_name(name): clean_attribute(name, value) for name, value in values.items()}


@lru_cache(maxsize=1024)
def clean_name(name: str) -> str:
    if not 1 <= _length(_text(name)) <= MAX_NAME_BYTES:
        raise BadInput(f"an attribute's name has 1 to {MAX_NAME_BYTES} bytes, not {name!r:.80}")
    return name


def clean_attribute(name: str, value: Any) -> Any:
    if name in MAX_KEY_BYTES:
        return clean_key_text(name, value)
    if name == "limit" and (isinstance(value, bool) or not isinstance(value, Number)):
        raise BadInput(f"limit is a number, not {value!r:.80}")
    return clean(value, name)


def clean_key(key: Key) -> Key:
    return Key(clean_key_text("PK", key.pk), clean_key_text("SK", key.sk))


def clean_key_text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not 1 <= _length(value) <= MAX_KEY_BYTES[name]:
        raise BadInput(f"{name} is a string of 1 to {MAX_KEY_BYTES[name]:,} bytes, not {value!r:.80}")
    return str.__str__(value)


def clean(value: Any, name: str, depth: int = 0) -> Any:
    """The value in the form in which it is read back: copies of lists and dicts, whole numbers as int."""
    kind = type(value)
    if kind is str:
        _length(value)
        return value
    if kind is bool or kind is bytes:
        return value
    match value:
        case int() | Decimal():
            return clean_number(value, name)
        case str():
            return clean(str.__str__(value), name)
        case bytearray():
            return bytes(value)
        case list() | tuple() | dict() if depth + 1 == MAX_DEPTH:
            raise BadInput(f"{name} is nested more than {MAX_DEPTH} deep")
        case list() | tuple():
            return [clean(element, name, depth + 1) for element in value]
        case dict():
            return {_inner_name(inner): clean(element, name, depth + 1) for inner, element in value.items()}
        case _:
            raise BadInput(f"{name} holds a {kind.__name__}, which items do not support")


def clean_number(value: Number, name: str) -> Number:
    if isinstance(value, int) and -(10**18) < value < 10**18:
        return int(value)
    sign, digits, exponent = Decimal(value).as_tuple()
    if not isinstance(exponent, int):
        raise BadInput(f"{name} is {value}, which is not a finite number")
    significant = "".join(map(str, digits)).rstrip("0")
    if not significant.lstrip("0"):
        return 0
    magnitude = len(digits) + exponent - 1
    if len(significant) > MAX_DIGITS or not MIN_EXPONENT <= magnitude <= MAX_EXPONENT:
        raise BadInput(f"{name} is out of range: numbers have at most {MAX_DIGITS} digits, up to 10^126")
    exponent += len(digits) - len(significant)
    whole = Decimal((sign, tuple(map(int, significant)), exponent))
    return int(whole) if exponent >= 0 else whole


def check_size(item: Item) -> None:
    size = size_of(item)
    if size > MAX_ITEM_BYTES:
        raise TooLarge(f"the item has {size:,} bytes, more than {MAX_ITEM_BYTES:,}")


def size_of(attributes: Mapping[str, Any]) -> int:
    """The size in bytes, as DynamoDB counts it."""
    return sum([_length(name) + _size(value) for name, value in attributes.items()])


def same_value(one: Any, other: Any) -> bool:
    """Whether both are equal and of the same type: 1 equals 1.0, but not True or "1"."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Number) and isinstance(other, Number):
        return one == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(value, other[name]) for name, value in one.items())
    return type(one) is type(other) and bool(one == other)


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise BadInput(f"attributes are named by strings, not by {name!r:.80}")
    return name


def _inner_name(name: Any) -> str:
    text = _text(name)
    if not _length(text):
        raise BadInput("a name within a map is not empty")
    return text


def _length(text: str) -> int:
    try:
        return len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        raise BadInput(f"{text!r:.80} holds half of a surrogate pair, which is not valid text") from error


def _size(value: Any) -> int:
    kind = type(value)
    if kind is str:
        return _length(value)
    if kind is bytes:
        return len(value)
    if kind is bool:
        return 1
    if kind is list:
        return 3 + sum([1 + _size(element) for element in value])
    if kind is dict:
        return 3 + sum([1 + _length(name) + _size(element) for name, element in value.items()])
    digits = str(value).lstrip("-").partition("E")[0].replace(".", "").strip("0")
    return 1 + (len(digits) + 1) // 2 + int(value < 0)

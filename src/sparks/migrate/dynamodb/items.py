"""Items of DynamoDB's typed JSON as plain values, and the texts and times that mappers make of them."""

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from sparks.model.errors import BadInput

Item = Mapping[str, Any]
MILLISECONDS: Final = 1000
LEAST_MILLISECONDS: Final = 10**11  # 1973; as seconds, the year 5138


def plain_item(wire: Mapping[str, Any]) -> dict[str, Any]:
    """BadInput where this is not typed JSON."""
    try:
        return {name: _plain(value) for name, value in wire.items()}
    except (AttributeError, TypeError, ValueError, ArithmeticError) as error:
        raise BadInput(f"this is no item in DynamoDB's typed JSON: {str(dict(wire))[:200]}") from error


def _plain(wire: Mapping[str, Any]) -> Any:
    [(kind, value)] = wire.items()
    match kind:
        case "S" | "BOOL":
            return value
        case "N":
            return _number(value)
        case "NULL":
            return None
        case "M":
            return {name: _plain(each) for name, each in value.items()}
        case "L":
            return [_plain(each) for each in value]
        case "B":
            return _text_of_bytes(value)
        case "SS":
            return sorted(value)
        case "NS":
            return sorted(map(_number, value))
        case "BS":
            return sorted(map(_text_of_bytes, value))
    raise ValueError(f"there is no type {kind}")


def _number(text: str) -> int | Decimal:
    return int(text) if text.removeprefix("-").isdecimal() else Decimal(text)


def _text_of_bytes(value: bytes | str) -> str:
    """In base64, as files have it."""
    return value if isinstance(value, str) else base64.b64encode(value).decode()


def text(value: Any) -> str | None:
    """The value of an attribute that should be a text; another one as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def time_text(value: Any, *, unit: int | None = None) -> str | None:
    """A time as text, where it may also be a number of `unit` parts of a second since 1970; without a unit, of seconds
    or milliseconds, which no time of a photo service mixes up. What is no time stays as it is, and becomes an issue.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return text(value)
    unit = unit or (1 if value < LEAST_MILLISECONDS else MILLISECONDS)
    try:
        return datetime.fromtimestamp(float(value) / unit, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, OSError, ValueError):
        return str(value)


def without(item: Item, *names: str) -> dict[str, Any]:
    """The other attributes, which Sparks keeps without knowing them."""
    return {name: value for name, value in item.items() if name not in names}

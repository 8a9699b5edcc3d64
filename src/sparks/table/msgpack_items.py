"""Items as MessagePack bytes, with an extension type for decimals."""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypedDict

import msgspec

from sparks.table.port import Item
from sparks.table.rules import KEY

NUMBER: Final = 1


def encode(item: Item) -> bytes:
    return _encoder.encode(_packable(item))


def _unpack(code: int, data: memoryview) -> Any:
    if code != NUMBER:
        raise ValueError(f"an item holds the unknown MessagePack extension {code}")
    number = str(data, "ascii")
    return int(number) if number.lstrip("-").isdigit() else Decimal(number)


_encoder: Final = msgspec.msgpack.Encoder()
decode: Final = msgspec.msgpack.Decoder(Item, ext_hook=_unpack).decode


@lru_cache(maxsize=64)
def decode_only(names: frozenset[str]) -> Callable[[bytes], Item]:
    """A decoder of these attributes and the key that skips all others."""
    typed_dict: Any = TypedDict
    part = typed_dict("part", dict.fromkeys(names | KEY, Any), total=False)
    unpack: Callable[[bytes], Item] = msgspec.msgpack.Decoder(part, ext_hook=_unpack).decode
    return unpack


def _packable(value: Any) -> Any:
    """The value with decimals, and integers beyond 64 bits, as extensions: MessagePack has no type for them."""
    kind = type(value)
    if kind is dict:
        return {name: _packable(inner) for name, inner in value.items()}
    if kind is list:
        return [_packable(inner) for inner in value]
    if kind is Decimal or (kind is int and not -(2**63) <= value < 2**63):
        return msgspec.msgpack.Ext(NUMBER, str(value).encode())
    return value

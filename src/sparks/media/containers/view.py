"""Looking at bytes without copying them; where they end, nothing matches and every number is 0."""


def matches(view: memoryview, expected: bytes, at: int = 0) -> bool:
    return bytes(view[at : at + len(expected)]) == expected


def whole(view: memoryview, at: int, size: int) -> int:
    """A whole number, most significant byte first."""
    taken = view[at : at + size]
    return int.from_bytes(taken, "big") if len(taken) == size else 0

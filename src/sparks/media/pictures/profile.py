"""Colour profiles (ICC): of which space they speak, and whether it is sRGB: by their numbers, not by their names."""

from typing import Final

CURVE_POINTS: Final = (0.1, 0.5, 0.8)
NEAR_COLOUR: Final = 0.004
NEAR_CURVE: Final = 0.006
SRGB_PRIMARIES: Final = {
    b"rXYZ": (0.4361, 0.2225, 0.0139),
    b"gXYZ": (0.3851, 0.7169, 0.0971),
    b"bXYZ": (0.1431, 0.0606, 0.7141),
}  # as seen under D50, the way all profiles tell them

MOST_TAGS: Final = 100


def space_of(profile: bytes) -> str:
    """`RGB`, `GRAY`, `CMYK`, ..; empty where this is no profile."""
    return profile[16:20].decode("ascii", "replace").strip() if profile[36:40] == b"acsp" else ""


def is_srgb(profile: bytes) -> bool:
    tags = _tags(profile)
    return (
        space_of(profile) == "RGB"
        and all(_near(_xyz(tags.get(name, b"")), wanted, NEAR_COLOUR) for name, wanted in SRGB_PRIMARIES.items())
        and all(_is_srgb_curve(tags.get(name, b"")) for name in (b"rTRC", b"gTRC", b"bTRC"))
    )


def _tags(profile: bytes) -> dict[bytes, bytes]:
    count = min(int.from_bytes(profile[128:132], "big"), MOST_TAGS)
    tags = {}
    for at in range(132, 132 + 12 * count, 12):
        offset, size = (int.from_bytes(profile[at + part : at + part + 4], "big") for part in (4, 8))
        tags[profile[at : at + 4]] = profile[offset : offset + size]
    return tags


def _xyz(tag: bytes) -> tuple[float, ...]:
    return tuple(_fixed(tag, at) for at in (8, 12, 16))


def _fixed(tag: bytes, at: int) -> float:
    """A number with sixteen bits behind the point."""
    return int.from_bytes(tag[at : at + 4], "big", signed=True) / 65536


def _is_srgb_curve(tag: bytes) -> bool:
    curve = [_curve_at(tag, point) for point in CURVE_POINTS]
    return _near(curve, [((point + 0.055) / 1.055) ** 2.4 for point in CURVE_POINTS], NEAR_CURVE)


def _curve_at(tag: bytes, value: float) -> float:
    """How much light a value means: a power, a table, or a line that becomes a power."""
    if tag[:4] == b"para":
        gamma, a, b = _fixed(tag, 12), _fixed(tag, 16), _fixed(tag, 20)
        return float(value**gamma) if tag[8:10] == b"\x00\x00" else float(max(a * value + b, 0.0) ** gamma)
    count = int.from_bytes(tag[8:12], "big")
    if tag[:4] != b"curv" or count == 0:
        return value
    if count == 1:
        return float(value ** (int.from_bytes(tag[12:14], "big") / 256))
    step, part = divmod(value * (count - 1), 1)
    below, above = (int.from_bytes(tag[at : at + 2], "big") / 65535 for at in (12 + 2 * int(step), 14 + 2 * int(step)))
    return below + part * (above - below)


def _near(found: "list[float] | tuple[float, ...]", wanted: "list[float] | tuple[float, ...]", by: float) -> bool:
    return all(abs(one - other) <= by for one, other in zip(found, wanted, strict=True))

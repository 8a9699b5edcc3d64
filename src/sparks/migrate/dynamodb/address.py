"""Addresses of tables: `dynamodb://TABLE,..?endpoint=..&region=..&capacity=..`, and `dynamodb:///PATH` for files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from sparks.model.errors import BadInput

SCHEME: Final = "dynamodb"
EXAMPLES: Final = (
    "name tables as in dynamodb://Sparks?region=eu-central-1, or a folder or file of an export as in "
    "dynamodb:///srv/export"
)
MAX_SEGMENTS: Final = 64
DEFAULT_SEGMENTS: Final = 4


@dataclass(frozen=True, slots=True)
class Address:
    """Either `tables` or `path` is given. `capacity` is the most read units a second."""

    tables: tuple[str, ...] = ()
    path: Path | None = None
    endpoint: str | None = None
    region: str | None = None
    capacity: float | None = None
    segments: int = DEFAULT_SEGMENTS


def is_dynamodb(url: str) -> bool:
    return url.startswith(f"{SCHEME}:")


def is_export(url: str | None) -> bool:
    """Whether the address is that of files."""
    return url is not None and url.startswith(f"{SCHEME}:///")


def parse_address(url: str) -> Address:
    """BadInput for another form, an unknown option, and a path that is not absolute."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = options.keys() - {"endpoint", "region", "capacity", "segments"}
    if parts.scheme != SCHEME or unknown or parts.fragment:
        raise BadInput(f"{url} has {', '.join(sorted(unknown)) or 'parts'} that Sparks does not know: {EXAMPLES}")
    if not parts.netloc:
        if len(parts.path) < len("/x"):
            raise BadInput(f"{url} names neither a table nor a path: {EXAMPLES}")
        return Address(path=Path(parts.path))
    tables = tuple(name for name in parts.netloc.split(",") if name)
    if not tables or parts.path.strip("/"):
        raise BadInput(f"{url} is no address of tables: {EXAMPLES}")
    return Address(
        tables=tables,
        endpoint=options.get("endpoint"),
        region=options.get("region"),
        capacity=_number(options, "capacity"),
        segments=min(MAX_SEGMENTS, max(1, int(_number(options, "segments") or DEFAULT_SEGMENTS))),
    )


def _number(options: dict[str, str], name: str) -> float | None:
    if name not in options:
        return None
    try:
        number = float(options[name])
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise BadInput(f"{name}={options[name]} is no number above 0")
    return number

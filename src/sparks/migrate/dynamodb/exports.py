"""Files with the items of tables: DynamoDB's own export to S3, and the output of `aws dynamodb scan`."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from sparks.migrate.dynamodb.items import Item, plain_item
from sparks.model.errors import BadInput

SUFFIXES: Final = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson")
HEAD: Final = 4096
INCREMENTAL: Final = "{} holds changes and not whole items: export the whole table (FULL_EXPORT)"


def export_files(path: Path) -> list[Path]:
    """The data files of an export: the path itself, or all below a folder. BadInput where there are none."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise BadInput(f"there is no file or folder {path}: name an export of the table")
    found = sorted(each for each in path.rglob("*") if each.is_file() and each.name.endswith(SUFFIXES))
    files = [each for each in found if not each.name.startswith("manifest-")]
    if not files:
        raise BadInput(f"{path} holds no file named {' or '.join(SUFFIXES)}: name an export of the table")
    return files


def read_items(file: Path) -> Iterator[Item]:
    """The items of a file, as plain values. BadInput, with the file, where it is not one of the two forms."""
    opened: Any = gzip.open if file.suffix == ".gz" else open
    try:
        with opened(file, "rb") as content:
            for wire in _wires(content, file):
                yield plain_item(wire)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise BadInput(f"{file} cannot be read as an export: {error}") from error
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from error


def _wires(content: IO[bytes], file: Path) -> Iterator[dict[str, Any]]:
    """Typed items: one on each line, perhaps as `Item`, or all in `Items` of one document."""
    start = content.read(HEAD).lstrip()
    content.seek(0)
    first_line = start.partition(b"\n")[0].strip()
    if start and not _is_line(first_line, whole=len(start) < HEAD or b"\n" in start):
        yield from _document(msgspec.json.decode(content.read()), file)
        return
    for line in content:
        if line.strip():
            yield from _document(msgspec.json.decode(line), file)


def _is_line(text: bytes, *, whole: bool) -> bool:
    """Whether the file has an item on each line. The document of a scan begins with a bracket on a line of its own, or
    names its items.
    """
    if not whole:
        return not text.startswith((b'{"Items"', b'{"Count"', b'{"ScannedCount"', b'{ "Items"'))
    try:
        return "Items" not in msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False


def _document(decoded: Any, file: Path) -> Iterator[dict[str, Any]]:
    match decoded:
        case {"Items": [*items]}:
            yield from items
        case {"Item": dict(item)}:
            yield item
        case {"Keys": _, "Metadata": _} | {"Keys": _, "NewImage": _}:
            raise BadInput(INCREMENTAL.format(file.name))
        case dict():
            yield decoded
        case _:
            raise BadInput("this is neither an item nor the output of a scan")

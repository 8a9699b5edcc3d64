"""What a setting may be: each kind with what it accepts, in words."""

import ipaddress
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, StringConstraints
from pydantic.fields import FieldInfo

_UNITS: Final = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_SIZE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,3})?) *(|b|kb|mb|gb|tb)", re.ASCII | re.IGNORECASE)
_RENDITION_SIZE: Final = re.compile(r"([a-z][a-z0-9]{0,19})=(\d{1,5})", re.ASCII)
TAKEN_SIZES: Final = frozenset({"large", "medium", "thumb", "original", "video", "motion"})
LONGEST_SIDE: Final = 16383  # that WebP can have


class Kind(str):
    """What a setting accepts, in words that follow "is not"."""

    __slots__ = ()


class BadFolder(ValueError):
    """Says what is wrong with the name of a folder, and what to do."""


def find_folder(named: Any) -> Any:
    """The whole path of a folder that is there, or may be made; BadFolder when it cannot be."""
    if not isinstance(named, str | Path):
        return named
    if not str(named):
        raise BadFolder("a folder must be named")
    try:
        str(named).encode()
        path = Path(named).expanduser().absolute()
        with suppress(FileNotFoundError):
            os.stat(f"{path}/.")  # noqa: PTH116  a Path would drop the dot, which only a folder has
    except UnicodeEncodeError:
        raise BadFolder(f"{str(named)!r} is not UTF-8: name another folder") from None
    except RuntimeError:
        raise BadFolder(f"{str(named)!r} names a user whose home is not known: write the whole path") from None
    except FileNotFoundError:
        raise BadFolder("the working directory is gone: change to another one, or write the whole path") from None
    except NotADirectoryError:
        raise BadFolder(f"{str(named)!r} is not a folder: name another one") from None
    except OSError as error:
        raise BadFolder(f"{str(named)!r} cannot be used ({error.strerror}): name another folder") from None
    return path


def _without_truth(value: Any) -> Any:
    """TOML has true and false, and Python would take them for 1 and 0."""
    return str(value) if isinstance(value, bool) else value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _split(value: Any) -> Any:
    """A list in the file; in the environment and in options, a text with commas."""
    return tuple(part for part in re.split(r"[\s,]+", value) if part) if isinstance(value, str) else value


def in_bytes(value: Any) -> Any:
    """`50 GB` is 50,000,000,000; any other value is left as it is, for pydantic to judge."""
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(float(match[1]) * _UNITS[match[2].lower()]) if match else _without_truth(value)


def _absolute(value: Any) -> Any:
    return Path(value).expanduser().absolute() if isinstance(value, str) and value else value


def _network(value: str) -> str:
    ipaddress.ip_network(value)
    return value


def _rendition_size(value: str) -> str:
    match = _RENDITION_SIZE.fullmatch(value)
    if match is None or match[1] in TAKEN_SIZES or not 1 <= int(match[2]) <= LONGEST_SIDE:
        raise ValueError("not a size of renditions")
    return value


def _named_once(sizes: tuple[str, ...]) -> tuple[str, ...]:
    if len({size.partition("=")[0] for size in sizes}) < len(sizes):
        raise ValueError("a size that is named twice")
    return sizes


Folder = Annotated[Path, BeforeValidator(find_folder), Kind("a folder")]
File = Annotated[Path, BeforeValidator(_absolute), Kind("the name of a file")]
Label = Annotated[str, StringConstraints(pattern=r"^\S[^\r\n]{0,59}$"), Kind("a text of 1 to 60 characters")]
Word = Annotated[str, StringConstraints(pattern=r"^\S+$"), Kind("a word without spaces")]
Name = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{3,63}$"), Kind("a name of 3 to 63 of A-Z a-z 0-9 _ . -")
]
Queue = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,60}$"), Kind("a name of 1 to 60 of A-Z a-z 0-9 _ -")
]
Url = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$"),
    AfterValidator(lambda url: url.rstrip("/")),
    Kind("an address that begins with http:// or https://"),
]
Site = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#@]+/?$", to_lower=True),
    AfterValidator(lambda url: url.rstrip("/")),
    Kind("an address that begins with http:// or https://, without a path"),
]
Issuer = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$"),
    Kind("an address that begins with http:// or https://, to the letter as the provider writes it"),
]
Port = Annotated[int, BeforeValidator(_without_truth), Field(ge=0, le=65535), Kind("a whole number from 0 to 65535")]
Workers = Annotated[int, BeforeValidator(_without_truth), Field(ge=0, le=256), Kind("a whole number from 0 to 256")]
Seconds = Annotated[int, BeforeValidator(_without_truth), Field(ge=1, le=600), Kind("a whole number from 1 to 600")]
Secret = Annotated[SecretStr, Field(min_length=1), Kind("a text that is not empty")]
LogFormat = Annotated[Literal["auto", "json", "text"], BeforeValidator(_lower)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]
Flag = Annotated[bool, Kind("true or false")]
Days = Annotated[int, BeforeValidator(_without_truth), Field(ge=1, le=3650), Kind("a whole number from 1 to 3650")]
FilmSeconds = Annotated[
    int, BeforeValidator(_without_truth), Field(ge=1, le=86400), Kind("a whole number from 1 to 86400")
]
Pixels = Annotated[
    int, BeforeValidator(_without_truth), Field(ge=1, le=2**30), Kind("a whole number from 1 to 1073741824")
]
Count = Annotated[
    int, BeforeValidator(_without_truth), Field(ge=0, le=10**9), Kind("a whole number from 0 to 1000000000")
]
Similarity = Annotated[
    float, BeforeValidator(_without_truth), Field(ge=0, le=1, allow_inf_nan=False), Kind("a number from 0 to 1")
]
Bytes = Annotated[int, BeforeValidator(in_bytes), Field(ge=0, le=10**15), Kind("a number of bytes, as 500 MB or 50 GB")]
Hosts = Annotated[
    tuple[Annotated[str, StringConstraints(pattern=r"^[^\s/@?#,]+$", to_lower=True)], ...],
    BeforeValidator(_split),
    Kind("a list of host names, with commas between them"),
]
RenditionSizes = Annotated[
    tuple[Annotated[str, AfterValidator(_rendition_size)], ...],
    BeforeValidator(_split),
    AfterValidator(_named_once),
    Kind(
        f"a list of names in small letters with the longest side in pixels, 1 to {LONGEST_SIDE}, as hd=3840, with "
        "commas between them; each once, and not large, medium, thumb, original, video or motion"
    ),
]
Networks = Annotated[
    tuple[Annotated[str, AfterValidator(_network)], ...],
    BeforeValidator(_split),
    Kind("a list of addresses or networks as 10.0.0.0/8, with commas between them"),
]
Origins = Annotated[
    tuple[Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#,]+$")], ...],
    BeforeValidator(_split),
    Kind("a list of origins as https://photos.example.org, with commas between them"),
]


def kind(field: FieldInfo) -> str:
    """What the setting accepts, in words."""
    for part in _parts(field.annotation, field.metadata):
        if isinstance(part, Kind):
            return part
        if get_origin(part) is Literal:
            return f"one of: {', '.join(get_args(part))}"
    raise TypeError(f"a setting of an unknown kind: {field!r}")


def is_secret(field: FieldInfo) -> bool:
    return SecretStr in _parts(field.annotation, field.metadata)


def _parts(annotation: Any, metadata: list[Any]) -> list[Any]:
    """A type and what it is annotated with; `X | None` is as X."""
    return [*metadata, annotation, *(part for branch in get_args(annotation) for part in (branch, *get_args(branch)))]

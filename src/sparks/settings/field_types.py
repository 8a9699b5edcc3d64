"""Types of settings, each with the values that it accepts."""

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
RESERVED_SIZE_NAMES: Final = frozenset({"large", "medium", "thumb", "original", "video", "motion"})
MAX_SIDE: Final = 16383  # that WebP can have


class SettingType(str):
    """Description of the accepted values, worded to follow "is not"."""

    __slots__ = ()


class BadFolder(ValueError):
    """An unusable folder; the message says what to do."""


def find_folder(named: Any) -> Any:
    """The absolute path of a folder that exists or may be created; BadFolder where it cannot be used."""
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
        raise BadFolder(f"{str(named)!r} names a user without a home directory: write the whole path") from None
    except FileNotFoundError:
        raise BadFolder("the working directory was deleted: change to another one, or write the whole path") from None
    except NotADirectoryError:
        raise BadFolder(f"{str(named)!r} is not a folder: name another one") from None
    except OSError as error:
        raise BadFolder(f"{str(named)!r} cannot be used ({error.strerror}): name another folder") from None
    return path


def _reject_bool(value: Any) -> Any:
    """Turns true and false of TOML into text, because pydantic would read them as 1 and 0."""
    return str(value) if isinstance(value, bool) else value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _split(value: Any) -> Any:
    """Splits a text with commas, as the environment and options have it. The file has a list."""
    return tuple(part for part in re.split(r"[\s,]+", value) if part) if isinstance(value, str) else value


def parse_bytes(value: Any) -> Any:
    """`50 GB` is 50,000,000,000; pydantic validates values that are no such text."""
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(float(match[1]) * _UNITS[match[2].lower()]) if match else _reject_bool(value)


def _absolute(value: Any) -> Any:
    return Path(value).expanduser().absolute() if isinstance(value, str) and value else value


def _network(value: str) -> str:
    ipaddress.ip_network(value)
    return value


def _rendition_size(value: str) -> str:
    match = _RENDITION_SIZE.fullmatch(value)
    if match is None or match[1] in RESERVED_SIZE_NAMES or not 1 <= int(match[2]) <= MAX_SIDE:
        raise ValueError("not a size of renditions")
    return value


def _unique_names(sizes: tuple[str, ...]) -> tuple[str, ...]:
    if len({size.partition("=")[0] for size in sizes}) < len(sizes):
        raise ValueError("a size that is named twice")
    return sizes


Folder = Annotated[Path, BeforeValidator(find_folder), SettingType("a folder")]
File = Annotated[Path, BeforeValidator(_absolute), SettingType("the name of a file")]
Label = Annotated[str, StringConstraints(pattern=r"^\S[^\r\n]{0,59}$"), SettingType("a text of 1 to 60 characters")]
Word = Annotated[str, StringConstraints(pattern=r"^\S+$"), SettingType("a word without spaces")]
Name = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_.-]{3,63}$"),
    SettingType("a name of 3 to 63 characters of A-Z a-z 0-9 _ . -"),
]
Queue = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,60}$"),
    SettingType("a name of 1 to 60 characters of A-Z a-z 0-9 _ -"),
]
Url = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$"),
    AfterValidator(lambda url: url.rstrip("/")),
    SettingType("an address that begins with http:// or https://"),
]
Site = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#@]+/?$", to_lower=True),
    AfterValidator(lambda url: url.rstrip("/")),
    SettingType("an address that begins with http:// or https://, without a path"),
]
Issuer = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$"),
    SettingType("an address that begins with http:// or https://, exactly as the provider writes it"),
]
Port = Annotated[
    int, BeforeValidator(_reject_bool), Field(ge=0, le=65535), SettingType("a whole number from 0 to 65535")
]
Workers = Annotated[
    int, BeforeValidator(_reject_bool), Field(ge=0, le=256), SettingType("a whole number from 0 to 256")
]
Seconds = Annotated[
    int, BeforeValidator(_reject_bool), Field(ge=1, le=600), SettingType("a whole number from 1 to 600")
]
Secret = Annotated[SecretStr, Field(min_length=1), SettingType("a text that is not empty")]
LogFormat = Annotated[Literal["auto", "json", "text"], BeforeValidator(_lower)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]
Flag = Annotated[bool, SettingType("true or false")]
Days = Annotated[int, BeforeValidator(_reject_bool), Field(ge=1, le=3650), SettingType("a whole number from 1 to 3650")]
VideoSeconds = Annotated[
    int, BeforeValidator(_reject_bool), Field(ge=1, le=86400), SettingType("a whole number from 1 to 86400")
]
Pixels = Annotated[
    int, BeforeValidator(_reject_bool), Field(ge=1, le=2**30), SettingType("a whole number from 1 to 1073741824")
]
Count = Annotated[
    int, BeforeValidator(_reject_bool), Field(ge=0, le=10**9), SettingType("a whole number from 0 to 1000000000")
]
Similarity = Annotated[
    float, BeforeValidator(_reject_bool), Field(ge=0, le=1, allow_inf_nan=False), SettingType("a number from 0 to 1")
]
Bytes = Annotated[
    int, BeforeValidator(parse_bytes), Field(ge=0, le=10**15), SettingType("a number of bytes, such as 500 MB or 50 GB")
]
Hosts = Annotated[
    tuple[Annotated[str, StringConstraints(pattern=r"^[^\s/@?#,]+$", to_lower=True)], ...],
    BeforeValidator(_split),
    SettingType("a list of host names, with commas between them"),
]
RenditionSizes = Annotated[
    tuple[Annotated[str, AfterValidator(_rendition_size)], ...],
    BeforeValidator(_split),
    AfterValidator(_unique_names),
    SettingType(
        f"a list of names in small letters with the longest side in pixels, 1 to {MAX_SIDE}, such as hd=3840, with "
        "commas between them; each once, and not large, medium, thumb, original, video or motion"
    ),
]
Networks = Annotated[
    tuple[Annotated[str, AfterValidator(_network)], ...],
    BeforeValidator(_split),
    SettingType("a list of addresses or networks such as 10.0.0.0/8, with commas between them"),
]
Origins = Annotated[
    tuple[Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#,]+$")], ...],
    BeforeValidator(_split),
    SettingType("a list of origins such as https://photos.example.org, with commas between them"),
]


def setting_type(field: FieldInfo) -> str:
    """The description of the values that the setting accepts."""
    for part in _parts(field.annotation, field.metadata):
        if isinstance(part, SettingType):
            return part
        if get_origin(part) is Literal:
            return f"one of: {', '.join(get_args(part))}"
    raise TypeError(f"a setting of an unknown kind: {field!r}")


def is_secret(field: FieldInfo) -> bool:
    return SecretStr in _parts(field.annotation, field.metadata)


def _parts(annotation: Any, metadata: list[Any]) -> list[Any]:
    """A type with its metadata, and those of its branches: `X | None` has the parts of X."""
    return [*metadata, annotation, *(part for branch in get_args(annotation) for part in (branch, *get_args(branch)))]

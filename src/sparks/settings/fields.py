"""The settings themselves: each with its default, what it accepts and what it means."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, PrivateAttr, SecretStr, StringConstraints
from pydantic.fields import FieldInfo

MASK: Final = "********"
ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared with, not bound to


class Kind(str):
    """What a setting accepts, in words that follow "is not"."""

    __slots__ = ()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def address(host: str, port: int) -> str:
    """The address of this server as seen from this machine."""
    host = ANYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


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


Folder = Annotated[Path, BeforeValidator(find_folder), Kind("a folder")]
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
Port = Annotated[int, BeforeValidator(_without_truth), Field(ge=0, le=65535), Kind("a whole number from 0 to 65535")]
Workers = Annotated[int, BeforeValidator(_without_truth), Field(ge=0, le=256), Kind("a whole number from 0 to 256")]
Seconds = Annotated[int, BeforeValidator(_without_truth), Field(ge=1, le=600), Kind("a whole number from 1 to 600")]
Secret = Annotated[SecretStr, Field(min_length=1), Kind("a text that is not empty")]
LogFormat = Annotated[Literal["auto", "json", "text"], BeforeValidator(_lower)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]


class Settings(BaseModel, frozen=True, extra="forbid"):
    data: Folder = Field(
        default=Path("data"), validate_default=True, description="Folder of the database, the photos and the secrets."
    )
    host: Word = Field(
        default="127.0.0.1", description="Address that `sparks serve` listens on; 0.0.0.0 is all of them."
    )
    port: Port = Field(default=8000, description="Port that `sparks serve` listens on; 0 takes any free one.")
    public_url: Url = Field(
        default_factory=lambda known: address(known["host"], known["port"]),
        description="How browsers reach Sparks; signed addresses begin with it. By default made of host and port.",
    )
    workers: Workers = Field(
        default_factory=_cores,
        description="Worker processes that `sparks serve` keeps running; by default one a core, 0 for the API alone.",
    )
    drain_seconds: Seconds = Field(
        default=10, description="How long requests and jobs at hand may take to finish when Sparks is told to stop."
    )
    log_format: LogFormat = Field(
        default="auto", description="How log lines are written: `auto` is text on a terminal and JSON elsewhere."
    )
    log_level: LogLevel = Field(default="info", description="The least important log lines that are written.")
    table: Literal["sqlite", "dynamodb"] = Field(default="sqlite", description="Where items are kept.")
    table_name: Name = Field(default="sparks", description="Name of the DynamoDB table.")
    blobs: Literal["filesystem", "s3"] = Field(
        default="filesystem", description="Where photos and other files are kept."
    )
    bucket: Name = Field(default="sparks", description="Name of the S3 bucket.")
    jobs: Literal["embedded", "sqs"] = Field(default="embedded", description="Where jobs wait for a worker.")
    queue: Queue = Field(
        default="sparks", description="Name of the job queue; with SQS, what the names of its queues begin with."
    )
    region: Word | None = Field(default=None, description="AWS region; by default what the AWS configuration says.")
    dynamodb_endpoint: Url | None = Field(
        default=None, description="Address of a server that speaks DynamoDB, instead of AWS."
    )
    s3_endpoint: Url | None = Field(default=None, description="Address of a server that speaks S3, instead of AWS.")
    sqs_endpoint: Url | None = Field(default=None, description="Address of a server that speaks SQS, instead of AWS.")
    aws_access_key_id: Secret | None = Field(
        default=None, description="AWS key; by default what the AWS configuration says."
    )
    aws_secret_access_key: Secret | None = Field(default=None, description="Secret of the AWS key.")

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: Any) -> None:
        """Validated with where each value came from, as a context, the settings remember it."""
        self._sources.update(context or {})

    def source(self, name: str) -> str:
        return self._sources.get(name, "default")

    def listening_on(self, port: int) -> Self:
        """The same settings once the port is known, if any free one was asked for."""
        if port == self.port:
            return self
        url = self.public_url if "public_url" in self._sources else address(self.host, port)
        return self.model_copy(update={"port": port, "public_url": url})

    @property
    def database(self) -> Path:
        return self.data / "sparks.db"

    @property
    def blob_folder(self) -> Path:
        return self.data / "blobs"

    @property
    def secret_file(self) -> Path:
        return self.data / "secrets.json"

    def shown(self, name: str) -> str | int | None:
        """The value as a person may see it."""
        value = getattr(self, name)
        return MASK if isinstance(value, SecretStr) else str(value) if isinstance(value, Path) else value

    def variables(self) -> dict[str, str]:
        """What the environment must hold for another process to have the same settings, secrets included."""
        values = {name: getattr(self, name) for name in Settings.model_fields}
        return {variable(name): _plain(value) for name, value in values.items() if value is not None}


def _plain(value: Any) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def variable(name: str) -> str:
    return f"SPARKS_{name.upper()}"


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

"""Definition of every setting: its default, accepted values and meaning."""

import os
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field, PrivateAttr, SecretStr

from sparks.settings.field_types import (
    Bytes,
    Count,
    Days,
    File,
    Flag,
    Folder,
    Hosts,
    Issuer,
    Label,
    LogFormat,
    LogLevel,
    Name,
    Networks,
    Origins,
    Pixels,
    Port,
    Queue,
    RenditionSizes,
    Seconds,
    Secret,
    Similarity,
    Site,
    Url,
    VideoSeconds,
    Word,
    Workers,
)

MASK: Final = "********"
ALL_INTERFACES: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared with, not bound to


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def address(host: str, port: int) -> str:
    """The address of this server as seen from this machine."""
    host = ALL_INTERFACES.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Settings(BaseModel, frozen=True, extra="forbid"):
    data: Folder = Field(
        default=Path("data"), validate_default=True, description="Folder with the database, the photos and the secrets."
    )
    host: Word = Field(
        default="127.0.0.1", description="Address that `sparks serve` listens on; 0.0.0.0 means all addresses."
    )
    port: Port = Field(default=8000, description="Port that `sparks serve` listens on; 0 takes a free one.")
    public_url: Site = Field(
        default_factory=lambda known: address(known["host"], known["port"]),
        description="Address at which browsers reach Sparks; signed addresses begin with it.",
    )
    workers: Workers = Field(
        default_factory=_cores,
        description="Number of worker processes of `sparks serve`; 0 runs the API alone.",
    )
    drain_seconds: Seconds = Field(
        default=10, description="Seconds that running requests and jobs get to finish when Sparks stops."
    )
    log_format: LogFormat = Field(
        default="auto", description="Format of log lines; `auto` is text on a terminal and JSON elsewhere."
    )
    log_level: LogLevel = Field(default="info", description="Lowest level of log lines that are written.")
    allowed_hosts: Hosts = Field(
        default=(),
        description="Host names that Sparks accepts, besides the host of public_url and loopback names.",
    )
    trusted_proxies: Networks = Field(default=(), description="Proxies whose X-Forwarded-For header Sparks trusts.")
    cors_origins: Origins = Field(default=(), description="Other sites whose pages may call the API from a browser.")
    allow_http: Flag = Field(
        default=False, description="Whether users may sign in over plain http at an address other than loopback."
    )
    registration: Literal["closed", "open"] = Field(
        default="closed", description="Whether only invited users may register (`closed`), or everyone (`open`)."
    )
    upload_limit: Count = Field(default=500, description="Number of photos that a new account may upload.")
    upload_limit_bytes: Bytes = Field(default=50 * 10**9, description="Number of bytes that a new account may upload.")
    upload_max_bytes: Bytes = Field(default=10 * 10**9, description="Largest size of one photo or video, in bytes.")
    max_pixels: Pixels = Field(
        default=2**28,
        description="Largest picture that Sparks shows, in pixels; of a larger one it keeps only the original.",
    )
    max_duration: VideoSeconds = Field(
        default=4 * 3600,
        description="Longest video that Sparks shows, in seconds; of a longer one it keeps only the original.",
    )
    rendition_sizes: RenditionSizes = Field(
        default=(), description="Additional renditions besides large, medium and thumb, such as `hd=3840`."
    )
    default_visibility: Literal["community", "private"] = Field(
        default="community", description="Visibility of uploads that do not set it."
    )
    trash_days: Days = Field(default=30, description="Days after which photos in the trash are deleted for good.")
    faces: Flag = Field(default=True, description="Whether Sparks finds faces and groups them into persons.")
    candidate_threshold: Similarity | None = Field(
        default=None,
        description="Lowest similarity of two faces that may be one person; the engine's default is 0.42.",
    )
    strong_threshold: Similarity | None = Field(
        default=None, description="Lowest similarity of two faces that are one person; the engine's default is 0.49."
    )
    person_min_photos: Count = Field(
        default=3, description="Number of photos that a person without a name must be in to be listed."
    )
    session_days: Days = Field(default=30, description="Days without use after which a browser is signed out.")
    session_days_most: Days = Field(default=180, description="Days after which a browser is signed out in any case.")
    admin_email: Word | None = Field(
        default=None,
        description="E-mail address of the first administrator, whom `sparks serve` creates when it starts.",
    )
    admin_password_file: File | None = Field(default=None, description="File with the first administrator's password.")
    oidc_issuer: Issuer | None = Field(
        default=None, description="Address of the OpenID Connect provider that users may sign in with."
    )
    oidc_client_id: Word | None = Field(default=None, description="Client id of Sparks at the provider.")
    oidc_client_secret: Secret | None = Field(
        default=None, description="Client secret of Sparks at the provider; none for a public client."
    )
    oidc_name: Label = Field(default="single sign-on", description="Name of the provider on the sign-in page.")
    oidc_sign_up: Flag = Field(
        default=True, description="Whether a first sign-in with the provider creates an account."
    )
    oidc_trust_email: Flag = Field(
        default=False,
        description="Whether a user gets the account of an e-mail address that the provider has verified.",
    )
    table: Literal["sqlite", "dynamodb"] = Field(
        default="sqlite", description="Store of the table, which holds all data except files."
    )
    table_name: Name = Field(default="sparks", description="Name of the DynamoDB table.")
    blobs: Literal["filesystem", "s3"] = Field(default="filesystem", description="Store of photos and other files.")
    bucket: Name = Field(default="sparks", description="Name of the S3 bucket.")
    jobs: Literal["embedded", "sqs"] = Field(default="embedded", description="Queue in which jobs wait for a worker.")
    queue: Queue = Field(
        default="sparks", description="Name of the job queue; with SQS, the beginning of its queues' names."
    )
    vectors: Literal["embedded"] = Field(default="embedded", description="Index of the vectors of faces.")
    search: Literal["embedded"] = Field(default="embedded", description="Index in which photos are searched.")
    region: Word | None = Field(default=None, description="AWS region; the default comes from the AWS configuration.")
    dynamodb_endpoint: Url | None = Field(
        default=None, description="Address of another server with the API of DynamoDB."
    )
    s3_endpoint: Url | None = Field(default=None, description="Address of another server with the API of S3.")
    sqs_endpoint: Url | None = Field(default=None, description="Address of another server with the API of SQS.")
    aws_access_key_id: Secret | None = Field(
        default=None, description="AWS access key; the default comes from the AWS configuration."
    )
    aws_secret_access_key: Secret | None = Field(default=None, description="Secret of the AWS access key.")

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: Any) -> None:
        """Keeps the source of each value, which the loader passes as the context."""
        self._sources.update(context or {})

    def source(self, name: str) -> str:
        return self._sources.get(name, "default")

    def listening_on(self, port: int) -> Self:
        """The same settings with the port that was found, where the setting is 0."""
        if port == self.port:
            return self
        url = self.public_url if "public_url" in self._sources else address(self.host, port)
        return self.model_copy(update={"port": port, "public_url": url})

    @property
    def database(self) -> Path:
        return self.data / "sparks.db"

    @property
    def search_file(self) -> Path:
        return self.data / "search.db"

    @property
    def blob_folder(self) -> Path:
        return self.data / "blobs"

    @property
    def secret_file(self) -> Path:
        return self.data / "secrets.json"

    @property
    def extra_sizes(self) -> dict[str, int]:
        """The longest sides of the additional renditions, by name."""
        named = (size.split("=") for size in self.rendition_sizes)
        return {name: int(side) for name, side in named}

    def shown(self, name: str) -> str | int | None:
        """The value as it may be displayed; secrets are masked."""
        value = getattr(self, name)
        if isinstance(value, SecretStr):
            return MASK
        return value if value is None or isinstance(value, int) else _plain(value)

    def variables(self) -> dict[str, str]:
        """Environment variables that give another process the same settings, secrets included."""
        values = {name: getattr(self, name) for name in Settings.model_fields}
        return {variable(name): _plain(value) for name, value in values.items() if value is not None}


def _plain(value: Any) -> str:
    """The value as it is written in the environment."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def variable(name: str) -> str:
    return f"SPARKS_{name.upper()}"

"""The settings themselves: each with its default, what it accepts and what it means."""

import os
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field, PrivateAttr, SecretStr

from sparks.settings.kinds import (
    Bytes,
    Count,
    Days,
    File,
    FilmSeconds,
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
    Word,
    Workers,
)

MASK: Final = "********"
ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared with, not bound to


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def address(host: str, port: int) -> str:
    """The address of this server as seen from this machine."""
    host = ANYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Settings(BaseModel, frozen=True, extra="forbid"):
    data: Folder = Field(
        default=Path("data"), validate_default=True, description="Folder of the database, the photos and the secrets."
    )
    host: Word = Field(
        default="127.0.0.1", description="Address that `sparks serve` listens on; 0.0.0.0 is all of them."
    )
    port: Port = Field(default=8000, description="Port that `sparks serve` listens on; 0 takes any free one.")
    public_url: Site = Field(
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
    allowed_hosts: Hosts = Field(
        default=(),
        description="Host names that Sparks answers to, besides that of public_url and those of this machine.",
    )
    trusted_proxies: Networks = Field(
        default=(), description="Proxies that are believed when they tell a client's address in X-Forwarded-For."
    )
    cors_origins: Origins = Field(
        default=(), description="Other sites whose pages may call the API from a browser; none by default."
    )
    allow_http: Flag = Field(
        default=False, description="Lets people sign in over plain http at an address that is not this machine's own."
    )
    registration: Literal["closed", "open"] = Field(
        default="closed", description="Who may register: only those invited, or everyone."
    )
    upload_limit: Count = Field(default=500, description="Photos that a new account may upload.")
    upload_limit_bytes: Bytes = Field(default=50 * 10**9, description="Bytes that a new account may upload.")
    upload_max_bytes: Bytes = Field(default=10 * 10**9, description="Bytes that one photo or video may have.")
    max_pixels: Pixels = Field(
        default=2**28,
        description="Pixels that a picture may have to be shown; of a larger one only the original is kept.",
    )
    max_duration: FilmSeconds = Field(
        default=4 * 3600, description="Seconds that a video may have to be shown; of a longer one the original is kept."
    )
    rendition_sizes: RenditionSizes = Field(
        default=(), description="Renditions that are made besides large, medium and thumb, as `hd=3840`."
    )
    default_visibility: Literal["community", "private"] = Field(
        default="community", description="Who sees an upload that says nothing about it."
    )
    trash_days: Days = Field(default=30, description="Days after which what is in the trash is deleted for good.")
    faces: Flag = Field(default=True, description="Whether faces are looked for, and grouped into persons.")
    candidate_threshold: Similarity | None = Field(
        default=None,
        description="How alike two faces must be to perhaps be one person; by default as the engine knows it (0.42).",
    )
    strong_threshold: Similarity | None = Field(
        default=None, description="How alike two faces must be to be one person; by default as the engine knows (0.49)."
    )
    person_min_photos: Count = Field(default=3, description="Photos that make a person listed who has no name.")
    session_days: Days = Field(default=30, description="Days after which a browser that was not used is signed out.")
    session_days_most: Days = Field(default=180, description="Days after which a browser is signed out in any case.")
    admin_email: Word | None = Field(
        default=None, description="E-mail address of the first administrator, made when `sparks serve` starts."
    )
    admin_password_file: File | None = Field(
        default=None, description="File that holds the first administrator's password."
    )
    oidc_issuer: Issuer | None = Field(
        default=None, description="Address of the OpenID Connect provider that people may sign in with."
    )
    oidc_client_id: Word | None = Field(default=None, description="What the provider calls this Sparks.")
    oidc_client_secret: Secret | None = Field(
        default=None, description="Secret that the provider gave this Sparks, if it gave one."
    )
    oidc_name: Label = Field(default="single sign-on", description="What the provider is called on the sign-in page.")
    oidc_sign_up: Flag = Field(default=True, description="Whether a first sign-in with the provider makes an account.")
    oidc_trust_email: Flag = Field(
        default=False,
        description="Whether an e-mail address that the provider has verified opens the account of that address.",
    )
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
        """The longest side of each rendition that is made besides the usual ones, by its name."""
        named = (size.split("=") for size in self.rendition_sizes)
        return {name: int(side) for name, side in named}

    def shown(self, name: str) -> str | int | None:
        """The value as a person may see it."""
        value = getattr(self, name)
        if isinstance(value, SecretStr):
            return MASK
        return value if value is None or isinstance(value, int) else _plain(value)

    def variables(self) -> dict[str, str]:
        """What the environment must hold for another process to have the same settings, secrets included."""
        values = {name: getattr(self, name) for name in Settings.model_fields}
        return {variable(name): _plain(value) for name, value in values.items() if value is not None}


def _plain(value: Any) -> str:
    """As it would be written in the environment."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def variable(name: str) -> str:
    return f"SPARKS_{name.upper()}"

"""Argument checks and body encoding shared by the job adapters."""

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from sparks.jobs.port import (
    MAX_BODY_BYTES,
    MAX_BODY_DEPTH,
    MAX_DELAY,
    MAX_JOBS,
    MAX_LEASE,
    MAX_NAME,
    MAX_REASON,
    MAX_WAIT,
    Job,
)
from sparks.model.errors import BadInput, TooLarge

KIND: Final = re.compile(r"[A-Za-z0-9._-]{1,80}")


def encode_body(job: Job) -> str:
    """The body as it is stored: compact JSON in ASCII, which every engine keeps unchanged."""
    if not KIND.fullmatch(job.kind):
        raise BadInput(f"{job.kind!r} is not a kind of job: it has 1 to 80 letters, digits, '-', '_' or '.'")
    if not isinstance(job.body, Mapping):
        raise BadInput(f"the body of a {job.kind} job is not a mapping")
    body = dict(job.body)
    if not _is_json(body, MAX_BODY_DEPTH):
        raise BadInput(f"the body of a {job.kind} job is not JSON, or nested too deep")
    try:
        text = json.dumps(body, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise BadInput(f"the body of a {job.kind} job is not JSON: {error}") from error
    if len(text) > MAX_BODY_BYTES:
        raise TooLarge(f"the body of a {job.kind} job has {len(text)} bytes, more than {MAX_BODY_BYTES}")
    return text


def decode_body(kind: str, text: str) -> Job:
    return Job(kind, json.loads(text))


def _is_json(value: Any, depth: int) -> bool:
    match value:
        case dict():
            inside = depth > 0 and all(isinstance(key, str) for key in value)
            return inside and all(_is_json(part, depth - 1) for part in value.values())
        case list() | tuple():
            return depth > 0 and all(_is_json(part, depth - 1) for part in value)
        case _:
            return value is None or isinstance(value, str | int | float)


def mentions(value: Any, text: str) -> bool:
    """Whether a body, or a part of it, holds exactly this text as a value or a key."""
    match value:
        case Mapping():
            return text in value or any(mentions(part, text) for part in value.values())
        case list() | tuple():
            return any(mentions(part, text) for part in value)
        case _:
            return bool(value == text)


def check_sending(*, delay: float, deduplication: str | None, group: str | None) -> None:
    _check_seconds("delay", delay, least=0, most=MAX_DELAY)
    if delay and (deduplication is not None or group is not None):
        raise BadInput("a delay cannot be combined with a deduplication key or a group")
    for what, name in (("deduplication key", deduplication), ("group", group)):
        if name is not None and not 1 <= len(name) <= MAX_NAME:
            raise BadInput(f"a {what} has 1 to {MAX_NAME} characters, not {len(name)}")


def check_receiving(*, most: int, wait: float, lease: float) -> None:
    if most not in range(1, MAX_JOBS + 1):
        raise BadInput(f"1 to {MAX_JOBS} jobs can be received at once, not {most}")
    _check_seconds("wait", wait, least=0, most=MAX_WAIT)
    check_lease(lease)


def check_lease(lease: float) -> None:
    _check_seconds("lease", lease, least=1, most=MAX_LEASE)


def check_retry(delay: float) -> None:
    _check_seconds("delay", delay, least=0, most=MAX_LEASE)


def check_listing(most: int) -> None:
    if most < 1:
        raise BadInput(f"at least 1 dead letter can be listed, not {most}")


def _check_seconds(what: str, value: float, *, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadInput(f"a {what} is {least} to {most} seconds, not {value}")


def clean_reason(reason: str | None) -> str | None:
    """The reason, cut and encodable: an error message may contain surrogates from odd file names."""
    return None if reason is None else reason[:MAX_REASON].encode(errors="replace").decode()


def fingerprint(name: str) -> str:
    """A hash of the name, which every engine accepts and which hides ids and e-mail addresses."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()


def new_id() -> str:
    return uuid.uuid4().hex


def from_epoch(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

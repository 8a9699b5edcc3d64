"""Log formatters, redaction, and the request or job that a log line belongs to.

The code logs no e-mail addresses, secrets or signed URLs on purpose. Those that slip through, for example in the text
of an exception, are blanked here.
"""

import logging
import os
import re
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import msgspec

from sparks.model import times

REQUEST_ID: Final = ContextVar[str | None]("request_id", default=None)
JOB_ID: Final = ContextVar[str | None]("job_id", default=None)

_URL_QUERY: Final = re.compile(r"(?<=[\w/.=%-])\?[\w.~-]+=[^\s'\"<>]*")
_EMAIL: Final = re.compile(r"(?<![\w.+%'-])[\w.+%'-]+(?:@|%40)[\w-]+(?:\.[\w-]+)*")
_SECRET: Final = re.compile(r"(?<![\w-])(?:[\w-]{1,68}\.[\w-]{43}|eyJ[\w-]{5,}\.[\w-]+\.[\w-]*)(?![\w-])", re.ASCII)
_CONTROL_CHARACTER: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_STANDARD_ATTRIBUTES: Final = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}
_COLORS: Final = {"DEBUG": "\x1b[2m", "WARNING": "\x1b[33m", "ERROR": "\x1b[31m", "CRITICAL": "\x1b[1;31m"}
_VERBOSE_LOGGERS: Final = ("asyncio", "boto3", "botocore", "s3transfer", "urllib3", "uvicorn")


def new_request_id() -> str:
    return uuid.uuid4().hex


@contextmanager
def log_context(*, request_id: str | None = None, job_id: str | None = None) -> Iterator[None]:
    """Adds these ids to all log lines inside the block."""
    tokens = REQUEST_ID.set(request_id), JOB_ID.set(job_id)
    try:
        yield
    finally:
        REQUEST_ID.reset(tokens[0])
        JOB_ID.reset(tokens[1])


def configure_logs(*, form: str, level: str, stream: TextIO | None = None) -> None:
    """Writes all log lines of this process, also those of libraries, to the stream (by default stderr) in one form."""
    stream = stream or sys.stderr
    terminal = stream.isatty()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        JsonLines()
        if form == "json" or (form == "auto" and not terminal)
        else TextLines(colors=terminal and allows_colors(os.environ))
    )
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level.upper())
    for name in _VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.root.level))
    logging.captureWarnings(capture=True)


def allows_colors(environment: Mapping[str, str]) -> bool:
    """Whether the environment allows colors: NO_COLOR is not set, and the terminal is not a dumb one."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def redacted(text: str) -> str:
    """The text without e-mail addresses, secrets and the queries of URLs (perhaps signatures); always valid UTF-8."""
    if not text.isascii():
        text = text.encode(errors="backslashreplace").decode()
    if "." in text:
        text = _SECRET.sub("(secret)", text)
    if "?" in text:
        text = _URL_QUERY.sub("?(query)", text)
    if "@" in text or "%40" in text:
        text = _EMAIL.sub("(e-mail)", text)
    return text


class JsonLines(logging.Formatter):
    """Formats each record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": times.iso(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted(record.getMessage()),
            **_fields(record),
        }
        if record.exc_info:
            line["exception"] = redacted(self.formatException(record.exc_info))
        return msgspec.json.encode(line, enc_hook=str).decode()


class TextLines(logging.Formatter):
    """Formats each record as text: time, level unless it is info, message and fields that the message lacks."""

    def __init__(self, *, colors: bool) -> None:
        super().__init__()
        self._colors = colors

    def format(self, record: logging.LogRecord) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        message = redacted(record.getMessage())
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items() if str(value) not in message)
        line = f"{clock} {self._colored(f'{level}{message}', record.levelname)}{self._colored(fields, 'DEBUG')}"
        return f"{line}\n{redacted(self.formatException(record.exc_info))}" if record.exc_info else line

    def _colored(self, text: str, level: str) -> str:
        text = _CONTROL_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)
        return f"{_COLORS[level]}{text}\x1b[0m" if self._colors and text and level in _COLORS else text


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    ids = {"requestId": REQUEST_ID.get(), "jobId": JOB_ID.get()}
    extras = {name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES}
    return {name: _clean(value) for name, value in {**ids, **extras}.items() if value is not None}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    return {name: _clean(each) for name, each in value.items()} if isinstance(value, dict) else value

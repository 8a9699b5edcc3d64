"""Log lines: JSON for machines, readable ones on a terminal; each with the request or job that it belongs to.

[Note: what no log line holds] Nobody logs e-mail addresses, secrets or signed URLs on purpose. What slips through,
inside the text of an exception for instance, is blanked here.
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

_QUERY: Final = re.compile(r"(?<=[\w/.=%-])\?[\w.~-]+=[^\s'\"<>]*")
_EMAIL: Final = re.compile(r"(?<![\w.+%'-])[\w.+%'-]+(?:@|%40)[\w-]+(?:\.[\w-]+)*")
_SECRET: Final = re.compile(r"(?<![\w-])(?:[\w-]{1,68}\.[\w-]{43}|eyJ[\w-]{5,}\.[\w-]+\.[\w-]*)(?![\w-])", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NATIVE: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}
_COLOURS: Final = {"DEBUG": "\x1b[2m", "WARNING": "\x1b[33m", "ERROR": "\x1b[31m", "CRITICAL": "\x1b[1;31m"}
_CHATTY: Final = ("asyncio", "boto3", "botocore", "s3transfer", "urllib3", "uvicorn")


def new_request_id() -> str:
    return uuid.uuid4().hex


@contextmanager
def about(*, request_id: str | None = None, job_id: str | None = None) -> Iterator[None]:
    """Log lines written inside carry these ids."""
    tokens = REQUEST_ID.set(request_id), JOB_ID.set(job_id)
    try:
        yield
    finally:
        REQUEST_ID.reset(tokens[0])
        JOB_ID.reset(tokens[1])


def configure_logs(*, form: str, level: str, stream: TextIO | None = None) -> None:
    """Sends every log line of this process, those of libraries too, to the stream (stderr) in one form."""
    stream = stream or sys.stderr
    terminal = stream.isatty()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        JsonLines()
        if form == "json" or (form == "auto" and not terminal)
        else TextLines(colours=terminal and allows_colours(os.environ))
    )
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.root.level))
    logging.captureWarnings(capture=True)


def allows_colours(environment: Mapping[str, str]) -> bool:
    """What a person, or a terminal that cannot show them, says about colours."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def redacted(text: str) -> str:
    """The text without e-mail addresses, secrets and the queries of URLs (perhaps signatures); always good UTF-8."""
    if not text.isascii():
        text = text.encode(errors="backslashreplace").decode()
    if "." in text:
        text = _SECRET.sub("(secret)", text)
    if "?" in text:
        text = _QUERY.sub("?(query)", text)
    if "@" in text or "%40" in text:
        text = _EMAIL.sub("(e-mail)", text)
    return text


class JsonLines(logging.Formatter):
    """One JSON object a line."""

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
    """Time, level if it matters, message and what belongs to it."""

    def __init__(self, *, colours: bool) -> None:
        super().__init__()
        self._colours = colours

    def format(self, record: logging.LogRecord) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        message = redacted(record.getMessage())
        unsaid = "".join(f" {name}={value}" for name, value in _fields(record).items() if str(value) not in message)
        line = f"{clock} {self._coloured(f'{level}{message}', record.levelname)}{self._coloured(unsaid, 'DEBUG')}"
        return f"{line}\n{redacted(self.formatException(record.exc_info))}" if record.exc_info else line

    def _coloured(self, text: str, level: str) -> str:
        text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
        return f"{_COLOURS[level]}{text}\x1b[0m" if self._colours and text and level in _COLOURS else text


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    ids = {"requestId": REQUEST_ID.get(), "jobId": JOB_ID.get()}
    extras = {name: value for name, value in vars(record).items() if name not in _NATIVE}
    return {name: _clean(value) for name, value in {**ids, **extras}.items() if value is not None}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    return {name: _clean(each) for name, each in value.items()} if isinstance(value, dict) else value

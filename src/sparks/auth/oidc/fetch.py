"""JSON over HTTPS: asked once, without following anybody elsewhere, and given up when it is late or large.

[Note: no pool] A provider is asked a few times an hour, so every question has a connection of its own.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec
import urllib3

from sparks.model.errors import Unavailable

PATIENCE: Final = 5.0  # seconds
LARGEST: Final = 1 << 20

_PIECE: Final = 1 << 16
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "sparks"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    document: dict[str, Any]


def fetch_json(url: str, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    """What is told there, whatever the status; with a form it is a POST. Unavailable where there is no JSON object."""
    try:
        status, body = _fetch(url, form, {**_HEADERS, **(headers or {})})
    except urllib3.exceptions.HTTPError as error:
        raise Unavailable(f"{_place(url)} cannot be reached ({type(error).__name__}): try again later") from error
    try:
        return Answer(status, msgspec.json.decode(body, type=dict[str, Any]))
    except (ValueError, RecursionError) as error:
        raise Unavailable(f"{_place(url)} answered {status}, but not with a JSON object: try again later") from error


def get_json(url: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What is told there with the status 200, or else Unavailable."""
    answer = fetch_json(url, headers=headers)
    if answer.status != HTTPStatus.OK:
        raise Unavailable(f"{_place(url)} answered {answer.status}: try again later")
    return answer.document


def _fetch(url: str, form: Mapping[str, str] | None, headers: dict[str, str]) -> tuple[int, bytes]:
    deadline = time.monotonic() + PATIENCE
    if form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    with urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(total=PATIENCE)) as pool:
        response = pool.request(
            "GET" if form is None else "POST",
            url,
            body=None if form is None else urlencode(form),
            headers=headers,
            redirect=False,
            preload_content=False,
        )
        try:
            return response.status, _read(response, url, deadline)
        finally:
            response.close()


def _read(response: urllib3.BaseHTTPResponse, url: str, deadline: float) -> bytes:
    body = bytearray()
    while piece := response.read1(_PIECE, decode_content=False):
        body += piece
        if len(body) > LARGEST:
            raise Unavailable(f"{_place(url)} answered with more than {LARGEST} bytes")
        if time.monotonic() > deadline:
            raise Unavailable(f"{_place(url)} took longer than {PATIENCE:g} s to answer: try again later")
    return bytes(body)


def _place(url: str) -> str:
    return f"the sign-in provider at {urlsplit(url).netloc}"

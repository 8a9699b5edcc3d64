"""JSON over HTTPS with limits of time and size, and its cache.

There are a few requests an hour, so each opens a connection of its own.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec
import urllib3

from sparks.model.errors import Unavailable

TIMEOUT: Final = 5.0  # seconds
LOCK_TIMEOUT: Final = 0.5  # short, so that threads that wait for a slow provider leave others to serve requests
MAX_BYTES: Final = 1 << 20

_CHUNK: Final = 1 << 16
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "sparks"}

T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JsonResponse:
    status: int
    document: dict[str, Any]


def fetch_json(
    url: str, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
) -> JsonResponse:
    """The JSON object at the URL, whatever the status; a form is sent by POST. Unavailable where there is none."""
    try:
        status, body = _fetch(url, form, {**_HEADERS, **(headers or {})})
    except urllib3.exceptions.HTTPError as error:
        raise Unavailable(f"{_provider_at(url)} cannot be reached ({type(error).__name__}): try again later") from error
    try:
        return JsonResponse(status, msgspec.json.decode(body, type=dict[str, Any]))
    except (ValueError, RecursionError) as error:
        raise Unavailable(
            f"{_provider_at(url)} answered {status}, but not with a JSON object: try again later"
        ) from error


def get_json(url: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object at the URL. Unavailable unless the status is 200."""
    response = fetch_json(url, headers=headers)
    if response.status != HTTPStatus.OK:
        raise Unavailable(f"{_provider_at(url)} answered {response.status}: try again later")
    return response.document


def _fetch(url: str, form: Mapping[str, str] | None, headers: dict[str, str]) -> tuple[int, bytes]:
    deadline = time.monotonic() + TIMEOUT
    if form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    with urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(total=TIMEOUT)) as pool:
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
    while chunk := response.read1(_CHUNK, decode_content=False):
        body += chunk
        if len(body) > MAX_BYTES:
            raise Unavailable(f"{_provider_at(url)} answered with more than {MAX_BYTES} bytes")
        if time.monotonic() > deadline:
            raise Unavailable(f"{_provider_at(url)} took longer than {TIMEOUT:g} s to answer: try again later")
    return bytes(body)


def _provider_at(url: str) -> str:
    return f"the sign-in provider at {urlsplit(url).netloc}"


class CachedDocument(Generic[T]):
    """A value that is loaded at the first `get`, and again when it is `good_for` seconds old, by one thread at a time.

    At least `pause` seconds pass between two loads, also after a failed one. While loading fails, the last value stays
    valid.
    """

    def __init__(
        self,
        load: Callable[[], T],
        *,
        good_for: float,
        pause: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load = load
        self._good_for = good_for
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._loaded: tuple[T, float] | None = None
        self._tried_at = float("-inf")
        self._failure = Unavailable("the sign-in provider has not answered yet: try again in a moment")

    def get(self) -> T:
        """Unavailable where it was never loaded."""
        loaded = self._loaded
        if loaded is None:
            return self.reload()
        value, loaded_at = loaded
        if self._clock() - loaded_at < self._good_for or not self._lock.acquire(blocking=False):
            return value
        try:
            return self._load_if_due()
        finally:
            self._lock.release()

    def reload(self) -> T:
        """Loads the value again, unless that was tried a moment ago or another thread is slow to do it."""
        if not self._lock.acquire(timeout=LOCK_TIMEOUT):
            return self._last()
        try:
            return self._load_if_due()
        finally:
            self._lock.release()

    def _load_if_due(self) -> T:
        if self._clock() - self._tried_at >= self._pause:
            try:
                self._loaded = self._load(), self._clock()
            except Unavailable as error:
                self._failure = error
                log.warning("%s", error)
            finally:
                self._tried_at = self._clock()
        return self._last()

    def _last(self) -> T:
        if self._loaded is None:
            raise Unavailable(str(self._failure)) from self._failure
        return self._loaded[0]

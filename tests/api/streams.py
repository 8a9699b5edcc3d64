"""Reads a stream of events block by block, as a browser does."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests.api.community import Headers

PATIENCE = 60

Block = dict[str, str]


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event, and the id after which the stream can be resumed."""

    kind: str
    data: dict[str, Any]
    id: str


class Follower:
    def __init__(self, answer: httpx.Response) -> None:
        self.status = answer.status_code
        self.headers = answer.headers
        self._lines = answer.iter_lines()

    def block(self) -> Block | None:
        """The next block, without its comments; None at the end."""
        block: Block = {}
        for line in self._lines:
            if not line:
                return block
            name, _, value = line.partition(": ")
            block |= {name: value} if name else {}
        return None

    def next_event(self) -> StreamEvent:
        """The next event; EOFError where the stream ends before it."""
        while (block := self.block()) is not None:
            if "event" in block:
                return StreamEvent(block["event"], json.loads(block["data"]), block["id"])
        raise EOFError

    def rest(self) -> list[StreamEvent]:
        """All blocks until the stream ends."""
        result = []
        try:
            while True:
                result.append(self.next_event())
        except EOFError:
            return result


@contextmanager
def follow(url: str, headers: Headers, *, since: str | None = None, path: str = "/api/events") -> Iterator[Follower]:
    resumed = {} if since is None else {"Last-Event-ID": since}
    with (
        httpx.Client(timeout=PATIENCE) as client,
        client.stream("GET", f"{url}{path}", headers=headers | resumed) as answer,
    ):
        yield Follower(answer)

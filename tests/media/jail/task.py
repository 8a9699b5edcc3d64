"""The task of the jails in these tests: calls the function that it is told to, inside the child."""

import os
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparks.media.jail import Answer, Jail, Report
from sparks.media.jail.frames import HEAD

MEMORY = 256 << 20
SECONDS = 60.0  # longer than any of them needs, however busy the machine is


@dataclass(frozen=True, slots=True)
class Order:
    function: str
    arguments: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Result:
    value: Any
    pid: int


@dataclass(slots=True)
class Hands:
    """What the child was handed for this request, and the blobs that it gives back."""

    files: Sequence[int] = ()
    report: Report = lambda _: None
    blobs: Sequence[bytes] = ()


hands = Hands()


def run(order: Order, files: Sequence[int], report: Report) -> Answer[Result]:
    hands.files, hands.report, hands.blobs = files, report, ()
    value = pkgutil.resolve_name(order.function)(*order.arguments)
    return Answer(Result(value=value, pid=os.getpid()), hands.blobs)


def warm() -> None:
    """What is not imported before cannot be imported in there."""
    for module in ("attacks", "crashes", "manners"):
        pkgutil.resolve_name(f"tests.media.jail.{module}")


def make_jail(*, warm: Callable[[], None] = warm, **settings: Any) -> Jail[Result]:
    return Jail(task=name_of(run), warm=name_of(warm), answer=Result, **{"memory": MEMORY, **settings})


def call(
    jail: Jail[Result],
    function: Callable[..., Any],
    *arguments: Any,
    files: Sequence[int] = (),
    seconds: float = SECONDS,
) -> Any:
    """The function's value, from within the jail."""
    order = Order(name_of(function), list(arguments))
    return jail.run(order, files, seconds=seconds).value.value


def name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}:{function.__name__}"


def frame(kind: int, payload: bytes, *, size: int | None = None) -> bytes:
    """As it goes over the line; `size` is for one that lies about its length."""
    return HEAD.pack(kind, len(payload) if size is None else size) + payload

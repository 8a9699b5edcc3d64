"""Task of the sandboxes in these tests: calls the function that a request names, inside the child."""

import os
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparks.media.sandbox import Sandbox
from sparks.media.sandbox.protocol import HEADER, Report, TaskResult

MEMORY = 256 << 20
SECONDS = 60.0  # longer than any of them needs, however busy the machine is


@dataclass(frozen=True, slots=True)
class TaskRequest:
    function: str
    arguments: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Result:
    value: Any
    pid: int


@dataclass(slots=True)
class TaskContext:
    """Files and report of the running request, and the blobs of its result."""

    files: Sequence[int] = ()
    report: Report = lambda _: None
    blobs: Sequence[bytes] = ()


context = TaskContext()


def run(request: TaskRequest, files: Sequence[int], report: Report) -> TaskResult[Result]:
    context.files, context.report, context.blobs = files, report, ()
    value = pkgutil.resolve_name(request.function)(*request.arguments)
    return TaskResult(Result(value=value, pid=os.getpid()), context.blobs)


def preload() -> None:
    """Imports the task modules, because a child cannot read files."""
    for module in ("attacks", "crashes", "good_tasks"):
        pkgutil.resolve_name(f"tests.media.sandbox.{module}")


def make_sandbox(*, preload: Callable[[], None] = preload, **settings: Any) -> Sandbox[Result]:
    return Sandbox(task=name_of(run), preload=name_of(preload), value_type=Result, **{"memory": MEMORY, **settings})


def call(
    sandbox: Sandbox[Result],
    function: Callable[..., Any],
    *arguments: Any,
    files: Sequence[int] = (),
    seconds: float = SECONDS,
) -> Any:
    """The value that the function returns inside the sandbox."""
    request = TaskRequest(name_of(function), list(arguments))
    return sandbox.run(request, files, seconds=seconds).value.value


def name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}:{function.__name__}"


def frame(kind: int, payload: bytes, *, size: int | None = None) -> bytes:
    """The bytes of a frame; `size` overrides the length that its header declares."""
    return HEADER.pack(kind, len(payload) if size is None else size) + payload

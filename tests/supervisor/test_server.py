"""Server: readiness, listening, periodic jobs, and errors at the start."""

import asyncio
import errno
import fcntl
import os
import signal
import socket
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sparks import supervisor
from sparks.jobs.memory import MemoryJobs
from sparks.journey import STEPS_AFTER, Journey
from sparks.model.errors import BadSetting, Damaged
from sparks.model.events import PatrolDue, UpkeepDue

A_DAY = 24 * 3600  # the deadline of the drain goes on when `serve` has returned, and would end the tests


def nothing() -> None: ...


def serve(
    check: Callable[[], Awaitable[bool]],
    *,
    ready: Callable[[], None] = nothing,
    upkeep: Callable[[], None] = nothing,
) -> None:
    with supervisor.listen("127.0.0.1", 0) as listener:
        periodic = [supervisor.PeriodicJob("upkeep", upkeep, A_DAY)]
        supervisor.serve(
            Starlette(), listener=listener, workers=[], check=check, periodic=periodic, ready=ready, drain_seconds=A_DAY
        )


def stop() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_an_error_of_the_readiness_check_ends_the_server_with_the_reason() -> None:
    async def check() -> bool:
        raise Damaged("the database is damaged")

    with pytest.raises(Damaged, match="the database is damaged"):
        serve(check)


def test_the_server_checks_until_all_is_ready() -> None:
    answers = iter([False, False, True])

    async def check() -> bool:
        await asyncio.sleep(0)
        return next(answers)

    serve(check, ready=stop)
    assert list(answers) == []


def test_the_server_trusts_no_forwarded_address() -> None:
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend((scope["client"][0], scope["scheme"]))
        await Response()(scope, receive, send)

    with supervisor.listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        async def check() -> bool:
            forged = {"X-Forwarded-For": "1.2.3.4", "X-Forwarded-Proto": "https"}
            async with httpx.AsyncClient() as client:
                await client.get(f"http://127.0.0.1:{port}/", headers=forged)
            return True

        supervisor.serve(app, listener=listener, workers=[], check=check, periodic=[], ready=stop, drain_seconds=A_DAY)
    assert seen == ["127.0.0.1", "http"]


def test_a_failing_periodic_job_does_not_end_the_server(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> bool:
        await asyncio.sleep(0)
        return True

    def fail() -> None:
        stop()
        raise RuntimeError("nobody foresaw this")

    serve(check, upkeep=fail)
    assert "nobody foresaw this" in caplog.text


def test_a_data_folder_that_cannot_be_locked_is_a_wrong_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(BadSetting, match="cannot be locked"), supervisor.hold_data_folder(tmp_path):
        pass


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EACCES, "ports below 1024 are reserved for the superuser"),
        (errno.EADDRNOTAVAIL, r"\(Cannot assign requested address\)"),
    ],
)
def test_an_address_that_cannot_be_listened_on_is_a_short_error(
    number: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, f"{os.strerror(number)} (while attempting to bind on address ('127.0.0.1', 80))")

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(BadSetting, match=message):
        supervisor.listen("127.0.0.1", 80)


def test_the_patrol_is_sent_every_five_minutes_and_the_upkeep_every_hour() -> None:
    jobs = MemoryJobs()
    periodic = supervisor.periodic_jobs(Journey(), jobs)
    assert {periodic_job.name: periodic_job.seconds for periodic_job in periodic} == {"upkeep": 3600, "patrol": 300}
    for periodic_job in [*periodic, *periodic]:
        periodic_job.send()
    kinds = Counter(delivery.job.kind for delivery in jobs.receive(wait=0))
    assert kinds == {kind: 1 for event in (UpkeepDue, PatrolDue) for kind in STEPS_AFTER[event]}

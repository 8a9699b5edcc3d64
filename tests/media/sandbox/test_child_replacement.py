"""A child that failed is replaced, and the worker continues."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from sparks.media.sandbox import Sandbox
from sparks.media.sandbox.protocol import FrameKind
from sparks.model.errors import Damaged, Unavailable
from tests.media.sandbox import crashes, good_tasks
from tests.media.sandbox.processes import is_running, parent_of
from tests.media.sandbox.tasks import SECONDS, Result, TaskRequest, call, frame, make_sandbox, name_of
from tests.servers.process import wait_until

INVALID_FRAMES = {
    "noise": b"\xff" * 1000,
    "a kind that only the worker sends": frame(FrameKind.REQUEST, b""),
    "a kind that is expected only at the start": frame(FrameKind.READY, msgspec.msgpack.encode(())),
    "an unknown kind": frame(0, b""),
    "a value of 4 GB": frame(FrameKind.VALUE, b"", size=2**32 - 1),
    "a blob of 4 GB": frame(FrameKind.BLOB, b"", size=2**32 - 1),
    "long progress": frame(FrameKind.PROGRESS, b"\x00" * 17),
    "garbled progress": frame(FrameKind.PROGRESS, b"\xc1"),
    "a garbled error": frame(FrameKind.ERROR, b"\xc1"),
    "an error of another shape": frame(FrameKind.ERROR, msgspec.msgpack.encode({"name": 1, "message": []})),
    "an empty value": frame(FrameKind.VALUE, b""),
    "a value of another shape": frame(FrameKind.VALUE, msgspec.msgpack.encode({"value": 1, "pid": "one"})),
    "a deep value": frame(FrameKind.VALUE, b"\x82\xa5value" + b"\x91" * 100_000 + b"\x00\xa3pid\x01"),
    "a value that says it is long": frame(FrameKind.VALUE, b"\x82\xa5value\xdf\xff\xff\xff\xff"),
    "text that is none": frame(FrameKind.VALUE, b"\x82\xa5value\xa1\xff\xa3pid\x01"),
}


@pytest.mark.parametrize("crash", [crashes.segfault, crashes.abort, crashes.exit_now])
def test_a_crash_makes_the_file_damaged(sandbox: Sandbox[Result], crash: Callable[..., None]) -> None:
    before = call(sandbox, good_tasks.own_pid)
    with pytest.raises(Damaged, match="the decoder crashed"):
        call(sandbox, crash)

    assert call(sandbox, good_tasks.own_pid) != before
    assert not is_running(before)


def test_a_child_that_closes_its_connection_is_killed(sandbox: Sandbox[Result]) -> None:
    before = call(sandbox, good_tasks.own_pid)
    with pytest.raises(Damaged):
        call(sandbox, crashes.close_connection_and_hang)

    assert not is_running(before)
    assert call(sandbox, good_tasks.echo, "next") == "next"


@pytest.mark.parametrize("what", INVALID_FRAMES)
def test_an_invalid_frame_makes_the_file_damaged(sandbox: Sandbox[Result], what: str) -> None:
    with pytest.raises(Damaged, match="no proper answer"):
        call(sandbox, crashes.send_and_hang, INVALID_FRAMES[what])

    assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_result_with_too_many_blob_bytes_is_rejected() -> None:
    with make_sandbox(max_reply_bytes=10_000) as sandbox:
        assert call(sandbox, good_tasks.make_blobs, [5000]) is None
        with pytest.raises(Damaged, match="no proper answer"):
            call(sandbox, good_tasks.make_blobs, [5000, 5000, 5000])
        with pytest.raises(Damaged, match="no proper answer"):
            call(sandbox, good_tasks.make_blobs, [0] * 1000)


def test_a_value_above_a_megabyte_is_rejected(sandbox: Sandbox[Result]) -> None:
    with pytest.raises(Damaged, match="no proper answer"):
        call(sandbox, good_tasks.make_value, 2_000_000)


def test_a_child_that_ends_while_idle_is_replaced_without_an_error(sandbox: Sandbox[Result]) -> None:
    pid = call(sandbox, good_tasks.own_pid)
    call(sandbox, crashes.exit_later)
    wait_until(lambda: not is_running(pid), what="the child to end")

    assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_child_that_sends_data_while_idle_is_replaced(sandbox: Sandbox[Result]) -> None:
    """Its data must not be read as the result of the next file."""
    forged = frame(FrameKind.VALUE, msgspec.msgpack.encode({"value": "forged", "pid": 1}))
    pid = call(sandbox, good_tasks.own_pid)
    call(sandbox, crashes.send_later, forged)
    child = sandbox._child
    assert child is not None
    wait_until(lambda: not child.is_idle(), what="the child to send data")

    assert call(sandbox, good_tasks.echo, "honest") == "honest"
    assert not is_running(pid)


def test_a_child_is_replaced_after_its_maximum_of_requests() -> None:
    with make_sandbox(max_requests=3) as sandbox:
        pids = [call(sandbox, good_tasks.own_pid) for _ in range(7)]

    assert [pids.index(pid) for pid in pids] == [0, 0, 0, 3, 3, 3, 6]


def test_a_dead_fork_server_is_replaced() -> None:
    with make_sandbox() as sandbox:
        child = call(sandbox, good_tasks.own_pid)
        parent = parent_of(child)
        os.kill(parent, signal.SIGKILL)
        wait_until(lambda: not is_running(child), what="the child to end with its parent")

        assert call(sandbox, good_tasks.echo, "next") == "next"
        assert not Path(f"/proc/{parent}").exists()


def test_a_fork_server_that_dies_between_two_children_is_replaced() -> None:
    with make_sandbox(max_requests=2) as sandbox:
        parent = parent_of(call(sandbox, good_tasks.own_pid))
        call(sandbox, good_tasks.echo, "the last request of this child")
        os.kill(parent, signal.SIGKILL)
        wait_until(lambda: not is_running(parent), what="the parent to end")

        assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_fork_server_that_dies_during_a_request_makes_the_decoder_unavailable_and_the_file_not_damaged() -> None:
    def kill_parent(_: float) -> None:
        os.kill(parent, signal.SIGKILL)

    with make_sandbox() as sandbox:
        parent = parent_of(call(sandbox, good_tasks.own_pid))
        with pytest.raises(Unavailable, match="parent process has ended"):
            sandbox.run(TaskRequest(name_of(crashes.report_and_hang), [0.5]), seconds=SECONDS, progress=kill_parent)

        assert call(sandbox, good_tasks.echo, "next") == "next"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_all_processes_of_the_service_stops_no_request(sandbox: Sandbox[Result], number: int) -> None:
    def send_signal(_: float) -> None:
        for pid in (child, parent_of(child)):
            os.kill(pid, number)

    child = call(sandbox, good_tasks.own_pid)
    request = TaskRequest(name_of(good_tasks.report_all), [[0.5, 1.0]])
    sandbox.run(request, seconds=SECONDS, progress=send_signal)

    assert call(sandbox, good_tasks.own_pid) == child


def test_requests_of_many_threads_run_one_at_a_time() -> None:
    with make_sandbox(max_requests=5) as sandbox, ThreadPoolExecutor(8) as threads:
        numbers = list(range(100))
        assert list(threads.map(lambda number: call(sandbox, good_tasks.echo, number), numbers)) == numbers


def test_a_crash_of_one_threads_request_does_not_affect_other_threads() -> None:
    def use(number: int) -> int | None:
        if number % 4 == 0:
            with pytest.raises(Damaged):
                call(sandbox, crashes.segfault)
            return None
        found: int = call(sandbox, good_tasks.echo, number)
        return found

    with make_sandbox() as sandbox, ThreadPoolExecutor(8) as threads:
        assert list(threads.map(use, range(40))) == [number if number % 4 else None for number in range(40)]


def test_a_sandbox_that_is_closed_while_a_request_runs_lets_it_finish() -> None:
    closing = threading.Event()

    def close(_: float) -> None:
        closer.start()
        closing.wait()

    def run_close() -> None:
        closing.set()
        sandbox.close()

    sandbox = make_sandbox()
    closer = threading.Thread(target=run_close)
    answer = sandbox.run(TaskRequest(name_of(good_tasks.report_all), [[0.5]]), seconds=SECONDS, progress=close)
    closer.join()

    assert not is_running(answer.value.pid)

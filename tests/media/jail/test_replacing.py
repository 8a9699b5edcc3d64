"""A child that went wrong is replaced, the worker goes on, and nothing is left behind."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from sparks.media.jail import Jail
from sparks.media.jail.frames import Kind
from sparks.model.errors import Damaged, Unavailable
from tests.media.jail import crashes, manners
from tests.media.jail.processes import is_running, parent_of
from tests.media.jail.task import SECONDS, Order, Result, call, frame, make_jail, name_of
from tests.servers.process import wait_until

NONSENSE = {
    "noise": b"\xff" * 1000,
    "a kind that it may not say": frame(Kind.REQUEST, b""),
    "a kind of another time": frame(Kind.READY, msgspec.msgpack.encode(())),
    "an unknown kind": frame(0, b""),
    "a value of 4 GB": frame(Kind.VALUE, b"", size=2**32 - 1),
    "a blob of 4 GB": frame(Kind.BLOB, b"", size=2**32 - 1),
    "long progress": frame(Kind.PROGRESS, b"\x00" * 17),
    "garbled progress": frame(Kind.PROGRESS, b"\xc1"),
    "garbled trouble": frame(Kind.TROUBLE, b"\xc1"),
    "trouble of another shape": frame(Kind.TROUBLE, msgspec.msgpack.encode({"name": 1, "words": []})),
    "an empty value": frame(Kind.VALUE, b""),
    "a value of another shape": frame(Kind.VALUE, msgspec.msgpack.encode({"value": 1, "pid": "one"})),
    "a deep value": frame(Kind.VALUE, b"\x82\xa5value" + b"\x91" * 100_000 + b"\x00\xa3pid\x01"),
    "a value that says it is long": frame(Kind.VALUE, b"\x82\xa5value\xdf\xff\xff\xff\xff"),
    "text that is none": frame(Kind.VALUE, b"\x82\xa5value\xa1\xff\xa3pid\x01"),
}


@pytest.mark.parametrize("crash", [crashes.segfault, crashes.abort, crashes.leave])
def test_a_crash_means_that_the_file_cannot_be_decoded(jail: Jail[Result], crash: Callable[..., None]) -> None:
    before = call(jail, manners.tell_pid)
    with pytest.raises(Damaged, match="the decoder crashed"):
        call(jail, crash)

    assert call(jail, manners.tell_pid) != before
    assert not is_running(before)


def test_a_child_that_closes_its_line_is_ended(jail: Jail[Result]) -> None:
    before = call(jail, manners.tell_pid)
    with pytest.raises(Damaged):
        call(jail, crashes.close_line_and_hang)

    assert not is_running(before)
    assert call(jail, manners.echo, "next") == "next"


@pytest.mark.parametrize("what", NONSENSE)
def test_nonsense_on_the_line_is_not_believed(jail: Jail[Result], what: str) -> None:
    with pytest.raises(Damaged, match="no proper answer"):
        call(jail, crashes.say_and_hang, NONSENSE[what])

    assert call(jail, manners.echo, "next") == "next"


def test_more_bytes_than_allowed_are_not_taken() -> None:
    with make_jail(most_bytes=10_000) as jail:
        assert call(jail, manners.make_blobs, [5000]) is None
        with pytest.raises(Damaged, match="no proper answer"):
            call(jail, manners.make_blobs, [5000, 5000, 5000])
        with pytest.raises(Damaged, match="no proper answer"):
            call(jail, manners.make_blobs, [0] * 1000)


def test_a_value_above_a_megabyte_is_not_taken(jail: Jail[Result]) -> None:
    with pytest.raises(Damaged, match="no proper answer"):
        call(jail, manners.make_value, 2_000_000)


def test_a_child_that_ends_while_idle_is_replaced_without_a_word_to_the_caller(jail: Jail[Result]) -> None:
    pid = call(jail, manners.tell_pid)
    call(jail, crashes.leave_later)
    wait_until(lambda: not is_running(pid), what="the child to end")

    assert call(jail, manners.echo, "next") == "next"


def test_a_child_that_speaks_while_idle_is_replaced(jail: Jail[Result]) -> None:
    """What it said must not be taken for the next file's answer."""
    forged = frame(Kind.VALUE, msgspec.msgpack.encode({"value": "forged", "pid": 1}))
    pid = call(jail, manners.tell_pid)
    call(jail, crashes.say_later, forged)
    cell = jail._cell
    assert cell is not None
    wait_until(lambda: not cell.is_quiet(), what="the child to speak")

    assert call(jail, manners.echo, "honest") == "honest"
    assert not is_running(pid)


def test_a_child_is_replaced_after_its_lives() -> None:
    with make_jail(lives=3) as jail:
        pids = [call(jail, manners.tell_pid) for _ in range(7)]

    assert [pids.index(pid) for pid in pids] == [0, 0, 0, 3, 3, 3, 6]


def test_a_dead_parent_is_replaced() -> None:
    with make_jail() as jail:
        child = call(jail, manners.tell_pid)
        parent = parent_of(child)
        os.kill(parent, signal.SIGKILL)
        wait_until(lambda: not is_running(child), what="the child to end with its parent")

        assert call(jail, manners.echo, "next") == "next"
        assert not Path(f"/proc/{parent}").exists()


def test_a_parent_that_dies_between_two_children_is_replaced() -> None:
    with make_jail(lives=2) as jail:
        parent = parent_of(call(jail, manners.tell_pid))
        call(jail, manners.echo, "the last of its lives")
        os.kill(parent, signal.SIGKILL)
        wait_until(lambda: not is_running(parent), what="the parent to end")

        assert call(jail, manners.echo, "next") == "next"


def test_a_file_is_not_to_blame_when_the_parent_dies() -> None:
    def kill_parent(_: float) -> None:
        os.kill(parent, signal.SIGKILL)

    with make_jail() as jail:
        parent = parent_of(call(jail, manners.tell_pid))
        with pytest.raises(Unavailable, match="parent process has ended"):
            jail.run(Order(name_of(crashes.report_and_hang), [0.5]), seconds=SECONDS, progress=kill_parent)

        assert call(jail, manners.echo, "next") == "next"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_all_processes_of_the_service_stops_no_request(jail: Jail[Result], number: int) -> None:
    def send_signal(_: float) -> None:
        for pid in (child, parent_of(child)):
            os.kill(pid, number)

    child = call(jail, manners.tell_pid)
    order = Order(name_of(manners.report_all), [[0.5, 1.0]])
    jail.run(order, seconds=SECONDS, progress=send_signal)

    assert call(jail, manners.tell_pid) == child


def test_threads_take_turns() -> None:
    with make_jail(lives=5) as jail, ThreadPoolExecutor(8) as threads:
        numbers = list(range(100))
        assert list(threads.map(lambda number: call(jail, manners.echo, number), numbers)) == numbers


def test_threads_that_crash_and_threads_that_do_not_take_turns() -> None:
    def use(number: int) -> int | None:
        if number % 4 == 0:
            with pytest.raises(Damaged):
                call(jail, crashes.segfault)
            return None
        found: int = call(jail, manners.echo, number)
        return found

    with make_jail() as jail, ThreadPoolExecutor(8) as threads:
        assert list(threads.map(use, range(40))) == [number if number % 4 else None for number in range(40)]


def test_a_jail_that_is_closed_while_a_request_runs_lets_it_finish() -> None:
    closing = threading.Event()

    def close(_: float) -> None:
        closer.start()
        closing.wait()

    def run_close() -> None:
        closing.set()
        jail.close()

    jail = make_jail()
    closer = threading.Thread(target=run_close)
    answer = jail.run(Order(name_of(manners.report_all), [[0.5]]), seconds=SECONDS, progress=close)
    closer.join()

    assert not is_running(answer.value.pid)

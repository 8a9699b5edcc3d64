"""Nothing of a jail outlives its worker, and nothing piles up while it works."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sparks.media.jail import Jail
from sparks.model.errors import Damaged, Unavailable
from tests.media.jail import crashes, manners
from tests.media.jail.processes import children_of, is_running, open_files_of, parent_of
from tests.media.jail.task import Result, call, make_jail
from tests.servers.process import wait_until

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("how", ["idle", "busy"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_parent_and_child_end_with_their_worker(how: str, number: int) -> None:
    command = [sys.executable, "-m", "tests.media.jail.worker", how]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        parent, child = map(int, worker.stdout.readline().split())
        assert is_running(parent)
        assert is_running(child)
        worker.send_signal(number)

        wait_until(lambda: not is_running(parent) and not is_running(child), what="parent and child to end")


def test_parent_and_child_end_when_the_jail_is_closed() -> None:
    with make_jail() as jail:
        child = call(jail, manners.tell_pid)
        parent = parent_of(child)

    assert not is_running(child)
    assert not Path(f"/proc/{parent}").exists()


def use_and_count(jail: Jail[Result], rounds: int, file: int) -> list[tuple[int, int, int, int]]:
    """After each round: open files of this process, of the parent and of the child, and children of the parent."""
    counts = []
    for _ in range(rounds):
        with pytest.raises(Damaged):
            call(jail, crashes.segfault, files=[file])
        for _ in range(48):
            call(jail, manners.read_files, files=[file])
        child = call(jail, manners.tell_pid)
        parent = parent_of(child)
        inside = len(call(jail, manners.tell_open_descriptors))
        counts.append((open_files_of(os.getpid()), open_files_of(parent), inside, len(children_of(parent))))
    return counts


def test_a_thousand_requests_leave_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with make_jail(lives=40) as jail, path.open("rb") as file:
        counts = use_and_count(jail, 20, file.fileno())

    assert len(set(counts)) == 1
    assert counts[0][2:] == (4, 1)


def test_a_closed_jail_leaves_no_file_open() -> None:
    before = open_files_of(os.getpid())
    for _ in range(3):
        with make_jail() as jail:
            call(jail, manners.echo, 1)

    assert open_files_of(os.getpid()) == before


def raise_at_once() -> None:
    raise ImportError("no such decoder")


def hold_a_thread() -> None:
    import threading

    threading.Thread(target=threading.Event().wait, daemon=True).start()


@pytest.mark.parametrize(
    ("warm", "words"), [(raise_at_once, "ImportError: no such decoder"), (hold_a_thread, "threads are running")]
)
def test_decoders_that_cannot_be_warmed_are_unavailable(
    warm: Callable[[], None], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = open_files_of(os.getpid())
    with make_jail(warm=warm) as jail:
        for _ in range(2):
            with pytest.raises(Unavailable, match=words):
                call(jail, manners.echo, 1)

    assert open_files_of(os.getpid()) == before
    assert words in capfd.readouterr().err

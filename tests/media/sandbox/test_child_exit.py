"""Processes of a sandbox end with their worker, and leak no descriptors while it works."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sparks.media.sandbox import Sandbox
from sparks.model.errors import Damaged, Unavailable
from tests.media.sandbox import crashes, good_tasks
from tests.media.sandbox.processes import children_of, is_running, open_files_of, parent_of
from tests.media.sandbox.tasks import Result, call, make_sandbox
from tests.servers.process import wait_until

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("how", ["idle", "busy"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_fork_server_and_child_end_with_their_worker(how: str, number: int) -> None:
    command = [sys.executable, "-m", "tests.media.sandbox.worker", how]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        parent, child = map(int, worker.stdout.readline().split())
        assert is_running(parent)
        assert is_running(child)
        worker.send_signal(number)

        wait_until(lambda: not is_running(parent) and not is_running(child), what="parent and child to end")


def test_fork_server_and_child_end_when_the_sandbox_is_closed() -> None:
    with make_sandbox() as sandbox:
        child = call(sandbox, good_tasks.own_pid)
        parent = parent_of(child)

    assert not is_running(child)
    assert not Path(f"/proc/{parent}").exists()


def use_and_count(sandbox: Sandbox[Result], rounds: int, file: int) -> list[tuple[int, int, int, int]]:
    """After each round: open files of this process, of the parent and of the child, and children of the parent."""
    counts = []
    for _ in range(rounds):
        with pytest.raises(Damaged):
            call(sandbox, crashes.segfault, files=[file])
        for _ in range(48):
            call(sandbox, good_tasks.read_files, files=[file])
        child = call(sandbox, good_tasks.own_pid)
        parent = parent_of(child)
        inside = len(call(sandbox, good_tasks.open_descriptors))
        counts.append((open_files_of(os.getpid()), open_files_of(parent), inside, len(children_of(parent))))
    return counts


def test_a_thousand_requests_leak_no_descriptors_and_no_children(tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with make_sandbox(max_requests=40) as sandbox, path.open("rb") as file:
        counts = use_and_count(sandbox, 20, file.fileno())

    assert len(set(counts)) == 1
    assert counts[0][2:] == (4, 1)


def test_a_closed_sandbox_leaves_no_file_open() -> None:
    before = open_files_of(os.getpid())
    for _ in range(3):
        with make_sandbox() as sandbox:
            call(sandbox, good_tasks.echo, 1)

    assert open_files_of(os.getpid()) == before


def raise_import_error() -> None:
    raise ImportError("no such decoder")


def hold_a_thread() -> None:
    import threading

    threading.Thread(target=threading.Event().wait, daemon=True).start()


@pytest.mark.parametrize(
    ("preload", "message"),
    [(raise_import_error, "ImportError: no such decoder"), (hold_a_thread, "threads are running")],
)
def test_decoders_that_cannot_be_preloaded_are_unavailable(
    preload: Callable[[], None], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = open_files_of(os.getpid())
    with make_sandbox(preload=preload) as sandbox:
        for _ in range(2):
            with pytest.raises(Unavailable, match=message):
                call(sandbox, good_tasks.echo, 1)

    assert open_files_of(os.getpid()) == before
    assert message in capfd.readouterr().err

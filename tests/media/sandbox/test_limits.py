"""Limits of a task on memory, time, threads and output; a task that exceeds one does not affect the next."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sparks.media.sandbox import Sandbox
from sparks.media.sandbox.lockdown import EXTRA_THREADS
from sparks.media.sandbox.protocol import FrameKind
from sparks.model.errors import Damaged
from tests.media.sandbox import attacks, crashes, good_tasks
from tests.media.sandbox.tasks import MEMORY, Result, call, frame, make_sandbox


@pytest.mark.parametrize("attack", [attacks.take_memory, attacks.take_memory_bit_by_bit])
def test_a_task_that_takes_too_much_memory_is_killed(sandbox: Sandbox[Result], attack: Callable[[int], None]) -> None:
    with pytest.raises(Damaged, match="too much memory"):
        call(sandbox, attack, 2 * MEMORY)

    assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_task_may_use_the_memory_of_its_limit(sandbox: Sandbox[Result]) -> None:
    assert call(sandbox, attacks.take_memory, MEMORY * 3 // 4) is None


def test_a_mapped_file_does_not_count_as_memory(tmp_path: Path) -> None:
    file = tmp_path / "video.mp4"
    file.touch()
    os.truncate(file, 2 * MEMORY)
    with make_sandbox() as sandbox, file.open("rb") as opened:
        assert call(sandbox, good_tasks.map_end, files=[opened.fileno()]) == b"\0"


@pytest.mark.parametrize("crash", [crashes.hang, crashes.spin])
def test_a_task_that_takes_too_long_is_killed(sandbox: Sandbox[Result], crash: Callable[[], None]) -> None:
    with pytest.raises(Damaged, match="took too long"):
        call(sandbox, crash, seconds=0.3)

    assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_task_that_reports_progress_forever_is_killed(sandbox: Sandbox[Result]) -> None:
    with pytest.raises(Damaged, match="took too long"):
        call(sandbox, crashes.send_forever, frame(FrameKind.PROGRESS, msgspec.msgpack.encode(0.5)), seconds=0.3)

    assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_task_may_use_threads(sandbox: Sandbox[Result]) -> None:
    assert call(sandbox, good_tasks.add_in_threads, 64) == sum(range(64))


def test_the_number_of_threads_of_a_task_is_limited() -> None:
    most = 4 * EXTRA_THREADS + int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    with make_sandbox() as sandbox:
        assert call(sandbox, attacks.start_threads, most) < most


def test_a_file_open_for_writing_does_not_grow_beyond_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "output.mp4"
    with make_sandbox(output=1000) as sandbox, file.open("wb") as opened:
        assert call(sandbox, good_tasks.write_file, 600, files=[opened.fileno()]) == 600
        with pytest.raises(Damaged):
            call(sandbox, good_tasks.write_file_at, 990, 600, files=[opened.fileno()])

    assert file.stat().st_size <= 1000


def test_a_file_open_for_reading_and_writing_can_be_written_and_read_back(tmp_path: Path) -> None:
    with make_sandbox(output=1000) as sandbox, (tmp_path / "output.mp4").open("w+b") as opened:
        call(sandbox, good_tasks.write_file, 600, files=[opened.fileno()])
        assert call(sandbox, good_tasks.read_files, files=[opened.fileno()]) == [b"x" * 600]


def test_a_task_cannot_truncate_a_file_to_more_than_its_limit(tmp_path: Path) -> None:
    with make_sandbox(output=1000) as sandbox, (tmp_path / "output.mp4").open("w+b") as opened:
        assert call(sandbox, attacks.lengthen_file, 1001, files=[opened.fileno()]) in {errno.EACCES, errno.EPERM}

"""What a task may use up, and that the next one does not notice."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sparks.media.jail import Jail
from sparks.media.jail.frames import Kind
from sparks.media.jail.limits import MORE_THREADS
from sparks.model.errors import Damaged
from tests.media.jail import attacks, crashes, manners
from tests.media.jail.task import MEMORY, Result, call, frame, make_jail


@pytest.mark.parametrize("attack", [attacks.take_memory, attacks.take_memory_bit_by_bit])
def test_a_task_that_takes_too_much_memory_is_ended(jail: Jail[Result], attack: Callable[[int], None]) -> None:
    with pytest.raises(Damaged, match="too much memory"):
        call(jail, attack, 2 * MEMORY)

    assert call(jail, manners.echo, "next") == "next"


def test_a_task_may_take_the_memory_that_it_was_given(jail: Jail[Result]) -> None:
    assert call(jail, attacks.take_memory, MEMORY * 3 // 4) is None


def test_a_mapped_file_does_not_count_as_memory(tmp_path: Path) -> None:
    file = tmp_path / "video.mp4"
    file.touch()
    os.truncate(file, 2 * MEMORY)
    with make_jail() as jail, file.open("rb") as opened:
        assert call(jail, manners.map_end, files=[opened.fileno()]) == b"\0"


@pytest.mark.parametrize("crash", [crashes.hang, crashes.spin])
def test_a_task_that_takes_too_long_is_ended(jail: Jail[Result], crash: Callable[[], None]) -> None:
    with pytest.raises(Damaged, match="took too long"):
        call(jail, crash, seconds=0.3)

    assert call(jail, manners.echo, "next") == "next"


def test_a_task_that_keeps_saying_that_it_goes_on_is_ended_too(jail: Jail[Result]) -> None:
    with pytest.raises(Damaged, match="took too long"):
        call(jail, crashes.say_for_ever, frame(Kind.PROGRESS, msgspec.msgpack.encode(0.5)), seconds=0.3)

    assert call(jail, manners.echo, "next") == "next"


def test_a_task_may_use_threads(jail: Jail[Result]) -> None:
    assert call(jail, manners.add_in_threads, 64) == sum(range(64))


def test_a_bomb_of_threads_finds_its_end() -> None:
    most = 4 * MORE_THREADS + int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    with make_jail() as jail:
        assert call(jail, attacks.start_threads, most) < most


def test_a_file_handed_over_for_writing_grows_to_its_limit_only(tmp_path: Path) -> None:
    file = tmp_path / "output.mp4"
    with make_jail(output=1000) as jail, file.open("wb") as opened:
        assert call(jail, manners.write_file, 600, files=[opened.fileno()]) == 600
        with pytest.raises(Damaged):
            call(jail, manners.write_file_at, 990, 600, files=[opened.fileno()])

    assert file.stat().st_size <= 1000


def test_a_file_handed_over_for_both_is_written_and_read_back(tmp_path: Path) -> None:
    with make_jail(output=1000) as jail, (tmp_path / "output.mp4").open("w+b") as opened:
        call(jail, manners.write_file, 600, files=[opened.fileno()])
        assert call(jail, manners.read_files, files=[opened.fileno()]) == [b"x" * 600]


def test_a_task_cannot_make_a_file_longer_than_agreed_without_writing(tmp_path: Path) -> None:
    with make_jail(output=1000) as jail, (tmp_path / "output.mp4").open("w+b") as opened:
        assert call(jail, attacks.lengthen_file, 1001, files=[opened.fileno()]) in {errno.EACCES, errno.EPERM}

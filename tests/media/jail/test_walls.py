"""What a task cannot do, even if somebody else has taken it over."""

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from sparks.media.jail import Jail, landlock
from sparks.media.jail.lock import NOBODY
from tests.media.jail import attacks, manners
from tests.media.jail.task import Result, call, make_jail

REFUSED = {errno.EACCES, errno.EPERM}


def test_nothing_of_the_jail_is_missing_here(jail: Jail[Result]) -> None:
    assert jail.start() == ()


@pytest.mark.parametrize("attack", [attacks.read_path, attacks.write_path, attacks.remove_path, attacks.look_at_path])
def test_a_task_cannot_touch_a_file_that_exists(
    jail: Jail[Result], tmp_path: Path, attack: Callable[[str], int]
) -> None:
    file = tmp_path / "original.jpg"
    file.write_bytes(b"precious")
    file.chmod(0o666)

    assert call(jail, attack, str(file)) in REFUSED
    assert file.read_bytes() == b"precious"


def test_a_task_cannot_make_a_file(jail: Jail[Result]) -> None:
    path = Path(f"/tmp/sparks-jail-{os.getpid()}")  # noqa: S108  where everybody may write

    assert call(jail, attacks.write_path, str(path)) in REFUSED
    assert not path.exists()


@pytest.mark.parametrize("path", ["/", "/proc/self/fd", "/proc"])
def test_a_task_cannot_list_a_folder(jail: Jail[Result], path: str) -> None:
    assert call(jail, attacks.list_path, path) in REFUSED


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/maps", "/proc/self/mem", "/etc/passwd"])
def test_a_task_cannot_read_the_system(jail: Jail[Result], path: str) -> None:
    assert call(jail, attacks.read_path, path) in REFUSED


def test_a_task_cannot_connect(jail: Jail[Result]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert call(jail, attacks.connect, server.getsockname()[1]) in REFUSED


def test_a_task_cannot_connect_to_an_abstract_socket(jail: Jail[Result]) -> None:
    name = f"sparks-jail-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        assert call(jail, attacks.connect_abstract, name) in REFUSED


@pytest.mark.parametrize("attack", [attacks.listen, attacks.make_pair])
def test_a_task_cannot_make_a_socket(jail: Jail[Result], attack: Callable[[], int]) -> None:
    assert call(jail, attack) in REFUSED


@pytest.mark.parametrize("attack", [attacks.become_program, attacks.start_program, attacks.fork, attacks.fork_by_hand])
def test_a_task_cannot_start_a_process(jail: Jail[Result], attack: Callable[[], int]) -> None:
    assert call(jail, attack) in REFUSED


@pytest.mark.parametrize("attack", [attacks.trace, attacks.read_memory, attacks.kill, attacks.kill_thread])
def test_a_task_cannot_reach_into_another_process(jail: Jail[Result], attack: Callable[[int], int]) -> None:
    assert call(jail, attack, os.getpid()) in REFUSED


@pytest.mark.parametrize(
    "attack",
    [
        attacks.become_root,
        attacks.change_limit,
        attacks.make_code,
        attacks.make_memory_file,
        attacks.set_up_ring,
        attacks.share_memory,
    ],
)
def test_a_task_cannot_change_what_it_may(jail: Jail[Result], attack: Callable[[], int]) -> None:
    assert call(jail, attack) in REFUSED


def test_a_task_finds_no_secret_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKS_SECRET", "hunter2")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    with make_jail() as jail:
        found = call(jail, manners.tell_environment)

    assert "hunter2" not in str(found)
    assert not [name for name in found if name.startswith(("SPARKS_", "AWS_"))]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_a_task_of_root_is_run_by_nobody(jail: Jail[Result]) -> None:
    assert call(jail, manners.tell_identity) == [NOBODY] * 4


def test_a_task_has_no_descriptor_but_its_line_and_three_that_lead_nowhere(jail: Jail[Result]) -> None:
    found = call(jail, manners.tell_open_descriptors)

    assert found[:3] == [0, 1, 2]
    assert len(found) == 4


def test_a_task_leaves_no_core_file_opens_few_files_and_does_not_run_for_ever(jail: Jail[Result]) -> None:
    limits = call(jail, manners.tell_limits)

    assert limits["RLIMIT_CORE"] == limits["RLIMIT_FSIZE"] == 0
    assert limits["RLIMIT_NOFILE"] <= 32
    assert 0 < limits["RLIMIT_CPU"] <= 6 * 3600


def test_the_kernel_ends_a_child_sooner_than_its_worker_when_memory_runs_out(jail: Jail[Result]) -> None:
    child = call(jail, manners.tell_pid)

    assert int(Path(f"/proc/{child}/oom_score_adj").read_text()) >= 500


@pytest.mark.parametrize("known", range(1, 8))
def test_the_kernel_takes_the_rules_of_every_version_of_landlock(known: int) -> None:
    if landlock.version() < known:
        pytest.skip("this kernel is older")
    os.close(landlock.make_ruleset(known))

"""Operations that the lockdown denies, also to an exploited task."""

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from sparks.media.sandbox import Sandbox, landlock
from sparks.media.sandbox.lockdown import NOBODY
from tests.media.sandbox import attacks, good_tasks
from tests.media.sandbox.tasks import Result, call, make_sandbox

REFUSED = {errno.EACCES, errno.EPERM}


def test_this_machine_supports_every_step_of_the_lockdown(sandbox: Sandbox[Result]) -> None:
    assert sandbox.start() == ()


@pytest.mark.parametrize("attack", [attacks.read_path, attacks.write_path, attacks.remove_path, attacks.stat_path])
def test_a_task_cannot_read_write_remove_or_stat_an_existing_file(
    sandbox: Sandbox[Result], tmp_path: Path, attack: Callable[[str], int]
) -> None:
    file = tmp_path / "original.jpg"
    file.write_bytes(b"precious")
    file.chmod(0o666)

    assert call(sandbox, attack, str(file)) in REFUSED
    assert file.read_bytes() == b"precious"


def test_a_task_cannot_create_a_file(sandbox: Sandbox[Result]) -> None:
    path = Path(f"/tmp/sparks-sandbox-{os.getpid()}")  # noqa: S108  a folder that every user may write to

    assert call(sandbox, attacks.write_path, str(path)) in REFUSED
    assert not path.exists()


@pytest.mark.parametrize("path", ["/", "/proc/self/fd", "/proc"])
def test_a_task_cannot_list_a_folder(sandbox: Sandbox[Result], path: str) -> None:
    assert call(sandbox, attacks.list_path, path) in REFUSED


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/maps", "/proc/self/mem", "/etc/passwd"])
def test_a_task_cannot_read_files_of_the_system(sandbox: Sandbox[Result], path: str) -> None:
    assert call(sandbox, attacks.read_path, path) in REFUSED


def test_a_task_cannot_connect_to_a_port(sandbox: Sandbox[Result]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert call(sandbox, attacks.connect, server.getsockname()[1]) in REFUSED


def test_a_task_cannot_connect_to_an_abstract_socket(sandbox: Sandbox[Result]) -> None:
    name = f"sparks-sandbox-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        assert call(sandbox, attacks.connect_abstract, name) in REFUSED


@pytest.mark.parametrize("attack", [attacks.listen, attacks.make_pair])
def test_a_task_cannot_create_a_socket(sandbox: Sandbox[Result], attack: Callable[[], int]) -> None:
    assert call(sandbox, attack) in REFUSED


@pytest.mark.parametrize(
    "attack", [attacks.become_program, attacks.start_program, attacks.fork, attacks.fork_by_syscall]
)
def test_a_task_cannot_start_a_process(sandbox: Sandbox[Result], attack: Callable[[], int]) -> None:
    assert call(sandbox, attack) in REFUSED


@pytest.mark.parametrize("attack", [attacks.trace, attacks.read_memory, attacks.kill, attacks.kill_thread])
def test_a_task_cannot_trace_read_or_kill_another_process(
    sandbox: Sandbox[Result], attack: Callable[[int], int]
) -> None:
    assert call(sandbox, attack, os.getpid()) in REFUSED


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
def test_a_task_cannot_gain_privileges_memory_or_limits(sandbox: Sandbox[Result], attack: Callable[[], int]) -> None:
    assert call(sandbox, attack) in REFUSED


def test_a_task_finds_no_secret_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKS_SECRET", "hunter2")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    with make_sandbox() as sandbox:
        found = call(sandbox, good_tasks.environment)

    assert "hunter2" not in str(found)
    assert not [name for name in found if name.startswith(("SPARKS_", "AWS_"))]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its user")
def test_a_task_started_by_root_runs_as_the_user_nobody(sandbox: Sandbox[Result]) -> None:
    assert call(sandbox, good_tasks.identity) == [NOBODY] * 4


def test_a_task_has_only_its_connection_and_three_standard_descriptors_to_dev_null(sandbox: Sandbox[Result]) -> None:
    found = call(sandbox, good_tasks.open_descriptors)

    assert found[:3] == [0, 1, 2]
    assert len(found) == 4


def test_a_task_has_limits_on_core_files_output_open_files_and_cpu_time(sandbox: Sandbox[Result]) -> None:
    limits = call(sandbox, good_tasks.limits_of_process)

    assert limits["RLIMIT_CORE"] == limits["RLIMIT_FSIZE"] == 0
    assert limits["RLIMIT_NOFILE"] <= 32
    assert 0 < limits["RLIMIT_CPU"] <= 6 * 3600


def test_a_child_has_a_higher_oom_score_than_its_worker(sandbox: Sandbox[Result]) -> None:
    child = call(sandbox, good_tasks.own_pid)

    assert int(Path(f"/proc/{child}/oom_score_adj").read_text()) >= 500


@pytest.mark.parametrize("known", range(1, 8))
def test_the_kernel_accepts_the_rules_of_every_landlock_version(known: int) -> None:
    if landlock.version() < known:
        pytest.skip("this kernel is older")
    os.close(landlock.make_ruleset(known))

"""Locks the calling process down with resource limits, Landlock and seccomp.

A step that this machine does not support is reported, and the others are still done. The worker watches how long one
request takes.
"""

import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sparks.media.sandbox import landlock, libc, seccomp

NOBODY: Final = 65534
MAX_OPEN_FILES: Final = 32
EXTRA_THREADS: Final = 1024
MAX_CPU_SECONDS: Final = 6 * 3600  # far more than all requests of a well-behaved child take
OOM_SCORE: Final = 500  # of 1000; the kernel ends processes with a high score first


def lock_down(connection: int, *, parent: int, memory: int, output: int) -> tuple[str, ...]:
    """Locks down a process that `parent` has just forked, and returns the steps that this machine lacks.

    The descriptor `line` stays open. The order matters: each step takes away what the steps before it needed.
    """
    os.setsid()
    _close_all_but(connection)
    limit_memory(memory)
    limit_files(output=output)
    limit_time()
    return (
        *_missing("being the first to go when memory runs out", prefer_for_oom_kill),
        *_missing("another user than root", _become_nobody),
        *_missing("a limit of threads", limit_threads),
        *_missing("an end together with its parent", lambda: _end_with_parent(parent)),
        *_missing("no_new_privs", _forbid_new_privileges),
        *_missing("Landlock, which Linux has since 5.13", landlock.deny_all),
        *_missing("seccomp, which needs libseccomp2", seccomp.install_filter),
    )


def _missing(what: str, step: Callable[[], None]) -> Iterator[str]:
    try:
        step()
    except OSError as error:
        yield f"{what} ({error.strerror})"


def _close_all_but(connection: int) -> None:
    """Closes all descriptors but `line`. The standard ones lead to /dev/null, so no later file gets their numbers."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if number > 2 and number != connection:
            os.closerange(number, number + 1)  # unlike close, it ignores the folder's own closed descriptor


def _become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def _end_with_parent(parent: int) -> None:
    """Must follow the change of user, which resets it."""
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _forbid_new_privileges() -> None:
    libc.prctl(libc.PR_SET_DUMPABLE, 0)  # no core file, even where the system pipes core files to a program
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)


def limit_memory(more: int) -> None:
    """Allows `more` bytes beyond those copied from the fork server. A file mapped for reading does not count."""
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    _limit(resource.RLIMIT_DATA, pages * resource.getpagesize() + more)


def prefer_for_oom_kill() -> None:
    """Makes the kernel end the child before its worker when the machine runs out of memory."""
    score = Path("/proc/self/oom_score_adj")
    score.write_text(str(max(OOM_SCORE, int(score.read_text()))))


def limit_files(*, output: int) -> None:
    """`output` is the size in bytes that a file opened for writing may reach."""
    _limit(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, output)
    _limit(resource.RLIMIT_CORE, 0)


def limit_time() -> None:
    _limit(resource.RLIMIT_CPU, MAX_CPU_SECONDS)


def limit_threads() -> None:
    """Limits threads above the number that the whole machine runs.

    The kernel counts all threads of the user, also those in other containers. A limit below their number would fail
    every photo.
    """
    running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    _limit(resource.RLIMIT_NPROC, running + EXTRA_THREADS)


def _limit(resource_id: int, wanted: int) -> None:
    _, hard = resource.getrlimit(resource_id)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource_id, (limit, limit))

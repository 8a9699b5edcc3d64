"""Locks the calling process in, step by step. What this machine cannot do is told, and the rest is done."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sparks.media.jail import kernel, landlock, limits, syscalls

NOBODY: Final = 65534


def lock_in(line: int, *, parent: int, memory: int, output: int) -> tuple[str, ...]:
    """For a process that `parent` has just forked; `line` stays open. Tells what is missing.

    Each step takes away what the steps before it needed: files, other users, new filters.
    """
    os.setsid()
    _close_all_but(line)
    limits.limit_memory(memory)
    limits.limit_files(output=output)
    limits.limit_time()
    return (
        *_missing("being the first to go when memory runs out", limits.go_first),
        *_missing("another user than root", _become_nobody),
        *_missing("a limit of threads", limits.limit_threads),
        *_missing("an end together with its parent", lambda: _end_with(parent)),
        *_missing("no_new_privs", _gain_nothing),
        *_missing("Landlock, which Linux has since 5.13", landlock.refuse_everything),
        *_missing("seccomp, which needs libseccomp2", syscalls.refuse_the_rest),
    )


def _missing(what: str, step: Callable[[], None]) -> Iterator[str]:
    try:
        step()
    except OSError as error:
        yield f"{what} ({error.strerror})"


def _close_all_but(line: int) -> None:
    """The three standard ones lead nowhere, so that no file which is handed over later takes their place."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if number > 2 and number != line:
            os.closerange(number, number + 1)  # which does not mind that the folder itself is closed by now


def _become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def _end_with(parent: int) -> None:
    """After the change of user, which would undo it."""
    kernel.control_process(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _gain_nothing() -> None:
    kernel.control_process(kernel.PR_SET_DUMPABLE, 0)  # no core file, whatever the system does with those
    kernel.control_process(kernel.PR_SET_NO_NEW_PRIVS, 1)

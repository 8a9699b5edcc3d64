"""seccomp: the few system calls that a decoder needs; any other is refused, not deadly, so that libraries cope."""

import errno
import fcntl
import functools
import importlib
import mmap
import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from sparks.media.jail import kernel

FREE: Final = (
    # memory
    "brk", "madvise", "mremap", "munmap",
    # the files and the line at hand
    "close", "fstat", "lseek", "poll", "ppoll", "pread64", "preadv", "pwrite64", "read", "readv", "recvfrom", "recvmsg",
    "sendmsg", "sendto", "write", "writev",
    # threads and signals of its own
    "exit", "exit_group", "futex", "gettid", "membarrier", "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask",
    "rt_sigreturn", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_yield", "set_robust_list",
    "sigaltstack",
    # clocks, chance, and who it is
    "clock_getres", "clock_gettime", "clock_nanosleep", "getcpu", "getegid", "geteuid", "getgid", "getpid", "getrandom",
    "getrusage", "gettimeofday", "getuid", "nanosleep", "sysinfo", "time",
)  # fmt: skip
INT: Final = 0xFFFFFFFF  # the kernel looks at no more of an argument that is an int
CLONE_THREAD: Final = 0x00010000
MAP_TYPE: Final = 0x0F
AT_EMPTY_PATH: Final = 0x1000
FCNTL_COMMANDS: Final = (fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC)


@functools.cache
def library() -> ModuleType | None:
    """None: libseccomp is not installed. Looks for files, so it is asked for before the jail closes."""
    try:
        return importlib.import_module("pyseccomp")
    except (ImportError, RuntimeError):  # the latter is its way to say that the C library is not there
        return None


def refuse_the_rest() -> None:
    seccomp = library()
    if seccomp is None:
        raise OSError(errno.ENOSYS, "not installed")
    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EACCES))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in FREE:
        rules.add_rule(seccomp.ALLOW, name)
    for name, *arguments in _with_arguments(seccomp):
        rules.add_rule(seccomp.ALLOW, name, *arguments)
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags cannot be seen; the C library then tries clone
    rules.add_rule(seccomp.ERRNO(errno.ENOTTY), "ioctl")
    rules.load()


def _with_arguments(seccomp: ModuleType) -> Iterator[tuple[Any, ...]]:
    """What is allowed for some arguments only: a name, and all that must hold. Several of one name: any of them."""

    def bits(position: int, mask: int, value: int) -> Any:
        return seccomp.Arg(position, seccomp.MASKED_EQ, mask, value)

    no_code = bits(2, mmap.PROT_EXEC, 0)
    yield "mprotect", no_code
    yield "mmap", no_code, bits(3, MAP_TYPE, mmap.MAP_PRIVATE)
    yield "mmap", no_code, bits(3, mmap.MAP_ANONYMOUS, 0)  # shared memory without a file would escape the limit
    yield "clone", bits(0, CLONE_THREAD, CLONE_THREAD)
    yield "tgkill", bits(0, INT, os.getpid())
    yield "prctl", bits(0, INT, kernel.PR_SET_NAME)
    yield "prlimit64", bits(0, INT, 0), bits(2, 2**64 - 1, 0)  # asks for its own limits, sets none
    yield "newfstatat", bits(3, AT_EMPTY_PATH, AT_EMPTY_PATH)  # the C library's fstat
    for command in FCNTL_COMMANDS:
        yield "fcntl", bits(1, INT, command)

"""Seccomp filter that allows only the system calls a decoder needs."""

import errno
import fcntl
import functools
import importlib
import mmap
import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from sparks.media.sandbox import libc

ALLOWED: Final = (
    # memory
    "brk", "madvise", "mremap", "munmap",
    # open files and the connection
    "close", "fstat", "lseek", "poll", "ppoll", "pread64", "preadv", "pwrite64", "read", "readv", "recvfrom", "recvmsg",
    "sendmsg", "sendto", "write", "writev",
    # its own threads and signals
    "exit", "exit_group", "futex", "gettid", "membarrier", "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask",
    "rt_sigreturn", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_yield", "set_robust_list",
    "sigaltstack",
    # clocks, random numbers, its own ids
    "clock_getres", "clock_gettime", "clock_nanosleep", "getcpu", "getegid", "geteuid", "getgid", "getpid", "getrandom",
    "getrusage", "gettimeofday", "getuid", "nanosleep", "sysinfo", "time",
)  # fmt: skip
INT: Final = 0xFFFFFFFF  # mask of an int argument: the kernel ignores the upper bits
CLONE_THREAD: Final = 0x00010000
MAP_TYPE: Final = 0x0F
AT_EMPTY_PATH: Final = 0x1000
FCNTL_COMMANDS: Final = (fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC)


@functools.cache
def load_libseccomp() -> ModuleType | None:
    """The bindings, or None where libseccomp is not installed. Reads files, so it is called before the lockdown."""
    try:
        return importlib.import_module("pyseccomp")
    except (ImportError, RuntimeError):  # RuntimeError where the C library is missing
        return None


def install_filter() -> None:
    seccomp = load_libseccomp()
    if seccomp is None:
        raise OSError(errno.ENOSYS, "not installed")
    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EACCES))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in ALLOWED:
        rules.add_rule(seccomp.ALLOW, name)
    for name, *arguments in _with_arguments(seccomp):
        rules.add_rule(seccomp.ALLOW, name, *arguments)
    rules.add_rule(
        seccomp.ERRNO(errno.ENOSYS), "clone3"
    )  # its flags cannot be filtered; the C library then tries clone
    rules.add_rule(seccomp.ERRNO(errno.ENOTTY), "ioctl")
    rules.load()


def _with_arguments(seccomp: ModuleType) -> Iterator[tuple[Any, ...]]:
    """System calls that are allowed with some arguments only, each with all conditions that must hold.

    A call may come several times: it is allowed where the conditions of one of them hold.
    """

    def bits(position: int, mask: int, value: int) -> Any:
        return seccomp.Arg(position, seccomp.MASKED_EQ, mask, value)

    no_code = bits(2, mmap.PROT_EXEC, 0)
    yield "mprotect", no_code
    yield "mmap", no_code, bits(3, MAP_TYPE, mmap.MAP_PRIVATE)
    yield (
        "mmap",
        no_code,
        bits(3, mmap.MAP_ANONYMOUS, 0),
    )  # shared memory without a file would not count against the limit
    yield "clone", bits(0, CLONE_THREAD, CLONE_THREAD)
    yield "tgkill", bits(0, INT, os.getpid())
    yield "prctl", bits(0, INT, libc.PR_SET_NAME)
    yield "prlimit64", bits(0, INT, 0), bits(2, 2**64 - 1, 0)  # reads its own limits, sets none
    yield "newfstatat", bits(3, AT_EMPTY_PATH, AT_EMPTY_PATH)  # the C library's fstat
    for command in FCNTL_COMMANDS:
        yield "fcntl", bits(1, INT, command)

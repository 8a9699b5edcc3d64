"""Attacks by an exploited decoder. Each returns the errno that stopped it, or 0 where it succeeded."""

import ctypes
import mmap
import os
import resource
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from tests.media.sandbox.tasks import context

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH = 16
VFORK = 0x00004000 | 0x00000100 | signal.SIGCHLD  # CLONE_VFORK and CLONE_VM: shares memory, is another process
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
IO_URING_SETUP = 425


def errno_of(attempt: Callable[[], object]) -> int:
    try:
        attempt()
    except OSError as error:
        return error.errno or -1
    return 0


def errno_of_call(name: str, *arguments: int) -> int:
    ctypes.set_errno(0)
    result = getattr(libc, name)(*(ctypes.c_long(argument) for argument in arguments))
    return ctypes.get_errno() if result == -1 else 0


def read_path(path: str) -> int:
    return errno_of(lambda: Path(path).read_bytes())


def write_path(path: str) -> int:
    return errno_of(lambda: Path(path).write_bytes(b"x"))


def remove_path(path: str) -> int:
    return errno_of(lambda: Path(path).unlink())


def lengthen_file(size: int) -> int:
    return errno_of(lambda: os.truncate(context.files[0], size))


def list_path(path: str) -> int:
    return errno_of(lambda: list(Path(path).iterdir()))


def stat_path(path: str) -> int:
    return errno_of(lambda: Path(path).stat())


def connect(port: int) -> int:
    def attempt() -> None:
        with socket.socket() as connection:
            connection.connect(("127.0.0.1", port))

    return errno_of(attempt)


def listen() -> int:
    def attempt() -> None:
        with socket.socket() as connection:
            connection.bind(("127.0.0.1", 0))

    return errno_of(attempt)


def connect_abstract(name: str) -> int:
    def attempt() -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect("\0" + name)

    return errno_of(attempt)


def make_pair() -> int:
    return errno_of(socket.socketpair)


def become_program() -> int:
    return errno_of(lambda: os.execv("/bin/true", ["true"]))  # noqa: S606


def start_program() -> int:
    return errno_of(lambda: subprocess.run(["/bin/true"], check=False))


def fork() -> int:
    def attempt() -> None:
        if os.fork() == 0:
            os._exit(0)

    return errno_of(attempt)


def fork_by_syscall() -> int:
    return errno_of_call("syscall", CLONE, VFORK, 0, 0, 0, 0)


def trace(pid: int) -> int:
    return errno_of_call("ptrace", PTRACE_ATTACH, pid, 0, 0)


def read_memory(pid: int) -> int:
    return errno_of_call("process_vm_readv", pid, 0, 0, 0, 0, 0)


def kill(pid: int) -> int:
    return errno_of(lambda: os.kill(pid, signal.SIGKILL))


def kill_thread(pid: int) -> int:
    return errno_of_call("tgkill", pid, pid, signal.SIGKILL)


def change_limit() -> int:
    return errno_of(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)))


def become_root() -> int:
    return errno_of(lambda: os.setresuid(0, 0, 0))


def share_memory() -> int:
    return errno_of(lambda: mmap.mmap(-1, 1 << 20))


def make_memory_file() -> int:
    return errno_of(lambda: os.memfd_create("more"))


def make_code() -> int:
    flags, rights = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_EXEC
    return errno_of(lambda: mmap.mmap(-1, 1 << 12, flags=flags, prot=rights))


def set_up_ring() -> int:
    return errno_of_call("syscall", IO_URING_SETUP, 1, 0)


def take_memory(size: int) -> None:
    bytearray(size)


def take_memory_bit_by_bit(size: int) -> None:
    pieces: list[bytes] = []
    while len(pieces) << 20 < size:
        pieces.append(os.urandom(1 << 20))


def start_threads(most: int) -> int:
    """Starts threads until no more can be started or `most` run; returns their number."""
    over, count = threading.Event(), 0
    threading.stack_size(1 << 15)
    try:
        while count < most:
            threading.Thread(target=over.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        over.set()
    return count

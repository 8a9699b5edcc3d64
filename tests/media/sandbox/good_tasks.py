"""Tasks that behave well in a sandbox."""

import mmap
import os
import resource
import threading
from typing import Any

from tests.media.sandbox.tasks import context


def echo(value: Any) -> Any:
    return value


def own_pid() -> int:
    return os.getpid()


def read_files() -> list[bytes]:
    return [os.pread(file, os.fstat(file).st_size, 0) for file in context.files]


def read_like_a_decoder() -> bytes:
    with os.fdopen(context.files[0], "rb", closefd=False) as file:
        file.seek(1)
        return file.read(3)


def map_file() -> bytes:
    with mmap.mmap(context.files[0], 0, access=mmap.ACCESS_READ) as mapped:
        return bytes(mapped)


def map_end() -> bytes:
    with mmap.mmap(context.files[0], 0, access=mmap.ACCESS_READ) as mapped:
        return mapped[-1:]


def write_file_at(position: int, size: int) -> int:
    """Both halves of it: the second is refused when the first has reached the limit."""
    return sum(os.pwrite(context.files[0], b"x" * size, position + half * size) for half in range(2))


def write_file(size: int) -> int:
    return os.pwrite(context.files[0], b"x" * size, 0)


def file_numbers() -> list[int]:
    return list(context.files)


def open_descriptors() -> list[int]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return [number for number in range(most * 4) if is_open(number)]


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def add_in_threads(count: int) -> int:
    found: list[int] = []
    threads = [threading.Thread(target=found.append, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(found)


def make_blobs(sizes: list[int]) -> None:
    context.blobs = [b"b" * size for size in sizes]


def make_value(size: int) -> bytes:
    return b"v" * size


def report_all(fractions: list[float]) -> None:
    for fraction in fractions:
        context.report(fraction)


def print_much() -> None:
    """Writes to the standard outputs, which lead to /dev/null."""
    for standard in (1, 2):
        os.write(standard, b"x" * 1_000_000)


def environment() -> dict[str, str]:
    return dict(os.environ)


def identity() -> list[int]:
    return [os.getuid(), os.geteuid(), os.getgid(), os.getegid()]


def limits_of_process() -> dict[str, int]:
    names = ("RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC")
    return {name: resource.getrlimit(getattr(resource, name))[1] for name in names}

"""What a child may use up in its life. How long one request may take is for the worker to watch."""

import resource
from pathlib import Path
from typing import Final

MOST_OPEN: Final = 32
MORE_THREADS: Final = 1024
MOST_CPU: Final = 6 * 3600  # seconds; none comes near it that does only what it is asked to
FIRST_TO_GO: Final = 500  # of 1000


def limit_memory(more: int) -> None:
    """`more` bytes beyond what it has of the warm parent. A file that is mapped for reading does not count."""
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    _limit(resource.RLIMIT_DATA, pages * resource.getpagesize() + more)


def go_first() -> None:
    """When the machine itself runs out of memory, the kernel had better end a child than its worker."""
    place = Path("/proc/self/oom_score_adj")
    place.write_text(str(max(FIRST_TO_GO, int(place.read_text()))))


def limit_files(*, output: int) -> None:
    """`output`: how long a file may become that it was handed for writing."""
    _limit(resource.RLIMIT_NOFILE, MOST_OPEN)
    _limit(resource.RLIMIT_FSIZE, output)
    _limit(resource.RLIMIT_CORE, 0)


def limit_time() -> None:
    _limit(resource.RLIMIT_CPU, MOST_CPU)


def limit_threads() -> None:
    """[Note: threads of a user] The kernel counts all threads of our user, those in containers that we cannot see too.

    A limit below that number would fail every photo, so it lies above the number of all threads of the machine.
    """
    running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    _limit(resource.RLIMIT_NPROC, running + MORE_THREADS)


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    lowest = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (lowest, lowest))

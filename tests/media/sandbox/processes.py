"""Processes as /proc shows them."""

from pathlib import Path


def is_running(pid: int) -> bool:
    """Neither ended nor a zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def children_of(pid: int) -> list[int]:
    """The ids of its children, zombies included."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def open_files_of(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))

"""System calls that Python lacks, made through libc."""

import ctypes
import os
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_NAME: Final = 15
PR_SET_NO_NEW_PRIVS: Final = 38

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: object) -> int:
    """OSError where the kernel refuses the call; ENOSYS where it does not know it."""
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    return _checked(result)


def prctl(option: int, value: int) -> None:
    rest = (ctypes.c_ulong(0),) * 3
    _checked(_libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), *rest))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

"""Landlock rules that deny the process all files, ports and signals."""

import ctypes
import os
from typing import Final

from sparks.media.sandbox import libc

_CREATE_RULESET: Final = 444  # the same numbers on every architecture
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # number of rights by version; each right is one bit
_TCP_RIGHTS: Final = 0b11  # bind, connect
_SCOPES: Final = 0b11  # abstract unix sockets, signals


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


def version() -> int:
    """The kernel's version of Landlock; OSError where it has none, or where it is switched off."""
    return libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))


def deny_all() -> None:
    """Needs no_new_privs to be set."""
    ruleset = make_ruleset(version())
    try:
        libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def make_ruleset(known: int) -> int:
    """The descriptor of a ruleset that names every right of this version and grants none, so all are refused."""
    rules = _Ruleset(files=(1 << _FILE_RIGHTS[min(known, max(_FILE_RIGHTS))]) - 1)
    size = 8
    if known >= 4:
        rules.network, size = _TCP_RIGHTS, 16
    if known >= 6:
        rules.scopes, size = _SCOPES, 24
    return libc.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))

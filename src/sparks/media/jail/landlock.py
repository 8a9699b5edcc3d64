"""Landlock: from here on this process and its threads open no file, and use no port and no foreign process."""

import ctypes
import os
from typing import Final

from sparks.media.jail import kernel

_CREATE_RULESET: Final = 444  # the same numbers on every architecture
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many a version knows; each is one bit
_TCP_RIGHTS: Final = 0b11  # bind, connect
_SCOPES: Final = 0b11  # abstract unix sockets, signals


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


def version() -> int:
    """Raises OSError where the kernel has no Landlock, or it is switched off."""
    return kernel.call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))


def refuse_everything() -> None:
    """Needs no_new_privs."""
    ruleset = make_ruleset(version())
    try:
        kernel.call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def make_ruleset(known: int) -> int:
    """A descriptor. Each right that this version knows is named and not granted, and therefore refused."""
    rules = _Ruleset(files=(1 << _FILE_RIGHTS[min(known, max(_FILE_RIGHTS))]) - 1)
    size = 8
    if known >= 4:
        rules.network, size = _TCP_RIGHTS, 16
    if known >= 6:
        rules.scopes, size = _SCOPES, 24
    return kernel.call(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))

"""The ways in which a child becomes useless, and what the worker says of the file that it had in hand.

Broken
├── Late       it took longer than it may
├── Gone       it has ended, or closed its line
├── Garbled    it does not keep to what was agreed
└── Told       its task has failed, and it said how
"""

import logging
import signal

from sparks.media.jail.trouble import NO_MEMORY, Trouble
from sparks.model.errors import Damaged, SparksError, Unavailable

log = logging.getLogger(__name__)


class Broken(Exception):
    """After any of these a child is replaced."""


class Late(Broken):
    """It took longer than it may."""


class Gone(Broken):
    """It has ended, or closed its line."""


class Garbled(Broken):
    """It does not keep to what was agreed: strange kinds, too many bytes, values of another shape."""


class Told(Broken):
    """Its task has failed, and it said how."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(f"{trouble.name}: {trouble.plain_words}")
        self.trouble = trouble


def judge(broken: Broken, *, ending: int | None) -> SparksError:
    """The error to raise. `ending`: the child's exit code, or its signal below zero; None: its parent is gone too."""
    if isinstance(broken, Told) and (refusal := broken.trouble.refusal):
        return refusal
    if ending is None:
        return Unavailable("the decoders' parent process has ended while a file was decoded; another is started")
    why = _why(broken, ending)
    log.warning("a file could not be decoded: %s", why, extra={"detail": str(broken), "ending": ending})
    return Damaged(f"the file could not be decoded: {why}")


def _why(broken: Broken, ending: int) -> str:
    match broken:
        case Late():
            return "the decoder took too long"
        case Garbled():
            return "the decoder gave no proper answer"
        case Told() if broken.trouble.name != NO_MEMORY:
            return "the decoder failed"
        case Gone() if ending != -signal.SIGKILL:  # which nobody but the kernel has sent, for want of memory
            return "the decoder crashed"
        case _:
            return "the decoder needed too much memory"

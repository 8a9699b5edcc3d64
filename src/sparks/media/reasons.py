"""Why a file could not be shown, in words for its owner: the same for the same file, and free of any library's own."""

from sparks.media.containers.ending import Read, ends_early
from sparks.media.kinds import Kind
from sparks.model.errors import Damaged


class Unreadable(Damaged):
    """A decoder gave up; why is for `explain` to find out."""


def unreadable(kind: Kind, error: BaseException) -> Damaged:
    if isinstance(error, MemoryError):
        return Damaged(f"This {kind.label} needs more memory than it may have.")
    return Unreadable(f"This {kind.label} is broken, or packed in a way that is not supported.")


def nothing_in(kind: Kind) -> Unreadable:
    """No frame of a video could be decoded."""
    return Unreadable(f"Nothing of this {kind.label} can be decoded.")


def explain(error: Unreadable, read: Read, size: int, kind: Kind) -> Damaged:
    if ends_early(read, size, kind):
        return Damaged(f"This {kind.label} ends too early: a part of it is missing.")
    return Damaged(str(error))


def no_decoder(kind: Kind) -> Damaged:
    return Damaged(f"{kind.label} cannot be shown by this installation; the original is kept.")

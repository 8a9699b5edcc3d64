"""Reports about rows of other writers that cannot be read, or not wholly: each once.

The table may be written by others than Sparks, and every list meets their rows again and again.
"""

import logging
from typing import Final

MAX_REMEMBERED: Final = 10_000  # reports; then all may be made again

log = logging.getLogger(__name__)
_reported: Final[set[tuple[str, str, str]]] = set()


def report_once(kind: str, pk: str, what: str) -> None:
    """Once in this process, as long as it remembers."""
    report = kind, pk, what
    if report in _reported:
        return
    if len(_reported) >= MAX_REMEMBERED:
        _reported.clear()
    _reported.add(report)
    log.warning("a row of another writer, read as a %s: %s", kind, what, extra={"row": pk})

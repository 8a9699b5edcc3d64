"""How far a task has come, from 0 to 1."""

from collections.abc import Callable
from typing import Final

Report = Callable[[float], None]
STEP: Final = 0.01


def in_steps(report: Report) -> Report:
    """Passes on what has grown by a step, so a hundred reports at most; a number that makes no sense is not heard."""
    told = 0.0

    def pass_on(fraction: float) -> None:
        nonlocal told
        if told + STEP <= fraction <= 1:
            told = fraction
            report(fraction)

    return pass_on

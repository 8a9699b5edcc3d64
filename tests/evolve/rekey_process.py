"""`python -m tests.evolve.rekey_process FOLDER RATE`: a runner of the test's re-keying in a process of its own."""

import sys
from pathlib import Path

from sparks.evolve.rekey import run_rekeyings
from sparks.library.throttle import Throttle
from sparks.model import times
from tests.evolve.places import HOLD, opened, two_tables

if __name__ == "__main__":
    folder, rate = sys.argv[1:]
    with two_tables("sqlite", Path(folder)) as processes:
        run_rekeyings(
            opened(processes),
            at=times.now(),
            throttle=Throttle(float(rate)),
            on_progress=lambda *_: None,
            settle=1.5 * HOLD,
        )

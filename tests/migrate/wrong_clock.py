"""`python -m tests.migrate.wrong_clock SECONDS COMMAND ..`: `sparks` whose clock is so many seconds ahead."""

import sys
import time
from datetime import timedelta

from sparks.model import times


def main() -> None:
    ahead = float(sys.argv[1])
    right_time, right_now = time.time, times.now
    time.time = lambda: right_time() + ahead
    times.now = lambda: right_now() + timedelta(seconds=ahead)
    sys.argv = ["sparks", *sys.argv[2:]]
    from sparks.cli.main import main as sparks  # modules that take `now` over are imported from here on

    sparks()


if __name__ == "__main__":
    main()

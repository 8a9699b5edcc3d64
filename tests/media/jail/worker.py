"""A worker as a program of its own, for tests that kill it: prints the two process ids, then waits."""

import sys
import time

from tests.media.jail import crashes, manners
from tests.media.jail.processes import parent_of
from tests.media.jail.task import SECONDS, Order, call, make_jail, name_of


def main() -> None:
    busy = sys.argv[1] == "busy"
    with make_jail() as jail:
        child = call(jail, manners.tell_pid)
        sys.stdout.write(f"{parent_of(child)} {child}\n")
        sys.stdout.flush()
        if busy:
            jail.run(Order(name_of(crashes.spin)), seconds=SECONDS * 10)
        time.sleep(SECONDS * 10)


if __name__ == "__main__":
    main()

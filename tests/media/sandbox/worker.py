"""A worker program for tests that kill it: prints the ids of fork server and child, then waits."""

import sys
import time

from tests.media.sandbox import crashes, good_tasks
from tests.media.sandbox.processes import parent_of
from tests.media.sandbox.tasks import SECONDS, TaskRequest, call, make_sandbox, name_of


def main() -> None:
    busy = sys.argv[1] == "busy"
    with make_sandbox() as sandbox:
        child = call(sandbox, good_tasks.own_pid)
        sys.stdout.write(f"{parent_of(child)} {child}\n")
        sys.stdout.flush()
        if busy:
            sandbox.run(TaskRequest(name_of(crashes.spin)), seconds=SECONDS * 10)
        time.sleep(SECONDS * 10)


if __name__ == "__main__":
    main()

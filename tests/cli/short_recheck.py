"""`sparks` that rechecks a change after seconds instead of a minute, for tests that wait until no job is left."""

from sparks.actions import outbox
from sparks.cli.main import main

RECHECK_AFTER = 2

if __name__ == "__main__":
    vars(outbox)["RECHECK_AFTER"] = RECHECK_AFTER
    main()

"""`sparks` that looks after a change again in seconds instead of a minute: for tests that wait until no job is left."""

from sparks.api import changes
from sparks.cli.main import main

NET = 2

if __name__ == "__main__":
    vars(changes)["NET"] = NET
    main()

"""`python -m tests.migrate.stop_at CLASS.METHOD before|after COMMAND ..`: `sparks` that stops itself at a place, once.

The process gets SIGSTOP where the method is called for the first time, or has returned. A test then kills it there, or
lets it go on later.
"""

import importlib
import os
import signal
import sys
from typing import Any, Final

PLACES: Final = {
    "Target": "sparks.migrate.target",
    "Applier": "sparks.migrate.apply",
    "Freeze": "sparks.migrate.postgresql.freeze",
    "Capture": "sparks.migrate.postgresql.capture",
    "MirrorWriter": "sparks.migrate.postgresql.mirror",
    "Copier": "sparks.migrate.engines.copier",
    "EngineMigrator": "sparks.migrate.engines.migrator",
}


def main() -> None:
    place, moment, *arguments = sys.argv[1:]
    name, _, method = place.partition(".")
    kind = getattr(importlib.import_module(PLACES[name]), name)
    original = getattr(kind, method)
    is_over = False

    def stop() -> None:
        nonlocal is_over
        if not is_over:
            is_over = True
            os.kill(os.getpid(), signal.SIGSTOP)

    def stopping(*given: Any, **named: Any) -> Any:
        if moment == "before":
            stop()
        result = original(*given, **named)
        if moment == "after":
            stop()
        return result

    setattr(kind, method, stopping)
    sys.argv = ["sparks", *arguments]
    from sparks.cli.main import main as sparks

    sparks()


if __name__ == "__main__":
    main()

"""`sparks` whose upkeep takes an hour: for tests of what happens to a job that does not finish."""

import logging
import threading
from typing import cast

from sparks.cli.main import main
from sparks.journey import AFTER, StepFunction
from sparks.model.events import UpkeepDue

HOUR = 3600


def clear_abandoned_uploads(event: UpkeepDue) -> None:
    logging.getLogger(__name__).info("asleep since %s", event.at)
    threading.Event().wait(HOUR)


if __name__ == "__main__":
    cast("list[StepFunction]", AFTER[UpkeepDue])[:] = [clear_abandoned_uploads]
    main()

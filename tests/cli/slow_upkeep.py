"""`sparks` whose upkeep takes an hour, for tests of jobs that do not finish in time."""

import logging
import threading
from typing import cast

from sparks.cli.main import main
from sparks.journey import STEPS_AFTER, StepFunction
from sparks.model.events import UpkeepDue

HOUR = 3600


def sleep_for_an_hour(event: UpkeepDue) -> None:
    logging.getLogger(__name__).info("asleep since %s", event.at)
    threading.Event().wait(HOUR)


if __name__ == "__main__":
    cast("dict[str, StepFunction]", STEPS_AFTER[UpkeepDue])["clear_abandoned_uploads"] = sleep_for_an_hour
    main()

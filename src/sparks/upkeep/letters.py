"""Dead letters about photos that are gone: nobody will ever retry them, and they name what is to be nowhere."""

from typing import Final

from sparks.jobs.port import DeadJob, Jobs
from sparks.library.photos import find_photo
from sparks.table.port import Table

MOST: Final = 1000


def drop_letters(*, table: Table, jobs: Jobs) -> int:
    """How many went."""
    gone = [dead.job_id for dead in jobs.dead(most=MOST) if _is_about_nothing(dead, table)]
    return jobs.drop_dead(gone) if gone else 0


def _is_about_nothing(dead: DeadJob, table: Table) -> bool:
    image_id = dead.job.body.get("image_id")
    return isinstance(image_id, str) and find_photo(image_id, table=table) is None

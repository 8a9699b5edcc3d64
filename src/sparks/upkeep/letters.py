"""Dead letters: sent again or dropped by whoever runs Sparks; those about photos that are gone go by themselves.

Nobody will ever retry these, and they name what is to be nowhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.jobs.port import DeadJob, Jobs
from sparks.library.audit import Deed, audit
from sparks.library.photos import find_photo
from sparks.table.port import Table

MOST: Final = 1000  # at a time

Act = Callable[[Sequence[str]], int]


@dataclass(frozen=True, slots=True)
class Handled:
    """How many dead letters were found, and the ids that none has."""

    found: int
    missing: tuple[str, ...] = ()


def retry_letters(ids: Sequence[str] | None, *, who: str, at: datetime, table: Table, jobs: Jobs) -> Handled:
    """Sends these dead letters again, or all of them (None), and writes down who did so."""
    return _noted(Deed.JOBS_RETRIED, _handle(ids, jobs.retry_dead, jobs), who, at, table)


def drop_named_letters(ids: Sequence[str] | None, *, who: str, at: datetime, table: Table, jobs: Jobs) -> Handled:
    """Removes them for good; the same otherwise."""
    return _noted(Deed.JOBS_DROPPED, _handle(ids, jobs.drop_dead, jobs), who, at, table)


def drop_letters(*, table: Table, jobs: Jobs) -> int:
    """How many went that are about photos that are gone."""
    gone = [dead.job_id for dead in jobs.dead(most=MOST) if _is_about_nothing(dead, table)]
    return jobs.drop_dead(gone) if gone else 0


def image_of(dead: DeadJob) -> str | None:
    """The photo that it is about, if it names one."""
    image_id = dead.job.body.get("image_id")
    return image_id if isinstance(image_id, str) else None


def _is_about_nothing(dead: DeadJob, table: Table) -> bool:
    image_id = image_of(dead)
    return image_id is not None and find_photo(image_id, table=table) is None


def _handle(ids: Sequence[str] | None, act: Act, jobs: Jobs) -> Handled:
    if ids is None:
        return Handled(_act_on_all(act, jobs))
    named = dict.fromkeys(ids)
    missing = tuple(job_id for job_id in named if not act([job_id]))
    return Handled(len(named) - len(missing), missing)


def _act_on_all(act: Act, jobs: Jobs) -> int:
    """Each is handled once, also if it dies again meanwhile: so this comes to an end."""
    seen: set[str] = set()
    found = 0
    while fresh := [job.job_id for job in jobs.dead(most=MOST) if job.job_id not in seen]:
        found += act(fresh)
        seen.update(fresh)
    return found


def _noted(deed: Deed, handled: Handled, who: str, at: datetime, table: Table) -> Handled:
    if handled.found:
        table.write(audit(deed, who=who, at=at, count=handled.found))
    return handled

"""Dead letters: retry or drop them, and drop those of deleted photos, whose ids they would keep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.jobs.port import DeadJob, Jobs
from sparks.library.audit import AuditAction, audit_row
from sparks.library.photos.photo_rows import find_photo
from sparks.table.port import Table

MAX_DEAD_LETTERS: Final = 1000  # in one call

Action = Callable[[Sequence[str]], int]


@dataclass(frozen=True, slots=True)
class DeadLettersResult:
    """The number of dead letters that were found, and the ids that were not."""

    found: int
    missing: tuple[str, ...] = ()


def retry_dead_letters(
    ids: Sequence[str] | None, *, who: str, at: datetime, table: Table, jobs: Jobs
) -> DeadLettersResult:
    """Sends these dead letters again, or all of them (None), and adds an entry to the audit log."""
    return _audited(AuditAction.JOBS_RETRIED, _handle(ids, jobs.retry_dead, jobs), who, at, table)


def drop_named_letters(
    ids: Sequence[str] | None, *, who: str, at: datetime, table: Table, jobs: Jobs
) -> DeadLettersResult:
    """Deletes these dead letters, or all of them (None), and adds an entry to the audit log."""
    return _audited(AuditAction.JOBS_DROPPED, _handle(ids, jobs.drop_dead, jobs), who, at, table)


def drop_orphaned_letters(*, table: Table, jobs: Jobs) -> int:
    """Deletes the dead letters of deleted photos, and returns their number."""
    orphaned = [dead.job_id for dead in jobs.dead(most=MAX_DEAD_LETTERS) if _is_orphaned(dead, table)]
    return jobs.drop_dead(orphaned) if orphaned else 0


def image_of(dead: DeadJob) -> str | None:
    """The id of the photo that the job names, if any."""
    image_id = dead.job.body.get("image_id")
    return image_id if isinstance(image_id, str) else None


def _is_orphaned(dead: DeadJob, table: Table) -> bool:
    image_id = image_of(dead)
    return image_id is not None and find_photo(image_id, table=table) is None


def _handle(ids: Sequence[str] | None, action: Action, jobs: Jobs) -> DeadLettersResult:
    if ids is None:
        return DeadLettersResult(_handle_all(action, jobs))
    unique = dict.fromkeys(ids)
    missing = tuple(job_id for job_id in unique if not action([job_id]))
    return DeadLettersResult(len(unique) - len(missing), missing)


def _handle_all(action: Action, jobs: Jobs) -> int:
    """Handles each dead letter once, even if it fails again meanwhile: otherwise this might never end."""
    handled_ids: set[str] = set()
    found = 0
    while fresh := [job.job_id for job in jobs.dead(most=MAX_DEAD_LETTERS) if job.job_id not in handled_ids]:
        found += action(fresh)
        handled_ids.update(fresh)
    return found


def _audited(
    action: AuditAction, handled: DeadLettersResult, who: str, at: datetime, table: Table
) -> DeadLettersResult:
    if handled.found:
        table.write(audit_row(action, who=who, at=at, count=handled.found))
    return handled

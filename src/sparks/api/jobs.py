"""The job queue and its dead letters, for administrators: what `sparks jobs` does, in a browser."""

from typing import Annotated, Final

from fastapi import APIRouter, Query
from pydantic import Field, StrictBool

from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.shapes import Answer, Time, Wish
from sparks.jobs.port import DeadJob
from sparks.journey import Stores
from sparks.model.access import Action
from sparks.model.errors import BadInput
from sparks.upkeep.letters import MOST, drop_named_letters, image_of, retry_letters

WHICH: Final = "name the dead letters by their ids, or say that you mean all"

Most = Annotated[int, Query(ge=1, le=MOST, description="How many dead letters at most.")]
JobId = Annotated[str, Field(max_length=200)]


class JobCounts(Answer):
    """`waiting` may be run now, `delayed` later, `leased` is being run, `dead` has failed too often. Some queues only
    estimate them.
    """

    waiting: int
    delayed: int
    leased: int
    dead: int


class Letter(Answer):
    """A job that failed for the last time. Without a `reason`, whoever ran it did not come back in time."""

    job_id: str
    kind: str
    tries: int
    sent_at: Time
    reason: str | None = None
    image_id: str | None = None


class JobsAnswer(Answer):
    counts: JobCounts
    dead: list[Letter]


class LettersWish(Wish):
    """Either of both."""

    ids: Annotated[list[JobId], Field(min_length=1, max_length=MOST)] | None = None
    all: StrictBool = False

    def chosen(self) -> list[str] | None:
        """None is all; BadInput where nobody can tell."""
        if (self.ids is None) is not self.all:
            raise BadInput(WHICH)
        return self.ids


class Retried(Answer):
    """`missing` are ids that no dead letter has."""

    retried: int
    missing: list[str]


class Dropped(Answer):
    """`missing` are ids that no dead letter has."""

    dropped: int
    missing: list[str]


class JobRoutes:
    def __init__(self, *, gate: Gate, stores: Stores) -> None:
        self._gate = gate
        self._table = stores.table
        self._jobs = stores.jobs

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="administration")
        path = "/api/admin/jobs"
        routes.add("GET", path, Action.SEE_JOBS, self.read_jobs)
        routes.add("POST", f"{path}/retry", Action.MANAGE_JOBS, self.retry_jobs)
        routes.add("POST", f"{path}/drop", Action.MANAGE_JOBS, self.drop_jobs)
        return routes.router

    def read_jobs(self, most: Most = 100) -> JobsAnswer:
        """How many jobs there are in each state, and the dead letters, oldest first where the queue keeps an order."""
        counts = JobCounts.model_validate(self._jobs.counts(), from_attributes=True)
        return JobsAnswer(counts=counts, dead=[_letter(dead) for dead in self._jobs.dead(most=most)])

    def retry_jobs(self, who: MemberCaller, wish: LettersWish) -> Retried:
        """Send dead letters again, with all their tries before them."""
        at = self._gate.now()
        done = retry_letters(wish.chosen(), who=who.email, at=at, table=self._table, jobs=self._jobs)
        return Retried(retried=done.found, missing=list(done.missing))

    def drop_jobs(self, who: MemberCaller, wish: LettersWish) -> Dropped:
        """Remove dead letters for good: what they were to do is not done."""
        at = self._gate.now()
        done = drop_named_letters(wish.chosen(), who=who.email, at=at, table=self._table, jobs=self._jobs)
        return Dropped(dropped=done.found, missing=list(done.missing))


def _letter(dead: DeadJob) -> Letter:
    return Letter(
        job_id=dead.job_id,
        kind=dead.job.kind,
        tries=dead.tries,
        sent_at=dead.sent,
        reason=dead.reason,
        image_id=image_of(dead),
    )

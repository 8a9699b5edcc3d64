"""Routes for the job queue and its dead letters."""

from typing import Annotated, Final

from fastapi import APIRouter, Query
from pydantic import Field, StrictBool

from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import RequestModel, ResponseModel, Time
from sparks.jobs.port import DeadJob, Jobs
from sparks.model.access import Action
from sparks.model.errors import BadInput
from sparks.table.port import Table
from sparks.upkeep.handle_dead_letters import MAX_DEAD_LETTERS, drop_named_letters, image_of, retry_dead_letters

NAME_ONE: Final = "name the dead letters by ids, or set all to true"

MaxLetters = Annotated[int, Query(ge=1, le=MAX_DEAD_LETTERS, description="The most dead letters.")]
JobId = Annotated[str, Field(max_length=200)]


class JobCountsResponse(ResponseModel):
    """Numbers of jobs: `waiting` can be run now, `delayed` later, `leased` are being run, `dead` have failed too often.
    Some queues only estimate them.
    """

    waiting: int
    delayed: int
    leased: int
    dead: int


class DeadLetterResponse(ResponseModel):
    """A job that failed for the last time. Without a `reason`, its worker did not finish in time."""

    job_id: str
    kind: str
    tries: int
    sent_at: Time
    reason: str | None = None
    image_id: str | None = None


class JobsResponse(ResponseModel):
    counts: JobCountsResponse
    dead: list[DeadLetterResponse]


class DeadLettersRequest(RequestModel):
    """Either `ids`, or `all`: true."""

    ids: Annotated[list[JobId], Field(min_length=1, max_length=MAX_DEAD_LETTERS)] | None = None
    all: StrictBool = False

    def chosen(self) -> list[str] | None:
        """The ids; None for all. BadInput unless exactly one of the fields is set."""
        if (self.ids is None) is not self.all:
            raise BadInput(NAME_ONE)
        return self.ids


class RetryJobsResponse(ResponseModel):
    """`missing` are the ids without a dead letter."""

    retried: int
    missing: list[str]


class DropJobsResponse(ResponseModel):
    """`missing` are the ids without a dead letter."""

    dropped: int
    missing: list[str]


class JobRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, jobs: Jobs) -> None:
        self._authenticator = authenticator
        self._table = table
        self._jobs = jobs

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="administration")
        path = "/api/admin/jobs"
        routes.add("GET", path, Action.SEE_JOBS, self.read_jobs)
        routes.add("POST", f"{path}/retry", Action.MANAGE_JOBS, self.retry_jobs)
        routes.add("POST", f"{path}/drop", Action.MANAGE_JOBS, self.drop_jobs)
        return routes.router

    def read_jobs(self, most: MaxLetters = 100) -> JobsResponse:
        """Read the number of jobs in each state, and the dead letters, oldest first where the queue keeps an order."""
        counts = JobCountsResponse.model_validate(self._jobs.counts(), from_attributes=True)
        return JobsResponse(counts=counts, dead=[_letter(dead) for dead in self._jobs.dead(most=most)])

    def retry_jobs(self, caller: CurrentMember, body: DeadLettersRequest) -> RetryJobsResponse:
        """Retry dead letters, each with the full number of tries."""
        at = self._authenticator.now()
        done = retry_dead_letters(body.chosen(), who=caller.email, at=at, table=self._table, jobs=self._jobs)
        return RetryJobsResponse(retried=done.found, missing=list(done.missing))

    def drop_jobs(self, caller: CurrentMember, body: DeadLettersRequest) -> DropJobsResponse:
        """Drop dead letters: their jobs are never run."""
        at = self._authenticator.now()
        done = drop_named_letters(body.chosen(), who=caller.email, at=at, table=self._table, jobs=self._jobs)
        return DropJobsResponse(dropped=done.found, missing=list(done.missing))


def _letter(dead: DeadJob) -> DeadLetterResponse:
    return DeadLetterResponse(
        job_id=dead.job_id,
        kind=dead.job.kind,
        tries=dead.tries,
        sent_at=dead.sent,
        reason=dead.reason,
        image_id=image_of(dead),
    )

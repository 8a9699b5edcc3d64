"""The trip as data: which step follows which event.

An event becomes one job for each step that follows it: the step's name is the job's kind, the event's fields are its
body. A worker turns the job back into a call. A step takes the event and, by keyword, the stores that it touches; the
event that it returns, if any, sends the next steps on their way.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from sparks.auth.removal import remove_account, resume_removals
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.jobs.port import Job, Jobs
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import Event, RemovalBegun, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.table.port import Table
from sparks.upload.abandoned import clear_abandoned_uploads

StepFunction = Callable[..., Event | None]
After = Mapping[type[Event], Sequence[StepFunction]]

AFTER: Final[After] = {
    RemovalBegun: [remove_account],
    UpkeepDue: [clear_abandoned_uploads, resume_removals],
}

REQUEST_ID: Final = "requestId"


@dataclass(frozen=True, slots=True)
class Stores:
    """All that a step may ask for, by these names.

    `served` are the blobs once more, where Sparks itself answers at their signed addresses.
    """

    table: Table
    blobs: Blobs
    jobs: Jobs
    keyring: Keyring
    served: ServedBlobs | None = None


@dataclass(frozen=True, slots=True)
class Step:
    run: StepFunction
    event: type[Event]
    needs: tuple[str, ...]


def steps_of(after: After) -> dict[str, Step]:
    """The steps by name, each with what it asks for; one that asks for something unknown is a TypeError."""
    steps: dict[str, Step] = {}
    for event, functions in after.items():
        for function in functions:
            if function.__name__ in steps:
                raise TypeError(f"two steps are named {function.__name__}")
            steps[function.__name__] = Step(function, event, _needs(function))
    return steps


def _needs(function: StepFunction) -> tuple[str, ...]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    for parameter in parameters:
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name not in Stores.__dataclass_fields__:
            raise TypeError(f"{function.__name__} asks for {parameter.name}, which is not one of the stores by keyword")
    return tuple(parameter.name for parameter in parameters)


class Journey:
    """Events into jobs, and jobs into calls of their steps."""

    def __init__(self, after: After = AFTER) -> None:
        self._after = after
        self._steps = steps_of(after)

    def knows(self, kind: str) -> bool:
        return kind in self._steps

    def jobs_after(self, event: Event, *, request_id: str | None = None) -> list[Job]:
        """One job for each step that follows the event; they remember which request it began with."""
        body = msgspec.to_builtins(event, str_keys=True)
        if request_id is not None:
            body[REQUEST_ID] = request_id
        return [Job(function.__name__, body) for function in self._after.get(type(event), ())]

    def send_after(
        self, event: Event, *, jobs: Jobs, request_id: str | None = None, deduplication: str | None = None
    ) -> None:
        for job in self.jobs_after(event, request_id=request_id):
            jobs.send(job, deduplication=deduplication and f"{job.kind}:{deduplication}")

    def run(self, job: Job, *, stores: Stores) -> Event | None:
        """Calls the job's step. NotFound when no step has that name, BadInput when the body is not its event."""
        step = self._steps.get(job.kind)
        if step is None:
            raise NotFound(f"no step is named {job.kind}: the job is of another version of Sparks")
        return step.run(_event(step.event, job.body), **{name: getattr(stores, name) for name in step.needs})


def _event(kind: type[Event], body: Mapping[str, Any]) -> Event:
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"the job does not hold a {kind.__name__}: {error}") from error

"""The trip as data: which step follows which event.

An event becomes one job for each step that follows it: the step's name is the job's kind, the event's fields are its
body. A worker turns the job back into a call. A step takes the event and, by keyword, the stores that it touches; the
event that it returns, or each of several, sends the next steps on their way. A step that has failed for the last time
may have somebody who writes that down.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from sparks.auth.removal import remove_account, resume_removals
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.faces.finding import find_faces, find_faces_again, give_up_faces
from sparks.faces.library import index_library, look_for_unindexed
from sparks.faces.port import FaceEngine
from sparks.feed.leaving import clear_deleted_album, resume_album_deletions, withdraw_who_left
from sparks.feed.retagging import rename_tag
from sparks.feed.showing import show_photo, update_lists
from sparks.jobs.port import Job, Jobs
from sparks.library.face_index import FaceIndex
from sparks.library.search import SearchIndex
from sparks.media.studio import Studio
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import (
    AlbumDeleting,
    Decided,
    DecidedLately,
    ErasureBegun,
    Event,
    FacesFound,
    FacesWanted,
    FilmWanted,
    LibraryUnindexed,
    MemberLeft,
    PatrolDue,
    PeopleDue,
    PhotoChanged,
    PhotoDeleting,
    RebuildWanted,
    RemovalBegun,
    RenditionsReady,
    TagRenaming,
    UpkeepDue,
    Uploaded,
)
from sparks.model.keyring import Keyring
from sparks.model.terms import Terms
from sparks.people.erasing import erase_faces, resume_erasures
from sparks.people.following import follow_decision, follow_decision_again
from sparks.people.full import rebuild_people, resume_rebuild
from sparks.people.incremental import regroup_people
from sparks.people.placing import place_faces
from sparks.table.port import Table
from sparks.upkeep.patrol import resend_lost
from sparks.upkeep.sweep import sweep
from sparks.upload.abandoned import clear_abandoned_uploads
from sparks.upload.erasing import erase_deleted
from sparks.upload.filming import make_film
from sparks.upload.making import give_up_photo, make_renditions

Follows = Event | Iterable[Event] | None
StepFunction = Callable[..., Follows]
After = Mapping[type[Event], Sequence[StepFunction]]
Instead = Mapping[StepFunction, StepFunction]

AFTER: Final[After] = {
    Uploaded: [make_renditions],
    RenditionsReady: [show_photo, find_faces],
    FilmWanted: [make_film],
    FacesWanted: [find_faces_again],
    FacesFound: [place_faces],
    PeopleDue: [regroup_people],
    RebuildWanted: [rebuild_people],
    LibraryUnindexed: [index_library],
    Decided: [follow_decision],
    DecidedLately: [follow_decision_again],
    PhotoChanged: [update_lists],
    TagRenaming: [rename_tag],
    PhotoDeleting: [erase_deleted],
    AlbumDeleting: [clear_deleted_album],
    MemberLeft: [withdraw_who_left],
    RemovalBegun: [remove_account],
    ErasureBegun: [erase_faces],
    UpkeepDue: [
        clear_abandoned_uploads,
        resume_removals,
        resume_album_deletions,
        resume_erasures,
        sweep,
        look_for_unindexed,
        resume_rebuild,
    ],
    PatrolDue: [resend_lost],
}
INSTEAD: Final[Instead] = {
    make_renditions: give_up_photo,
    find_faces: give_up_faces,
    find_faces_again: give_up_faces,
}

REQUEST_ID: Final = "requestId"


@dataclass(frozen=True, slots=True)
class Stores:
    """All that a step may ask for, by these names.

    `served` are the blobs once more, where Sparks itself answers at their signed addresses. `studio` is there where
    pictures are decoded; `engine` and `index` where faces are found and compared; `search` where photos are asked for.
    """

    table: Table
    blobs: Blobs
    jobs: Jobs
    keyring: Keyring
    served: ServedBlobs | None = None
    studio: Studio | None = None
    engine: FaceEngine | None = None
    index: FaceIndex | None = None
    search: SearchIndex | None = None
    terms: Terms = field(default_factory=Terms)


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


def _needs(function: StepFunction, *, skip: int = 1) -> tuple[str, ...]:
    """What it asks for behind the event, and the reason if it is told one."""
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    for parameter in parameters:
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name not in Stores.__dataclass_fields__:
            raise TypeError(f"{function.__name__} asks for {parameter.name}, which is not one of the stores by keyword")
    return tuple(parameter.name for parameter in parameters)


def _instead(steps: Mapping[str, Step], instead: Instead) -> dict[str, Step]:
    known = ((step.__name__, give_up) for step, give_up in instead.items() if step.__name__ in steps)
    return {name: Step(give_up, steps[name].event, _needs(give_up, skip=2)) for name, give_up in known}


class Journey:
    """Events into jobs, and jobs into calls of their steps."""

    def __init__(
        self, after: After = AFTER, instead: Instead = INSTEAD, *, clock: Callable[[], float] = time.time
    ) -> None:
        """`instead`: who is told of a step that has failed for the last time, and why, beside its event."""
        self._after = after
        self._steps = steps_of(after)
        self._instead = _instead(self._steps, instead)
        self._clock = clock
        self._turns: dict[type[Event], int] = {}

    def knows(self, kind: str) -> bool:
        return kind in self._steps

    def jobs_after(self, event: Event, *, request_id: str | None = None) -> list[Job]:
        """One job for each step that follows the event; they remember which request it began with."""
        body = msgspec.to_builtins(event, str_keys=True)
        if request_id is not None:
            body[REQUEST_ID] = request_id
        return [Job(function.__name__, body) for function in self._after.get(type(event), ())]

    def send_after(
        self,
        event: Event,
        *,
        jobs: Jobs,
        request_id: str | None = None,
        deduplication: str | None = None,
        delay: float = 0,
    ) -> None:
        """`delay` beside the one that the event itself asks for.

        [Note: turns] A queue takes no `deduplication` with a delay. So it is here that one job stands for all events of
        its kind within some seconds: one for each process, which is few enough.
        """
        turn = None if event.every is None else int(self._clock()) // event.every
        if turn is not None and self._turns.get(type(event)) == turn:
            return
        for job in self.jobs_after(event, request_id=request_id):
            key = None if deduplication is None else f"{job.kind}:{deduplication}"
            jobs.send(job, delay=max(delay, event.delay), deduplication=key)
        if turn is not None:
            self._turns[type(event)] = turn

    def run(self, job: Job, *, stores: Stores) -> Iterable[Event]:
        """Calls the job's step, and tells what follows. NotFound when no step has that name, BadInput when the body is
        not its event.
        """
        step = self._steps.get(job.kind)
        if step is None:
            raise NotFound(f"no step is named {job.kind}: the job is of another version of Sparks")
        return _each(step.run(_event(step.event, job.body), **_given(stores, step)))

    def give_up(self, job: Job, reason: str, *, stores: Stores) -> Iterable[Event]:
        """What is to be done where the job's step has failed for the last time, and what follows from that."""
        step = self._instead.get(job.kind)
        return () if step is None else _each(step.run(_event(step.event, job.body), reason, **_given(stores, step)))


def _given(stores: Stores, step: Step) -> dict[str, Any]:
    return {name: getattr(stores, name) for name in step.needs}


def _each(follows: Follows) -> Iterable[Event]:
    if follows is None:
        return ()
    return (follows,) if isinstance(follows, Event) else follows


def _event(kind: type[Event], body: Mapping[str, Any]) -> Event:
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"the job does not hold a {kind.__name__}: {error}") from error

"""The journey of a photo as a table: which steps follow which event. This is the first file to read.

An event is a fact, such as `Uploaded`. Sending it puts one job into the queue for each step that follows it. A worker
takes the job and calls the step: a function of the event and, by keyword, of the stores that it needs. A step may
return further events, which are sent in the same way. An upload goes through these steps:

    Uploaded -> make_photo_renditions
        -> RenditionsReady -> update_lists
                           -> find_faces -> FacesFound -> place_faces -> PeopleDue -> regroup_people
                                                                                  -> update_person_pictures
        -> VideoWanted -> make_video -> PhotoChanged -> update_lists

A step may run twice, late or out of order: the rows of the table decide what is left to do. When a step has failed for
the last time, the function in `ON_FAILURE` records that.

Each step has a kind, the name of its jobs. Jobs in a queue outlive an upgrade, so a kind is kept even where the
function is renamed. One function may follow several events, with a kind for each.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from sparks.accounts.remove_account import remove_account, resume_removals
from sparks.albums.departures import clear_deleted_album, resume_album_deletions, withdraw_former_member
from sparks.blobs.port import Blobs
from sparks.faces.detect_faces import find_faces, give_up_faces
from sparks.faces.index_library import index_library, look_for_unindexed
from sparks.faces.port import FaceEngine
from sparks.feed.update_lists import update_lists
from sparks.jobs.port import Job, Jobs
from sparks.library.face_index import FaceIndex
from sparks.library.photo_deletion import finish_deletion
from sparks.library.search.search_index import SearchIndex
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import (
    AccountRemovalBegun,
    AlbumDeletionBegun,
    DecisionMade,
    DecisionRecheckDue,
    ErasureBegun,
    Event,
    FaceIndexingDue,
    FacesFound,
    FacesWanted,
    MemberLeft,
    PatrolDue,
    PeopleDue,
    PersonPicturesDue,
    PhotoChanged,
    PhotoDeletionBegun,
    RebuildWanted,
    RenditionsReady,
    TagRenameBegun,
    UpkeepDue,
    Uploaded,
    VideoWanted,
)
from sparks.model.keyring import Keyring
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.assign_faces import place_faces
from sparks.people.biometric_erasure.erase import erase_faces, resume_erasures
from sparks.people.decision_followup import follow_decision, follow_decision_again
from sparks.people.group_new_faces import regroup_people
from sparks.people.person_pictures import check_persons, update_person_pictures
from sparks.people.rebuild import rebuild_people, resume_rebuild
from sparks.renditions.make import fail_photo, make_photo_renditions
from sparks.renditions.make_video import make_video
from sparks.table.port import Table
from sparks.tags.rename_tag import rename_tag
from sparks.upkeep.resend_lost import resend_lost
from sparks.upkeep.sweep import sweep
from sparks.uploads.reservations import clear_abandoned_uploads

NextEvents = Event | Iterable[Event] | None
StepFunction = Callable[..., NextEvents]
StepTable = Mapping[type[Event], Mapping[str, StepFunction]]  # event -> kind -> step
FailureTable = Mapping[str, StepFunction]  # kind -> step

STEPS_AFTER: Final[StepTable] = {
    # A photo arrives
    Uploaded: {"make_renditions": make_photo_renditions},
    RenditionsReady: {"show_photo": update_lists, "find_faces": find_faces},
    VideoWanted: {"make_film": make_video},
    # Faces become persons
    FacesWanted: {"find_faces_again": find_faces},
    FacesFound: {"place_faces": place_faces},
    PeopleDue: {"regroup_people": regroup_people, "update_pictures": update_person_pictures},
    PersonPicturesDue: {"update_person_pictures": update_person_pictures},
    RebuildWanted: {"rebuild_people": rebuild_people},
    FaceIndexingDue: {"index_library": index_library},
    DecisionMade: {"follow_decision": follow_decision},
    DecisionRecheckDue: {"follow_decision_again": follow_decision_again},
    ErasureBegun: {"erase_faces": erase_faces},
    # Users change, delete and leave
    PhotoChanged: {"update_lists": update_lists},
    TagRenameBegun: {"rename_tag": rename_tag},
    PhotoDeletionBegun: {"erase_deleted": finish_deletion},
    AlbumDeletionBegun: {"clear_deleted_album": clear_deleted_album},
    MemberLeft: {"withdraw_who_left": withdraw_former_member},
    AccountRemovalBegun: {"remove_account": remove_account},
    # Time passes
    UpkeepDue: {
        "clear_abandoned_uploads": clear_abandoned_uploads,
        "resume_removals": resume_removals,
        "resume_album_deletions": resume_album_deletions,
        "resume_erasures": resume_erasures,
        "sweep": sweep,
        "look_for_unindexed": look_for_unindexed,
        "resume_rebuild": resume_rebuild,
    },
    PatrolDue: {
        "resend_lost": resend_lost,
        "check_persons": check_persons,
        "update_lost_pictures": update_person_pictures,
    },
}
ON_FAILURE: Final[FailureTable] = {
    "make_renditions": fail_photo,
    "find_faces": give_up_faces,
    "find_faces_again": give_up_faces,
}

REQUEST_ID: Final = "requestId"  # in the body of a job


@dataclass(frozen=True, slots=True)
class Stores:
    """The adapters and settings of one process. A step names those that it needs as keyword parameters.

    `table`, `blobs`, `jobs` and `keyring` are there in every process, the others only where they are used: `renderer`
    where pictures are decoded, `engine` and `index` where faces are found and compared, `search` where photos are
    searched.
    """

    table: Table
    blobs: Blobs
    jobs: Jobs
    keyring: Keyring
    renderer: SandboxedRenderer | None = None
    engine: FaceEngine | None = None
    index: FaceIndex | None = None
    search: SearchIndex | None = None
    pipeline: PipelineSettings = field(default_factory=PipelineSettings)


class Journey:
    """Turns events into jobs, and jobs into calls of their steps."""

    def __init__(
        self,
        steps_after: StepTable = STEPS_AFTER,
        on_failure: FailureTable = ON_FAILURE,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The functions of `on_failure` take the event and the reason of the last failure."""
        self._steps_after = steps_after
        self._steps = steps_by_kind(steps_after)
        self._failure_steps = _failure_steps(self._steps, on_failure)
        self._clock = clock
        self._last_turns: dict[type[Event], int] = {}

    def knows(self, kind: str) -> bool:
        return kind in self._steps

    def jobs_after(self, event: Event, *, request_id: str | None = None) -> list[Job]:
        """One job for each step that follows the event; its body holds the fields of the event and the request's id."""
        body = msgspec.to_builtins(event, str_keys=True)
        if request_id is not None:
            body[REQUEST_ID] = request_id
        return [Job(kind, body) for kind in self._steps_after.get(type(event), {})]

    def send_after(
        self,
        event: Event,
        *,
        jobs: Jobs,
        request_id: str | None = None,
        deduplication: str | None = None,
        delay: float = 0,
    ) -> None:
        """Sends the jobs that follow the event, after its own delay or `delay`, whichever is longer.

        An event with `every` is sent once for all events of its type within so many seconds. Each process counts for
        itself, which keeps the jobs few; the queue cannot do it, since it takes no `deduplication` with a delay.
        """
        turn = None if event.every is None else int(self._clock()) // event.every
        if turn is not None and self._last_turns.get(type(event)) == turn:
            return
        for job in self.jobs_after(event, request_id=request_id):
            key = None if deduplication is None else f"{job.kind}:{deduplication}"
            jobs.send(job, delay=max(delay, event.delay), deduplication=key)
        if turn is not None:
            self._last_turns[type(event)] = turn

    def run(self, job: Job, *, stores: Stores) -> Iterable[Event]:
        """Calls the job's step; the events that it returns. NotFound for an unknown kind, BadInput for a body that is
        not the step's event.
        """
        step = self._steps.get(job.kind)
        if step is None:
            raise NotFound(f"no step has the kind {job.kind}: the job is of another version of Sparks")
        return _events(step.run(_event(step.event, job.body), **_arguments(stores, step)))

    def give_up(self, job: Job, reason: str, *, stores: Stores) -> Iterable[Event]:
        """Records that the job's step has failed for the last time; the events that follow from that."""
        step = self._failure_steps.get(job.kind)
        if step is None:
            return ()
        return _events(step.run(_event(step.event, job.body), reason, **_arguments(stores, step)))


@dataclass(frozen=True, slots=True)
class Step:
    """A step function, the event that it takes, and the names of the stores that it needs."""

    run: StepFunction
    event: type[Event]
    needs: tuple[str, ...]


def steps_by_kind(steps_after: StepTable) -> dict[str, Step]:
    """TypeError where two steps have the same kind, or a step needs a store that does not exist."""
    steps: dict[str, Step] = {}
    for event, functions in steps_after.items():
        for kind, function in functions.items():
            if kind in steps:
                raise TypeError(f"two steps have the kind {kind}")
            steps[kind] = Step(function, event, _needs(function))
    return steps


def _failure_steps(steps: Mapping[str, Step], on_failure: FailureTable) -> dict[str, Step]:
    known = ((kind, function) for kind, function in on_failure.items() if kind in steps)
    return {kind: Step(function, steps[kind].event, _needs(function, skip=2)) for kind, function in known}


def _needs(function: StepFunction, *, skip: int = 1) -> tuple[str, ...]:
    """The names of the parameters after the event, and after the reason in a function of `ON_FAILURE`."""
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    for parameter in parameters:
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.name not in Stores.__dataclass_fields__:
            raise TypeError(f"{function.__name__} asks for {parameter.name}, which is not one of the stores by keyword")
    return tuple(parameter.name for parameter in parameters)


def _arguments(stores: Stores, step: Step) -> dict[str, Any]:
    return {name: getattr(stores, name) for name in step.needs}


def _events(returned: NextEvents) -> Iterable[Event]:
    if returned is None:
        return ()
    return (returned,) if isinstance(returned, Event) else returned


def _event(kind: type[Event], body: Mapping[str, Any]) -> Event:
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"the job does not hold a {kind.__name__}: {error}") from error

"""Effects of a decision about persons: rows and live events at once, the rest by a job.

Before the decision is written, a job is sent that looks for it some seconds later. So faces and lists follow even where
the process is killed right after the write.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sparks.actions.outbox import Outbox
from sparks.library.live_events import announce_people
from sparks.library.people.apply_decision import apply_decision
from sparks.model.errors import SparksError
from sparks.model.events import DecisionMade, DecisionRecheckDue
from sparks.model.person import Decision, DecisionKind
from sparks.table.port import Table

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The decisions that an action made: several where it is about many faces, none where nothing had to change.
    `person_id`, `other_person_id` and `face_id` are the persons and the face that the action was about.
    """

    person_id: str
    decisions: Sequence[Decision]
    other_person_id: str | None = None
    face_id: str | None = None


class DecisionRecorder:
    def __init__(self, *, outbox: Outbox, min_photos: int | None, table: Table, clock: Callable[[], datetime]) -> None:
        self._outbox = outbox
        self._min_photos = min_photos
        self._table = table
        self._now = clock

    def begin(self, *person_ids: str) -> datetime:
        """The time at which a decision about these persons is to be written; sends the job that rechecks it."""
        at = self._now()
        self._outbox.send(DecisionRecheckDue(person_ids, at))
        return at

    def follow_up(self, decision: Decision) -> Decision:
        """Applies the decision, which is written already. An error is only logged, since the job tries again. A merge
        may be about any number of photos: the job alone applies it.
        """
        try:
            if decision.kind is not DecisionKind.MERGE:
                touched = apply_decision(decision, min_photos=self._min_photos, table=self._table)
                announce_people(touched, at=self._now(), table=self._table)
            self._outbox.send(DecisionMade(decision.decision_id))
        except SparksError as error:
            log.warning("a decision will be applied later: %s", error)
        return decision

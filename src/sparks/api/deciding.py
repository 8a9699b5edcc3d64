"""What people decide about persons: written first, then done as far as it is quick, and the rest by a job.

Each decision is durable before anybody is answered, and names who made it. Two who decide at once both stand: of what
they say about the same face, the later counts.

[Note: the net] A job that looks for what was decided is sent before, too: should Sparks be killed right after the
write, faces and lists follow all the same.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from sparks import logs
from sparks.journey import Journey, Stores
from sparks.library import people
from sparks.library.live import announce_people
from sparks.library.people import MOST_FACES
from sparks.model.errors import NotFound, SparksError
from sparks.model.events import Decided, DecidedLately, Event
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind
from sparks.model.photo import Photo, Visibility

Found = Sequence[tuple[Face, Photo]]

log = logging.getLogger(__name__)


class Deciding:
    """Each tells what was decided: more than one where it is about many faces, none where it is so already. `who` is an
    account. NotFound where the person, a face or a photo is gone, Conflict where the person was merged this moment.
    """

    def __init__(self, *, stores: Stores, journey: Journey, clock: Callable[[], datetime]) -> None:
        self._table = stores.table
        self._blobs = stores.blobs
        self._jobs = stores.jobs
        self._enough = stores.terms.enough
        self._journey = journey
        self._now = clock

    def name(self, person_id: str, name: str | None, *, who: str) -> Decision:
        at = self._begin(person_id)
        return self._followed(people.name_person(person_id, name, who=who, at=at, table=self._table))

    def hide(self, person_id: str, *, hidden: bool, who: str) -> Decision:
        at = self._begin(person_id)
        return self._followed(people.hide_person(person_id, hidden=hidden, who=who, at=at, table=self._table))

    def merge(self, person_id: str, into: str, *, who: str) -> list[Decision]:
        at = self._begin(person_id, into)
        decision = people.merge_persons(into, person_id, who=who, at=at, table=self._table)
        return [] if decision is None else [self._followed(decision)]

    def tell_apart(self, person_id: str, other_person_id: str, *, who: str) -> list[Decision]:
        at = self._begin(person_id)
        decision = people.tell_apart(person_id, other_person_id, who=who, at=at, table=self._table)
        return [self._followed(decision)]

    def split(self, person_id: str, found: Found, *, who: str) -> list[Decision]:
        """All of the faces become one and the same new person's."""
        at = self._begin(person_id)
        made: list[Decision] = []
        for faces in batches_of(found):
            into = made[0].other_person_id if made else None
            decision = people.split_person(person_id, faces, into=into, who=who, at=at, table=self._table)
            made.append(self._followed(decision))
        return made

    def reject(self, person_id: str, found: Found, *, who: str) -> list[Decision]:
        at = self._begin(person_id)
        return [
            self._followed(people.reject_faces(person_id, faces, who=who, at=at, table=self._table))
            for faces in batches_of(found)
        ]

    def assign(self, person_id: str | None, face: Face, *, who: str) -> Decision:
        """None is somebody new."""
        home, founds = self._whom(person_id)
        at = self._begin(home)
        decision = people.assign_faces(home, [face], founds=founds, who=who, at=at, table=self._table)
        return self._followed(decision)

    def draw(self, person_id: str | None, face: Face, *, who: str) -> Decision:
        """None is somebody new. The crop of a face that cannot be kept is deleted."""
        home, founds = self._whom(person_id)
        at = self._begin(home)
        try:
            decision = people.draw_face(home, face, founds=founds, who=who, at=at, table=self._table)
        except NotFound:
            self._drop_crop(face)
            raise
        return self._followed(decision)

    def choose_picture(self, person_id: str, face: Face, *, who: str) -> Decision:
        at = self._begin(person_id)
        return self._followed(people.choose_picture(person_id, face, who=who, at=at, table=self._table))

    def undo(self, decision: Decision, *, who: str) -> Decision:
        """The decision that was undone; Conflict for what was itself an undoing."""
        at = self._begin(decision.person_id)
        return self._followed(people.undo_decision(decision.decision_id, who=who, at=at, table=self._table))

    def _whom(self, person_id: str | None) -> tuple[str, bool]:
        return (people.next_person_id(table=self._table), True) if person_id is None else (person_id, False)

    def _begin(self, *person_ids: str) -> datetime:
        at = self._now()
        self._send(DecidedLately(person_ids, at))
        return at

    def _followed(self, decision: Decision) -> Decision:
        """It is made, whatever becomes of what follows: the job tries again. A merge may be about any number of photos,
        and is left to the job altogether.
        """
        try:
            if decision.kind is not DecisionKind.MERGE:
                touched = people.settle_decision(decision, enough=self._enough, table=self._table)
                announce_people(touched, at=self._now(), table=self._table)
            self._send(Decided(decision.decision_id))
        except SparksError as error:
            log.warning("what follows a decision is done later: %s", error)
        return decision

    def _drop_crop(self, face: Face) -> None:
        if face.thumb_key is not None and people.find_face(face.face_id, table=self._table) is None:
            self._blobs.delete(face.thumb_key)

    def _send(self, event: Event) -> None:
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get())


def batches_of(found: Iterable[tuple[Face, Photo]]) -> Iterator[list[Face]]:
    """As many faces as one decision may name, and of photos that the same people see: so that whoever is shown a
    decision can see what it is about.
    """
    alike: dict[tuple[str, ...], list[Face]] = {}
    for face, photo in found:
        alike.setdefault(_seen_by(photo), []).append(face)
    for faces in alike.values():
        for start in range(0, len(faces), MOST_FACES):
            yield faces[start : start + MOST_FACES]


def _seen_by(photo: Photo) -> tuple[str, ...]:
    return () if photo.visibility is Visibility.COMMUNITY else (photo.owner, *sorted(photo.albums))

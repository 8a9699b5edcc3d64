"""Actions of members about faces: split off, reject, assign to a person, draw by hand."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from sparks.actions.person_changes import CHANGE, NOT_THEIRS, check_name_is_free
from sparks.actions.record_decision import DecisionRecorder, DecisionResult
from sparks.blobs.port import Blobs
from sparks.faces.manual_faces import NOT_WANTED, manual_face
from sparks.faces.port import FaceEngine
from sparks.library.authorized_reads import faces_for, person_for, photo_for
from sparks.library.consent import faces_allowed
from sparks.library.people.decision_log import MAX_FACES
from sparks.library.people.face_assignment import next_person_id
from sparks.library.people.person_decisions import (
    add_manual_face,
    assign_faces,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.photo_faces import find_face, read_faces
from sparks.library.people.visible_persons import VisiblePerson
from sparks.model.audience import audience_key
from sparks.model.caller import Member
from sparks.model.errors import BadInput, Conflict, NotFound
from sparks.model.face import Box, Face
from sparks.model.person import Decision
from sparks.model.photo import AssetType, Photo
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.model.text_validation import checked_name
from sparks.table.port import Table

MAX_FACES_IN_PHOTO: Final = 200  # an engine finds a hundred at most
PHOTO_FULL: Final = f"this photo has {MAX_FACES_IN_PHOTO} faces already: undo some that were drawn before"
ONE_OR_OTHER: Final = "name a known person by personId, or a new person by displayName: not both"

FacesWithPhotos = Sequence[tuple[Face, Photo]]


class FaceChanges:
    """Each method raises NotFound for a person, face or photo that the caller does not see, and Conflict for a person
    who is merged at this moment.
    """

    def __init__(
        self,
        *,
        recorder: DecisionRecorder,
        table: Table,
        blobs: Blobs,
        engine: FaceEngine | None,
        pipeline: FacePipelineSettings | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._recorder = recorder
        self._table = table
        self._blobs = blobs
        self._engine = engine
        self._pipeline = pipeline
        self._now = clock

    def split(self, caller: Member, person_id: str, face_ids: Iterable[str]) -> DecisionResult:
        """Moves all of the faces to one new person, `other_person_id`. Conflict where a face is not the person's."""
        person, faces = self._person(caller, person_id), self._faces(caller, face_ids)
        if any(face.person_id not in person.ids for face, _ in faces):
            raise Conflict(NOT_THEIRS)
        made = self._split(caller, person.person_id, faces)
        return DecisionResult(person.person_id, made, other_person_id=made[0].other_person_id)

    def reject(self, caller: Member, person_id: str, face_ids: Iterable[str]) -> DecisionResult:
        """The faces do not show this person."""
        person, faces = self._person(caller, person_id), self._faces(caller, face_ids)
        at, made = self._recorder.begin(person.person_id), []
        for batch in decision_batches(faces):
            decision = reject_faces(person.person_id, batch, who=caller.email, at=at, table=self._table)
            made.append(self._recorder.follow_up(decision))
        return DecisionResult(person.person_id, made)

    def assign(self, caller: Member, face_id: str, person_id: str) -> DecisionResult:
        """Gives the face to this person. Nothing is decided where a member has done so before."""
        [(face, _)] = self._faces(caller, [face_id])
        person = self._person(caller, person_id)
        is_so = face.by_hand and face.person_id in person.ids
        made = [] if is_so else [self._assign(caller, person.person_id, face)]
        return DecisionResult(person.person_id, made, face_id=face_id)

    def assign_to_new(self, caller: Member, face_id: str) -> DecisionResult:
        """Gives the face to a new person; a face that belongs to a person is split off."""
        [(face, _)] = faces = self._faces(caller, [face_id])
        if face.person_id is None:
            made = [self._assign(caller, None, face)]
        else:
            made = self._split(caller, face.person_id, faces)
        return DecisionResult(made[0].other_person_id or made[0].person_id, made, face_id=face_id)

    def draw(
        self, caller: Member, image_id: str, box: Box, *, person_id: str | None, name: str | None, same_name: bool
    ) -> DecisionResult:
        """Adds a face that the engine did not find, or assigns the face that the box is around. Without `person_id` the
        person is new, with this name if one is given.
        """
        photo = photo_for(caller, CHANGE, image_id, at=self._now(), table=self._table)
        name = checked_name(name)
        if person_id is not None:
            if name is not None:
                raise BadInput(ONE_OR_OTHER)
            person_id = self._person(caller, person_id).person_id
        elif name is not None and not same_name:
            check_name_is_free(name, caller, at=self._now(), table=self._table)
        drawn = self._draw(caller, photo, box, person_id)
        made = [drawn] if name is None else [drawn, self._name(caller, drawn.person_id, name)]
        return DecisionResult(drawn.person_id, made, face_id=drawn.faces[0].face_id)

    def _draw(self, caller: Member, photo: Photo, box: Box, person_id: str | None) -> Decision:
        """Consent is checked again after the write: it may have been withdrawn meanwhile (see `library.consent`)."""
        known = list(read_faces(photo.image_id, photo.owner, table=self._table).faces.values())
        same = _face_at(box, photo, known)
        if same is not None:
            return self._assign(caller, person_id, same)
        if len(known) >= MAX_FACES_IN_PHOTO:
            raise Conflict(PHOTO_FULL)
        face = manual_face(
            photo,
            box,
            at=self._now(),
            table=self._table,
            blobs=self._blobs,
            engine=self._engine,
            pipeline=self._pipeline,
        )
        drawn = self._add(caller, person_id, face)
        if not faces_allowed(photo, table=self._table):
            self._undo(caller, drawn)
            raise Conflict(NOT_WANTED)
        return drawn

    def _add(self, caller: Member, person_id: str | None, face: Face) -> Decision:
        """Where the face cannot be stored, its crop is deleted."""
        person_id, is_new = self._person_or_new(person_id)
        at = self._recorder.begin(person_id)
        try:
            made = add_manual_face(person_id, face, founds=is_new, who=caller.email, at=at, table=self._table)
        except NotFound:
            self._delete_crop(face)
            raise
        return self._recorder.follow_up(made)

    def _assign(self, caller: Member, person_id: str | None, face: Face) -> Decision:
        person_id, is_new = self._person_or_new(person_id)
        at = self._recorder.begin(person_id)
        made = assign_faces(person_id, [face], founds=is_new, who=caller.email, at=at, table=self._table)
        return self._recorder.follow_up(made)

    def _split(self, caller: Member, person_id: str, faces: FacesWithPhotos) -> list[Decision]:
        at = self._recorder.begin(person_id)
        made: list[Decision] = []
        for batch in decision_batches(faces):
            into = made[0].other_person_id if made else None
            decision = split_person(person_id, batch, into=into, who=caller.email, at=at, table=self._table)
            made.append(self._recorder.follow_up(decision))
        return made

    def _name(self, caller: Member, person_id: str, name: str) -> Decision:
        at = self._recorder.begin(person_id)
        return self._recorder.follow_up(name_person(person_id, name, who=caller.email, at=at, table=self._table))

    def _undo(self, caller: Member, decision: Decision) -> None:
        at = self._recorder.begin(decision.person_id)
        undone = undo_decision(decision.decision_id, who=caller.email, at=at, table=self._table)
        self._recorder.follow_up(undone)

    def _person_or_new(self, person_id: str | None) -> tuple[str, bool]:
        """The id, and whether it is that of a new person."""
        return (next_person_id(table=self._table), True) if person_id is None else (person_id, False)

    def _delete_crop(self, face: Face) -> None:
        if face.thumb_key is not None and find_face(face.face_id, table=self._table) is None:
            self._blobs.delete(face.thumb_key)

    def _person(self, caller: Member, person_id: str) -> VisiblePerson:
        return person_for(caller, CHANGE, person_id, at=self._now(), table=self._table)

    def _faces(self, caller: Member, face_ids: Iterable[str]) -> FacesWithPhotos:
        return faces_for(caller, CHANGE, face_ids, at=self._now(), table=self._table)


def decision_batches(faces: Iterable[tuple[Face, Photo]]) -> Iterator[list[Face]]:
    """The faces in batches of at most as many as one decision may name, each of photos with the same audience: so a
    member who sees a decision sees all that it is about.
    """
    by_audience: dict[tuple[str, ...], list[Face]] = {}
    for face, photo in faces:
        by_audience.setdefault(audience_key(photo), []).append(face)
    for batch in by_audience.values():
        for start in range(0, len(batch), MAX_FACES):
            yield batch[start : start + MAX_FACES]


def _face_at(box: Box, photo: Photo, faces: list[Face]) -> Face | None:
    """The face that the box is around. None in a video, where faces of different frames may be at the same place."""
    if photo.asset_type is AssetType.VIDEO:
        return None
    nearest = max(faces, key=lambda face: box.overlap(face.box), default=None)
    return nearest if nearest is not None and box.is_same_face(nearest.box) else None

"""Drawing a face into a photo, where no engine saw one."""

from typing import Final

from fastapi import APIRouter

from sparks.api.deciding import Deciding
from sparks.api.decision_answers import DecidedAnswer, DecisionAnswers
from sparks.api.decision_shapes import DrawnFace
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.media import ImageId
from sparks.api.names import refuse_taken
from sparks.faces.drawing import NOT_WANTED, drawn_face
from sparks.journey import Stores
from sparks.library.access import person_for, photo_for
from sparks.library.consent import faces_allowed
from sparks.library.people import read_faces
from sparks.library.photos.words import checked_name
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, Conflict
from sparks.model.face import Box, Face
from sparks.model.person import Decision
from sparks.model.photo import AssetType, Photo

MOST_FACES: Final = 200  # of one photo: an engine finds a hundred at most
FULL: Final = f"this photo has {MOST_FACES} faces already: undo some of what was drawn before"
ONE_OR_OTHER: Final = "say whose face it is by personId, or what somebody new is called by displayName: not both"


class DrawingRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, deciding: Deciding) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._deciding = deciding

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        routes.add(
            "POST",
            "/api/photos/{imageId}/faces",
            Action.CHANGE_PERSONS,
            self.draw_face,
            status=201,
            errors=(404, 409),
        )
        return routes.router

    def draw_face(self, who: MemberCaller, image_id: ImageId, wish: DrawnFace) -> DecidedAnswer:
        """Draw a face that was not found, and say whose it is. A box round a face that is there is that face."""
        at = self._gate.now()
        photo = photo_for(who, Action.CHANGE_PERSONS, image_id, at=at, table=self._table)
        person_id, name = self._whose(who, wish)
        drawing = self._draw(who, photo, wish.bbox.box(), person_id)
        made = [drawing]
        if name is not None:
            made.append(self._deciding.name(drawing.person_id, name, who=who.email))
        answers = DecisionAnswers(who, at=self._gate.now(), stores=self._stores)
        return answers.decided(made, drawing.person_id, face_id=drawing.faces[0].face_id)

    def _whose(self, who: Member, wish: DrawnFace) -> tuple[str | None, str | None]:
        """The person, or None for somebody new, and their name."""
        at, name = self._gate.now(), checked_name(wish.display_name)
        if wish.person_id is not None:
            if name is not None:
                raise BadInput(ONE_OR_OTHER)
            return person_for(who, Action.CHANGE_PERSONS, wish.person_id, at=at, table=self._table).person_id, None
        if name is not None and not wish.same_name:
            refuse_taken(name, who, at=at, table=self._table)
        return None, name

    def _draw(self, who: Member, photo: Photo, box: Box, person_id: str | None) -> Decision:
        """Whether faces are wanted there is asked once more when it is kept: see `library.consent`."""
        known = list(read_faces(photo.image_id, photo.owner, table=self._table).faces.values())
        same = _same(photo, box, known)
        if same is not None:
            return self._deciding.assign(person_id, same, who=who.email)
        if len(known) >= MOST_FACES:
            raise Conflict(FULL)
        stores = self._stores
        face = drawn_face(
            photo,
            box,
            at=self._gate.now(),
            table=stores.table,
            blobs=stores.blobs,
            served=stores.served,
            engine=stores.engine,
            terms=stores.terms.faces,
        )
        drawing = self._deciding.draw(person_id, face, who=who.email)
        if not faces_allowed(photo, table=self._table):
            self._deciding.undo(drawing, who=who.email)
            raise Conflict(NOT_WANTED)
        return drawing


def _same(photo: Photo, box: Box, known: list[Face]) -> Face | None:
    """The face that the box is round. In a film, faces of different frames may be at the same place."""
    if photo.asset_type is AssetType.VIDEO:
        return None
    nearest = max(known, key=lambda face: box.overlap(face.box), default=None)
    return nearest if nearest is not None and box.is_same_face(nearest.box) else None

"""Response bodies of persons, faces and decisions."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from pydantic import ConfigDict, Field

from sparks.actions.record_decision import DecisionResult
from sparks.api.http.base_models import PageResponse, ResponseModel, Time
from sparks.auth.callers import signed_in
from sparks.auth.signed_media_urls import MediaSigner, viewer_of
from sparks.feed.visible_decisions import VisibleDecisions
from sparks.library.authorized_reads import may_see
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.photos.photo_rows import find_photo
from sparks.model.audience import GuestReach, reach_of
from sparks.model.caller import Caller, GuestCaller, Member
from sparks.model.face import Box, Face, FaceReference
from sparks.model.keyring import Keyring
from sparks.model.person import Decision, DecisionKind, Person, Suggestion
from sparks.model.times import unix
from sparks.table.port import Table


class BoxResponse(ResponseModel):
    """The box of a face, as shares of the width and height of the upright picture; it may reach beyond the edge."""

    model_config = ConfigDict(alias_generator=str.capitalize)

    left: float
    top: float
    width: float
    height: float


class PersonNameResponse(ResponseModel):
    """A person's name. `displayName` is the id until a member gives a name."""

    person_id: str
    display_name: str
    named: bool
    hidden: bool = Field(description="Hidden from the lists of persons.")


class PersonResponse(PersonNameResponse):
    """A person as you see them: the number of their photos that you see, and the cover face among these."""

    s3_key: str | None = Field(
        None,
        description="The blob key of the person's picture, made of a face that every member may see. Use `thumbUrl` to "
        "show the cover face.",
    )
    created_at: int = Field(description="In seconds since 1970.")
    photo_count: int | None = Field(
        None,
        description="Number of photos of the community and your own; of a person whom you see in albums only, of one "
        "album. Left out where a link shows only some photos of an album.",
    )
    rep_face_id: str | None = None
    thumb_url: str | None = Field(None, description="URL of the cover face, which expires.")


class PersonList(PageResponse):
    persons: list[PersonResponse]


class FaceResponse(ResponseModel):
    """A face in a photo. Without `personId` it is not assigned to a person, or to one whom you do not see."""

    face_id: str
    image_id: str
    bbox: BoxResponse
    person_id: str | None = None
    thumb_url: str | None = Field(None, description="URL of the face crop, which expires.")
    confidence: float | None = Field(None, description="Confidence that this is a face, from 0 to 100.")
    quality: float | None = Field(None, description="How well the face can be recognized, from 0 to 1.")
    by_hand: bool = Field(description="A member assigned it, not the engine.")


class FaceList(PageResponse):
    faces: list[FaceResponse]


class PhotoPersonsResponse(ResponseModel):
    """The faces of a photo, and those of their persons whom you see."""

    faces: list[FaceResponse]
    persons: list[PersonNameResponse]


class PersonResponses:
    """Responses for one caller, at one time. The caller must be authorized to see the persons."""

    def __init__(self, caller: Caller, *, at: datetime, table: Table, keyring: Keyring) -> None:
        self._caller = caller
        self._at = at
        self._table = table
        self._sees_all = (
            not isinstance(caller, GuestCaller) or reach_of(caller.link, caller.guest, at) is GuestReach.ALL
        )
        self._sign = MediaSigner(viewer_of(signed_in(caller)), now=at, keyring=keyring).query

    def person(self, seen: VisiblePerson) -> PersonResponse:
        """The number of photos and the cover face are those of the whole album. A guest who sees only some photos of it
        gets no number, and the cover face only of a photo that they see. The picture for the community is for members.
        """
        face_id, image_id = seen.rep_face_id, seen.rep_image_id
        if not self._sees_all and not self._sees(image_id):
            face_id = image_id = None
        return PersonResponse(
            **person_name(seen.person).model_dump(),
            s3_key=None if isinstance(self._caller, GuestCaller) else seen.person.picture_key,
            created_at=unix(seen.person.created_at),
            photo_count=seen.photo_count if self._sees_all else None,
            rep_face_id=face_id,
            thumb_url=None if face_id is None or image_id is None else self._crop_url(image_id, face_id),
        )

    def face(self, face: Face, person_id: str | None) -> FaceResponse:
        """The face as one of this person, whom its row may not name yet."""
        return FaceResponse(
            face_id=face.face_id,
            image_id=face.image_id,
            bbox=box_response(face.box),
            person_id=person_id,
            thumb_url=None if face.thumb_key is None else self._crop_url(face.image_id, face.face_id),
            confidence=face.confidence,
            quality=face.quality,
            by_hand=face.by_hand,
        )

    def faces_in_photo(self, faces: Iterable[Face], seen: Mapping[str, VisiblePerson]) -> PhotoPersonsResponse:
        """`seen` are the persons whom the caller sees, by the ids in the rows of the faces."""
        pairs = [(face, seen.get(face.person_id or "")) for face in faces]
        persons = {person.person_id: person_name(person.person) for _, person in pairs if person is not None}
        responses = [self.face(face, None if person is None else person.person_id) for face, person in pairs]
        return PhotoPersonsResponse(faces=responses, persons=list(persons.values()))

    def _crop_url(self, image_id: str, face_id: str) -> str:
        return f"/media/{image_id}/faces/{face_id}?{self._sign(image_id)}"

    def _sees(self, image_id: str | None) -> bool:
        photo = None if image_id is None else find_photo(image_id, table=self._table)
        return photo is not None and may_see(self._caller, photo, at=self._at, table=self._table)


def person_name(person: Person) -> PersonNameResponse:
    return PersonNameResponse(
        person_id=person.person_id, display_name=person.display_name, named=person.is_named, hidden=person.hidden
    )


def box_response(box: Box) -> BoxResponse:
    return BoxResponse(left=box.left, top=box.top, width=box.width, height=box.height)


class NamedFaceResponse(ResponseModel):
    """A face as it was at the time of the decision."""

    face_id: str | None = None
    image_id: str
    bbox: BoxResponse


class DecisionResponse(ResponseModel):
    """A decision of a member about a person. In a merge, `otherPersonId` became this person; in a split, they are the
    new person.
    """

    decision_id: str
    kind: DecisionKind
    person_id: str
    other_person_id: str | None = None
    name: str | None = Field(None, description="The new name; none where the name was removed.")
    was: str | None = Field(None, description="The name before.")
    faces: list[NamedFaceResponse] = Field(description="The faces in photos that you see.")
    who: str
    decided_at: Time
    undone: bool
    undone_by: str | None = None
    undone_at: Time | None = None


class DecisionList(PageResponse):
    decisions: list[DecisionResponse]


class DecidedResponse(ResponseModel):
    """The decisions of this request, each of which can be undone by its id; none where nothing had to change. The
    persons are as you see them now; a person who is in no photo that you see is left out.
    """

    decision_id: str | None = Field(None, description="The id of the first decision.")
    decisions: list[DecisionResponse]
    person: PersonResponse | None = None
    other_person: PersonResponse | None = Field(None, description="The person to whom faces were split off.")
    face: FaceResponse | None = Field(None, description="The face that the request was about, if it was about one.")


class MergeSuggestionResponse(ResponseModel):
    """Two persons who may be the same. `faces` are the two similar faces, as far as you see them."""

    suggestion_id: str
    similarity: float
    persons: list[PersonResponse]
    faces: list[FaceResponse]


class MergeSuggestionList(PageResponse):
    suggestions: list[MergeSuggestionResponse]


class DecisionResponses:
    def __init__(self, *, table: Table, keyring: Keyring, clock: Callable[[], datetime]) -> None:
        self._table = table
        self._keyring = keyring
        self._now = clock

    def decided(self, result: DecisionResult, caller: Member) -> DecidedResponse:
        """The response to a change, with persons and face as the caller sees them after it."""
        at = self._now()
        visible = VisibleDecisions(caller, at=at, table=self._table)
        persons = PersonResponses(caller, at=at, table=self._table, keyring=self._keyring)
        known = visible.all_about(dict.fromkeys(decision.person_id for decision in result.decisions))
        decisions = [decision_response(decision, known, visible) for decision in result.decisions]
        other, face_id = result.other_person_id, result.face_id
        return DecidedResponse(
            decision_id=decisions[0].decision_id if decisions else None,
            decisions=decisions,
            person=_person(result.person_id, visible, persons),
            other_person=None if other is None else _person(other, visible, persons),
            face=None if face_id is None else _face(face_id, visible, persons),
        )

    def suggestions(
        self, suggestions: Iterable[Suggestion], visible: VisibleDecisions, caller: Member, *, after: str | None
    ) -> MergeSuggestionList:
        persons = PersonResponses(caller, at=self._now(), table=self._table, keyring=self._keyring)
        responses = [_suggestion(each, visible, persons) for each in suggestions]
        return MergeSuggestionList(suggestions=responses, last_evaluated_key=after)


def decision_response(decision: Decision, known: Iterable[Decision], visible: VisibleDecisions) -> DecisionResponse:
    """`known` are all decisions about the person: the one that undid this one is among them."""
    undo = next((each for each in known if each.undoes == decision.decision_id), None)
    other = decision.other_person_id
    return DecisionResponse(
        decision_id=decision.decision_id,
        kind=decision.kind,
        person_id=decision.person_id,
        other_person_id=other if other is not None and visible.person(other) is not None else None,
        name=decision.name,
        was=decision.was,
        faces=[_named_face(face) for face in decision.faces if visible.sees_photo(face.image_id)],
        who=decision.who,
        decided_at=decision.decided_at,
        undone=undo is not None,
        undone_by=None if undo is None else undo.who,
        undone_at=None if undo is None else undo.decided_at,
    )


def _suggestion(suggestion: Suggestion, visible: VisibleDecisions, persons: PersonResponses) -> MergeSuggestionResponse:
    pair = (_person(each, visible, persons) for each in (suggestion.person_id, suggestion.other_person_id))
    faces = (_face(each, visible, persons) for each in (suggestion.face_id, suggestion.other_face_id))
    return MergeSuggestionResponse(
        suggestion_id=suggestion.suggestion_id,
        similarity=suggestion.similarity,
        persons=[person for person in pair if person is not None],
        faces=[face for face in faces if face is not None],
    )


def _person(person_id: str, visible: VisibleDecisions, persons: PersonResponses) -> PersonResponse | None:
    person = visible.person(person_id)
    return None if person is None else persons.person(person)


def _face(face_id: str, visible: VisibleDecisions, persons: PersonResponses) -> FaceResponse | None:
    """None where the face is gone, or in a photo that the caller does not see."""
    face = visible.face(face_id)
    if face is None:
        return None
    person = None if face.person_id is None else visible.person(face.person_id)
    return persons.face(face, None if person is None else person.person_id)


def _named_face(face: FaceReference) -> NamedFaceResponse:
    return NamedFaceResponse(face_id=face.face_id, image_id=face.image_id, bbox=box_response(face.box))

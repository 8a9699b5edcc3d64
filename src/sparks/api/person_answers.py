"""Persons and faces as answers: what a caller is told of each, with addresses that are made for them."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from pydantic import ConfigDict, Field

from sparks.api.images import known
from sparks.api.shapes import Answer
from sparks.auth.signing import MediaSigner, viewer_of
from sparks.library import objects
from sparks.library.access import may_see
from sparks.library.people import SeenPerson
from sparks.library.photos import find_photo
from sparks.model.caller import GuestCaller, Who
from sparks.model.face import Box, Face
from sparks.model.keyring import Keyring
from sparks.model.person import Person
from sparks.model.share import Reach, reach_of
from sparks.model.times import unix
from sparks.table.port import Table


class BoxAnswer(Answer):
    """Where a face is: shares of the upright picture's width and height. At the edge it may reach beyond."""

    model_config = ConfigDict(alias_generator=str.capitalize)

    left: float
    top: float
    width: float
    height: float


class PersonName(Answer):
    """Whom one sees. `displayName` is the id until somebody gives a name."""

    person_id: str
    display_name: str
    named: bool
    hidden: bool = Field(description="Somebody has taken them out of the lists.")


class PersonAnswer(PersonName):
    """A person as far as you see them: in how many photos, and the face that shows them there."""

    s3_key: str | None = Field(None, description="The key of their picture.")
    created_at: int = Field(description="In seconds since 1970.")
    photo_count: int | None = Field(
        None,
        description="Of photos of the community and your own; of one whom you see in albums alone, in one of these. "
        "Left out where a link shows only some photos of an album.",
    )
    rep_face_id: str | None = None
    thumb_url: str | None = Field(None, description="Where you find their picture, for a while.")


class PersonList(Answer):
    persons: list[PersonAnswer]
    last_evaluated_key: str | None = None


class FaceAnswer(Answer):
    """A face in a photo. Without `personId` it is nobody's yet, or somebody's whom you do not see."""

    face_id: str
    image_id: str
    bbox: BoxAnswer
    person_id: str | None = None
    thumb_url: str | None = Field(None, description="Where you find the face alone, for a while.")
    confidence: float | None = Field(None, description="How sure it is that this is a face, from 0 to 100.")
    quality: float | None = Field(None, description="How well it can be recognised, from 0 to 1.")
    by_hand: bool = Field(description="Somebody said whose it is.")


class FaceList(Answer):
    faces: list[FaceAnswer]
    last_evaluated_key: str | None = None


class PhotoPersons(Answer):
    """The faces of a photo, and whom they show as far as you see them."""

    faces: list[FaceAnswer]
    persons: list[PersonName]


class PersonAnswers:
    """Answers to one caller, now, about what they may see."""

    def __init__(self, who: Who, *, at: datetime, table: Table, keyring: Keyring) -> None:
        self._who = who
        self._at = at
        self._table = table
        self._whole = not isinstance(who, GuestCaller) or reach_of(who.link, who.guest, at) is Reach.ALL
        self._sign = MediaSigner(viewer_of(known(who)), now=at, keyring=keyring).query

    def person(self, seen: SeenPerson) -> PersonAnswer:
        """[Note: the whole album] What is counted and chosen for it is not for a guest who sees only some of it."""
        face_id, image_id = seen.rep_face_id, seen.rep_image_id
        if not self._whole and not self._sees(image_id):
            face_id = image_id = None
        return PersonAnswer(
            **person_name(seen.person).model_dump(),
            s3_key=None if face_id is None else objects.face_thumb(face_id),
            created_at=unix(seen.person.created_at),
            photo_count=seen.photo_count if self._whole else None,
            rep_face_id=face_id,
            thumb_url=None if face_id is None or image_id is None else self.crop_url(image_id, face_id),
        )

    def face(self, face: Face, person_id: str | None) -> FaceAnswer:
        """As that of this person, who need not be the one that its row still names."""
        return FaceAnswer(
            face_id=face.face_id,
            image_id=face.image_id,
            bbox=box_answer(face.box),
            person_id=person_id,
            thumb_url=None if face.thumb_key is None else self.crop_url(face.image_id, face.face_id),
            confidence=face.confidence,
            quality=face.quality,
            by_hand=face.by_hand,
        )

    def faces_in_photo(self, faces: Iterable[Face], seen: Mapping[str, SeenPerson]) -> PhotoPersons:
        """`seen` are the persons whom the caller sees, by the ids that the faces name."""
        whose = [(face, seen.get(face.person_id or "")) for face in faces]
        persons = {person.person_id: person_name(person.person) for _, person in whose if person is not None}
        told = [self.face(face, None if person is None else person.person_id) for face, person in whose]
        return PhotoPersons(faces=told, persons=list(persons.values()))

    def _sees(self, image_id: str | None) -> bool:
        photo = None if image_id is None else find_photo(image_id, table=self._table)
        return photo is not None and may_see(self._who, photo, at=self._at, table=self._table)

    def crop_url(self, image_id: str, face_id: str) -> str:
        return f"/media/{image_id}/faces/{face_id}?{self._sign(image_id)}"


def person_name(person: Person) -> PersonName:
    return PersonName(
        person_id=person.person_id, display_name=person.display_name, named=person.is_named, hidden=person.hidden
    )


def box_answer(box: Box) -> BoxAnswer:
    return BoxAnswer(left=box.left, top=box.top, width=box.width, height=box.height)

"""Looking at persons: who there is, and who is in a photo.

What a caller sees of a person comes from the photos that they see. Who is in none of these is not there, for them.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from sparks.api.encoded import LOOKED_AT, encoded_answer
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.media import ImageId
from sparks.api.person_answers import PersonAnswer, PersonAnswers, PersonList, PhotoPersons
from sparks.journey import Stores
from sparks.library.access import may_see_person, person_for, photo_for
from sparks.library.people import list_persons, own_scopes, read_faces, see_persons
from sparks.model.access import Action
from sparks.model.caller import Member, Who
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner

PersonId = Annotated[str, Path(alias="personId", max_length=200)]
Whose = Annotated[
    Literal["all", "community", "mine"],
    Query(description="Of all that you see, of what the community sees, or of your own photos. Guests see an album."),
]
Few = Annotated[bool, Query(description="With those who are in few photos and have no name.")]
Hidden = Annotated[bool, Query(description="With those whom somebody has hidden.")]


class PersonRoutes:
    def __init__(self, *, gate: Gate, stores: Stores) -> None:
        self._gate = gate
        self._table = stores.table
        self._keyring = stores.keyring

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        see = Action.SEE_PERSONS
        routes.look("/api/persons", see, self.read_persons, response_model=PersonList, responses=LOOKED_AT)
        routes.add("GET", "/api/persons/{personId}", see, self.read_person, errors=(404,))
        routes.add("GET", "/api/photos/{imageId}/persons", see, self.read_persons_in_photo, errors=(404,))
        return routes.router

    def read_persons(
        self,
        request: Request,
        who: Caller,
        scope: Whose = "all",
        few: Few = False,
        hidden: Hidden = False,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """The persons whom you see, those in most photos first."""
        at = self._gate.now()
        sees = partial(may_see_person, who, at=at)
        read = partial(list_persons, _scopes(who, scope), few=few, hidden=hidden, sees=sees, table=self._table)
        found, after = page_of(
            lambda most, behind: read(limit=most, after=behind),
            query=f"persons {scope} few={few} hidden={hidden}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        answers = self._answers(who, at)
        told = PersonList(persons=[answers.person(each) for each in found], last_evaluated_key=after)
        return encoded_answer(request, told)

    def read_person(self, who: Caller, person_id: PersonId) -> PersonAnswer:
        """One person. Who was merged with another is answered as the one whom they became."""
        at = self._gate.now()
        seen = person_for(who, Action.SEE_PERSONS, person_id, at=at, table=self._table)
        return self._answers(who, at).person(seen)

    def read_persons_in_photo(self, who: Caller, image_id: ImageId) -> PhotoPersons:
        """The faces in a photo, and whom they show."""
        at = self._gate.now()
        photo = photo_for(who, Action.SEE_PERSONS, image_id, at=at, table=self._table)
        faces = read_faces(photo.image_id, photo.owner, table=self._table).faces.values()
        named = (face.person_id for face in faces if face.person_id is not None)
        found = see_persons(who, named, table=self._table)
        seen = {person_id: each for person_id, each in found.items() if may_see_person(who, each, at=at)}
        return self._answers(who, at).faces_in_photo(faces, seen)

    def _answers(self, who: Who, at: datetime) -> PersonAnswers:
        return PersonAnswers(who, at=at, table=self._table, keyring=self._keyring)


def _scopes(who: Who, asked: str) -> Sequence[Scope]:
    if not isinstance(who, Member) or asked == "all":
        return own_scopes(who)
    return (COMMUNITY,) if asked == "community" else (scope_of_owner(who.email),)

"""Where a person is to be seen: their photos, theirs and another's together, one's own, and their faces."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from sparks.api.encoded import LOOKED_AT
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.person_answers import FaceList, PersonAnswers
from sparks.api.persons import PersonId
from sparks.journey import Stores
from sparks.library.access import may_see, person_for
from sparks.library.people import SeenPerson, list_faces_of, list_photos_of, see_person
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.errors import NotFound
from sparks.model.photo import Photo

NOBODY_IS_YOU: Final = "Sparks does not know which person you are: say so with PUT /api/me/person, and look again"

With = Annotated[str | None, Query(alias="with", max_length=200, description="Another person, who is there too.")]


class AppearanceRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images) -> None:
        self._gate = gate
        self._table = stores.table
        self._keyring = stores.keyring
        self._pages = ImagePages(images, keyring=stores.keyring)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        see, lists = Action.SEE_PERSONS, Action.LIST_PHOTOS
        images: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT, "errors": (404,)}
        routes.look("/api/persons/{personId}/photos", see, self.read_photos_of_person, **images)
        routes.add("GET", "/api/persons/{personId}/faces", see, self.read_faces_of_person, errors=(404,))
        routes.look("/api/me/photos-with-me", lists, self.read_photos_with_me, **images)
        return routes.router

    def read_photos_of_person(
        self,
        request: Request,
        who: Caller,
        person_id: PersonId,
        other: With = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """The photos of a person that you see, newest first; `with` another one: those that show both."""
        asked = [person_id] if other is None else [person_id, other]
        persons = [self._person(who, each) for each in asked]
        return self._photos(persons, request, who, limit, cursor)

    def read_photos_with_me(
        self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """The photos that show you, as far as you see them, newest first."""
        if who.user.person_id is None:
            raise NotFound(NOBODY_IS_YOU)
        try:
            me = see_person(who, who.user.person_id, table=self._table)
        except NotFound as error:
            raise NotFound(NOBODY_IS_YOU) from error
        return self._photos([me], request, who, limit, cursor)

    def read_faces_of_person(
        self, who: Caller, person_id: PersonId, limit: Limit = 100, cursor: Cursor = None
    ) -> FaceList:
        """The faces of a person, in photos that you see, newest first."""
        at, person = self._gate.now(), self._person(who, person_id)
        read = partial(list_faces_of, person, sees=self._sees(who, at), table=self._table)
        found, after = page_of(
            lambda most, behind: read(limit=most, after=behind),
            query=f"faces of {person.person_id}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        answers = PersonAnswers(who, at=at, table=self._table, keyring=self._keyring)
        return FaceList(faces=[answers.face(face, person.person_id) for face in found], last_evaluated_key=after)

    def _photos(
        self, persons: Sequence[SeenPerson], request: Request, who: Who, limit: int, cursor: str | None
    ) -> Response:
        at = self._gate.now()
        read = partial(list_photos_of, *persons, sees=self._sees(who, at), table=self._table)
        return self._pages.answer(
            request,
            who,
            lambda most, behind: read(limit=most, after=behind),
            query=f"photos with {' '.join(each.person_id for each in persons)}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def _person(self, who: Who, person_id: str) -> SeenPerson:
        return person_for(who, Action.SEE_PERSONS, person_id, at=self._gate.now(), table=self._table)

    def _sees(self, who: Who, at: datetime) -> Callable[[Photo], bool]:
        return partial(may_see, who, at=at, table=self._table)

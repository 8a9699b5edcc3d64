"""Routes that list persons, their photos and faces, and the persons in a photo.

A caller sees a person in the photos that the caller sees. A person who is in none of these does not exist for them.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.json_response import NOT_MODIFIED_DOC, model_response
from sparks.api.http.parameters import ImageId, IncludeFewPhotos, IncludeHidden, PersonId, WithPerson
from sparks.api.people.responses import FaceList, PersonList, PersonResponse, PersonResponses, PhotoPersonsResponse
from sparks.api.photos.responses import ImageList, ImagePageResponses, ImageResponses
from sparks.library.authorized_reads import may_see, may_see_person, person_for, photo_for
from sparks.library.people.person_list import list_persons
from sparks.library.people.person_photos import list_faces_of, list_photos_of
from sparks.library.people.photo_faces import read_faces
from sparks.library.people.visible_persons import VisiblePerson, find_visible_person, find_visible_persons
from sparks.model.access import Action
from sparks.model.audience import own_scopes
from sparks.model.caller import Caller, Member
from sparks.model.errors import NotFound
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.table.port import Table

PersonScope = Annotated[
    Literal["all", "community", "mine"],
    Query(
        description="Persons in all photos that you see, in those of the community, or in your own. Guests get those "
        "of their album."
    ),
]
NO_OWN_PERSON: Final = "Sparks does not know which person you are: say so first with PUT /api/me/person"


class PersonRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, keyring: Keyring) -> None:
        self._authenticator = authenticator
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="persons")
        see = Action.SEE_PERSONS
        routes.add_fast("/api/persons", see, self.read_persons, response_model=PersonList, responses=NOT_MODIFIED_DOC)
        routes.add("GET", "/api/persons/{personId}", see, self.read_person, errors=(404,))
        routes.add("GET", "/api/photos/{imageId}/persons", see, self.read_persons_in_photo, errors=(404,))
        return routes.router

    def read_persons(
        self,
        request: Request,
        caller: CurrentCaller,
        scope: PersonScope = "all",
        few: IncludeFewPhotos = False,
        hidden: IncludeHidden = False,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """List the persons whom you see, those in most photos first."""
        at = self._authenticator.now()
        sees = partial(may_see_person, caller, at=at)
        read = partial(list_persons, _scopes(caller, scope), few=few, hidden=hidden, sees=sees, table=self._table)
        found, after = read_page(
            lambda most, behind: read(limit=most, after=behind),
            query=f"persons {scope} few={few} hidden={hidden}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        responses = self._responses(caller, at)
        persons = [responses.person(each) for each in found]
        return model_response(request, PersonList(persons=persons, last_evaluated_key=after))

    def read_person(self, caller: CurrentCaller, person_id: PersonId) -> PersonResponse:
        """Read a person. The id of a merged person leads to the person they became."""
        at = self._authenticator.now()
        seen = person_for(caller, Action.SEE_PERSONS, person_id, at=at, table=self._table)
        return self._responses(caller, at).person(seen)

    def read_persons_in_photo(self, caller: CurrentCaller, image_id: ImageId) -> PhotoPersonsResponse:
        """List the faces in a photo, and the persons whom they show."""
        at = self._authenticator.now()
        photo = photo_for(caller, Action.SEE_PERSONS, image_id, at=at, table=self._table)
        faces = read_faces(photo.image_id, photo.owner, table=self._table).faces.values()
        person_ids = (face.person_id for face in faces if face.person_id is not None)
        found = find_visible_persons(caller, person_ids, table=self._table)
        seen = {person_id: each for person_id, each in found.items() if may_see_person(caller, each, at=at)}
        return self._responses(caller, at).faces_in_photo(faces, seen)

    def _responses(self, caller: Caller, at: datetime) -> PersonResponses:
        return PersonResponses(caller, at=at, table=self._table, keyring=self._keyring)


def _scopes(caller: Caller, scope: str) -> Sequence[Scope]:
    if not isinstance(caller, Member) or scope == "all":
        return own_scopes(caller)
    return (COMMUNITY,) if scope == "community" else (scope_of_owner(caller.email),)


class PersonPhotoRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, images: ImageResponses, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._table = table
        self._keyring = keyring
        self._pages = ImagePageResponses(images, keyring=keyring)

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="persons")
        see, lists = Action.SEE_PERSONS, Action.LIST_PHOTOS
        images: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC, "errors": (404,)}
        routes.add_fast("/api/persons/{personId}/photos", see, self.read_photos_of_person, **images)
        routes.add("GET", "/api/persons/{personId}/faces", see, self.read_faces_of_person, errors=(404,))
        routes.add_fast("/api/me/photos-with-me", lists, self.read_photos_with_me, **images)
        return routes.router

    def read_photos_of_person(
        self,
        request: Request,
        caller: CurrentCaller,
        person_id: PersonId,
        other: WithPerson = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """List the photos of a person that you see, newest first. `with` another person: the photos that show both."""
        person_ids = [person_id] if other is None else [person_id, other]
        persons = [self._person(caller, each) for each in person_ids]
        return self._photos(persons, request, caller, limit, cursor)

    def read_photos_with_me(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List the photos that show you and that you see, newest first."""
        if caller.user.person_id is None:
            raise NotFound(NO_OWN_PERSON)
        try:
            me = find_visible_person(caller, caller.user.person_id, table=self._table)
        except NotFound as error:
            raise NotFound(NO_OWN_PERSON) from error
        return self._photos([me], request, caller, limit, cursor)

    def read_faces_of_person(
        self, caller: CurrentCaller, person_id: PersonId, limit: Limit = 100, cursor: Cursor = None
    ) -> FaceList:
        """List the faces of a person in photos that you see, newest first."""
        at, person = self._authenticator.now(), self._person(caller, person_id)
        read = partial(list_faces_of, person, sees=self._sees(caller, at), table=self._table)
        found, after = read_page(
            lambda most, behind: read(limit=most, after=behind),
            query=f"faces of {person.person_id}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        responses = PersonResponses(caller, at=at, table=self._table, keyring=self._keyring)
        return FaceList(faces=[responses.face(face, person.person_id) for face in found], last_evaluated_key=after)

    def _photos(
        self, persons: Sequence[VisiblePerson], request: Request, caller: Caller, limit: int, cursor: str | None
    ) -> Response:
        at = self._authenticator.now()
        read = partial(list_photos_of, *persons, sees=self._sees(caller, at), table=self._table)
        return self._pages.page(
            request,
            caller,
            lambda most, behind: read(limit=most, after=behind),
            query=f"photos with {' '.join(each.person_id for each in persons)}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def _person(self, caller: Caller, person_id: str) -> VisiblePerson:
        return person_for(caller, Action.SEE_PERSONS, person_id, at=self._authenticator.now(), table=self._table)

    def _sees(self, caller: Caller, at: datetime) -> Callable[[Photo], bool]:
        return partial(may_see, caller, at=at, table=self._table)

"""Routes for the persons in an album's photos, and the photos of each.

Both are read from the album's own scope, so they reveal nothing about photos that are not in the album.
"""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.json_response import NOT_MODIFIED_DOC, model_response
from sparks.api.http.parameters import AlbumId, IncludeFewPhotos, IncludeHidden, PersonId, WithPerson
from sparks.api.people.responses import PersonList, PersonResponses
from sparks.api.photos.responses import ImageList, ImagePageResponses, ImageResponses
from sparks.feed.album_view import AlbumView
from sparks.library.authorized_reads import album_for, may_see_person, person_for
from sparks.library.people.person_list import list_persons
from sparks.library.people.person_photos import list_photos_of
from sparks.library.people.visible_persons import VisiblePerson
from sparks.model.access import NOT_THERE, Action
from sparks.model.album import Album
from sparks.model.caller import Caller
from sparks.model.errors import NotFound
from sparks.model.keyring import Keyring
from sparks.model.scope import scope_of_album
from sparks.table.port import Table


class AlbumPersonRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, images: ImageResponses, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="albums")
        persons, see = "/api/albums/{albumId}/persons", Action.SEE_PERSONS
        listed: dict[str, Any] = {"responses": NOT_MODIFIED_DOC, "errors": (404,)}
        routes.add_fast(persons, see, self.read_album_persons, response_model=PersonList, **listed)
        photos = f"{persons}/{{personId}}/photos"
        routes.add_fast(photos, see, self.read_photos_in_album, response_model=ImageList, **listed)
        return routes.router

    def read_album_persons(
        self,
        request: Request,
        caller: CurrentCaller,
        album_id: AlbumId,
        few: IncludeFewPhotos = False,
        hidden: IncludeHidden = False,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """List the persons in the photos of an album, those with most photos first. `photoCount` counts photos of this
        album only.
        """
        at, album = self._authenticator.now(), self._album(caller, album_id)
        sees = partial(may_see_person, caller, at=at)
        scopes = (scope_of_album(album.album_id),)
        read = partial(list_persons, scopes, few=few, hidden=hidden, sees=sees, table=self._table)
        persons, after = read_page(
            lambda most, behind: read(limit=most, after=behind),
            query=f"persons of {album.album_id} few={few} hidden={hidden}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        responses = PersonResponses(caller, at=at, table=self._table, keyring=self._keyring)
        body = PersonList(persons=[responses.person(each) for each in persons], last_evaluated_key=after)
        return model_response(request, body)

    def read_photos_in_album(
        self,
        request: Request,
        caller: CurrentCaller,
        album_id: AlbumId,
        person_id: PersonId,
        other: WithPerson = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """List the photos of a person in an album, newest first; `with` another person, those that show both."""
        at, album = self._authenticator.now(), self._album(caller, album_id)
        persons = [self._person(caller, album, each, at) for each in (person_id, *(() if other is None else (other,)))]
        sees = AlbumView(caller, album, at, self._table).sees
        read = partial(list_photos_of, *persons, sees=sees, table=self._table)
        return self._pages.page(
            request,
            caller,
            lambda most, behind: read(limit=most, after=behind),
            query=f"photos in {album.album_id} with {' '.join(each.person_id for each in persons)}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def _album(self, caller: Caller, album_id: str) -> Album:
        return album_for(caller, Action.SEE_PERSONS, album_id, at=self._authenticator.now(), table=self._table).album

    def _person(self, caller: Caller, album: Album, person_id: str, at: datetime) -> VisiblePerson:
        """The person as the album shows them; NotFound where it does not."""
        person = person_for(caller, Action.SEE_PERSONS, person_id, at=at, table=self._table)
        here = frozenset({scope_of_album(album.album_id)})
        if not here <= person.scopes:
            raise NotFound(NOT_THERE.format("person"))
        return replace(person, scopes=here)

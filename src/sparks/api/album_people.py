"""The people of an album: who is in its photos, and in which of them.

All of it comes from the album's own scope: nobody learns here of a photo that is elsewhere.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.albums import AlbumId
from sparks.api.appearances import With
from sparks.api.encoded import LOOKED_AT, encoded_answer
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.person_answers import PersonAnswers, PersonList
from sparks.api.persons import Few, Hidden, PersonId
from sparks.feed.album_pages import is_in
from sparks.journey import Stores
from sparks.library.access import album_for, may_see, may_see_person, person_for
from sparks.library.people import SeenPerson, list_persons, list_photos_of
from sparks.model.access import NOT_THERE, Action
from sparks.model.album import Album
from sparks.model.caller import GuestCaller, Who
from sparks.model.errors import NotFound
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.model.times import has_passed


class AlbumPeopleRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images) -> None:
        self._gate = gate
        self._table = stores.table
        self._keyring = stores.keyring
        self._pages = ImagePages(images, keyring=stores.keyring)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="albums")
        persons, see = "/api/albums/{albumId}/persons", Action.SEE_PERSONS
        listed: dict[str, Any] = {"responses": LOOKED_AT, "errors": (404,)}
        routes.look(persons, see, self.read_album_persons, response_model=PersonList, **listed)
        photos = f"{persons}/{{personId}}/photos"
        routes.look(photos, see, self.read_photos_in_album, response_model=ImageList, **listed)
        return routes.router

    def read_album_persons(
        self,
        request: Request,
        who: Caller,
        album_id: AlbumId,
        few: Few = False,
        hidden: Hidden = False,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """The persons in the photos of an album, those in most of them first. `photoCount` is of the album alone."""
        at, album = self._gate.now(), self._album(who, album_id)
        sees = partial(may_see_person, who, at=at)
        scopes = (scope_of_album(album.album_id),)
        read = partial(list_persons, scopes, few=few, hidden=hidden, sees=sees, table=self._table)
        found, after = page_of(
            lambda most, behind: read(limit=most, after=behind),
            query=f"persons of {album.album_id} few={few} hidden={hidden}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        answers = PersonAnswers(who, at=at, table=self._table, keyring=self._keyring)
        told = PersonList(persons=[answers.person(each) for each in found], last_evaluated_key=after)
        return encoded_answer(request, told)

    def read_photos_in_album(
        self,
        request: Request,
        who: Caller,
        album_id: AlbumId,
        person_id: PersonId,
        other: With = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """The photos of a person in an album, newest first; `with` another one: those that show both."""
        at, album = self._gate.now(), self._album(who, album_id)
        persons = [self._person(who, album, each, at) for each in (person_id, *(() if other is None else (other,)))]
        read = partial(list_photos_of, *persons, sees=self._sees(who, album, at), table=self._table)
        return self._pages.answer(
            request,
            who,
            lambda most, behind: read(limit=most, after=behind),
            query=f"photos in {album.album_id} with {' '.join(each.person_id for each in persons)}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def _album(self, who: Who, album_id: str) -> Album:
        return album_for(who, Action.SEE_PERSONS, album_id, at=self._gate.now(), table=self._table).album

    def _person(self, who: Who, album: Album, person_id: str, at: datetime) -> SeenPerson:
        """As they are seen in the album; NotFound where they are not."""
        person = person_for(who, Action.SEE_PERSONS, person_id, at=at, table=self._table)
        here = frozenset({scope_of_album(album.album_id)})
        if not here <= person.scopes:
            raise NotFound(NOT_THERE.format("person"))
        return replace(person, scopes=here)

    def _sees(self, who: Who, album: Album, at: datetime) -> Callable[[Photo], bool]:
        if isinstance(who, GuestCaller):
            return partial(may_see, who, at=at, table=self._table)
        return lambda photo: is_in(album, photo) and not has_passed(photo.expires_at, at=at)

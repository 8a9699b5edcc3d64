"""The picture that shows a user: a square of what they upload. Where its face clearly is somebody, so are they."""

from typing import Any, Final

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.media import BYTES, Pictures
from sparks.api.mirror import Mirror
from sparks.api.posting import FILE
from sparks.api.users import EmailPath, UserAnswer, user_answer
from sparks.faces.portraits import Portrait
from sparks.journey import Stores
from sparks.library import accounts
from sparks.library.access import person_for, user_for
from sparks.library.consent import is_allowed
from sparks.model.access import NOT_THERE, Action
from sparks.model.account import User
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.people.recognising import Recognised

NO_PICTURE: Final = NOT_THERE.format("picture")
PICTURE_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A JPEG.", **BYTES},
    206: {"description": "The part of it that Range asked for.", **BYTES},
    304: {"description": "The caller has it already, as If-None-Match tells."},
    307: {"description": "The picture is at this other address, for some minutes."},
}


class ProfilePictureRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, mirror: Mirror) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._mirror = mirror
        self._pictures = Pictures(stores)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="me")
        path, change = "/api/me/profile-picture", Action.CHANGE_OWN_ACCOUNT
        routes.add("PUT", path, change, self.set_profile_picture, errors=(404, 409, 415), openapi_extra=FILE)
        routes.add("DELETE", path, change, self.delete_profile_picture, status=204, errors=(404, 409))
        picture = "/api/users/{email}/picture", Action.SEE_USERS, self.read_profile_picture
        routes.add("GET", *picture, errors=(404, 416), responses=PICTURE_ANSWERS, response_class=Response)
        routes.add("HEAD", *picture, include_in_schema=False)
        return routes.router

    async def set_profile_picture(self, request: Request, who: MemberCaller) -> UserAnswer:
        """Show yourself by this picture. Where its face clearly is a person whom you see, that is you from now on,
        unless it is known already who you are.
        """
        allowed = await run_in_threadpool(is_allowed, who.email, table=self._table)
        await run_in_threadpool(self._mirror.count, who)
        portrait = await self._mirror.look(request, for_faces=allowed)
        return user_answer(await run_in_threadpool(self._keep, portrait, who))

    def _keep(self, portrait: Portrait, who: Member) -> User:
        square, found = self._mirror.cut(portrait), self._mirror.recognise(portrait)
        user = accounts.keep_picture(who.email, square, table=self._table, blobs=self._stores.blobs)
        person_id = None if user.person_id is not None else self._person(found, who)
        if person_id is None:
            return user
        return accounts.become_person(who.email, person_id, unless_known=True, table=self._table)

    def _person(self, found: Recognised, who: Member) -> str | None:
        """Whom it clearly shows: somebody whom they see, and who is no other user."""
        if found.clear is None:
            return None
        try:
            seen = person_for(who, Action.CHANGE_OWN_ACCOUNT, found.clear, at=self._gate.now(), table=self._table)
        except NotFound:
            return None
        return None if accounts.users_who_are(seen.ids, table=self._table) else seen.person_id

    def delete_profile_picture(self, who: MemberCaller) -> None:
        """Show yourself by no picture. Who you are in the photos stays as it is."""
        accounts.drop_picture(who.email, table=self._table, blobs=self._stores.blobs)

    def read_profile_picture(self, who: Caller, email: EmailPath, request: Request) -> Response:
        """The picture of a member of the community."""
        try:
            user = user_for(who, Action.SEE_USERS, email, at=self._gate.now(), table=self._table)
        except NotFound as error:
            raise NotFound(NO_PICTURE) from error
        if user.profile_picture is None:
            raise NotFound(NO_PICTURE)
        return self._pictures.answer_profile_picture(request, user.profile_picture)

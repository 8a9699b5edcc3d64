"""Routes for one's own profile and picture, upload limit, password and sessions."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from sparks.actions.face_lookup import FaceLookup
from sparks.api.accounts.login import BrowserLogin
from sparks.api.accounts.responses import LimitResponse, UserResponse, limit_response, user_response
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import NewPassword, RequestModel, ResponseModel, Time, UserName
from sparks.api.http.openapi import BINARY_BODY, BYTES, NEW_SESSION
from sparks.api.http.parameters import EmailPath
from sparks.api.http.request_body import body_as_file
from sparks.api.photos.media_responses import MediaResponses
from sparks.auth.account_names import checked_username
from sparks.auth.passwords import change_own_password
from sparks.auth.sessions import end_session, sessions_of
from sparks.blobs.port import Blobs
from sparks.faces.portraits import Portrait
from sparks.library.accounts.person_claims import link_person, users_linked_to
from sparks.library.accounts.profile_picture import drop_picture, store_picture
from sparks.library.accounts.users import end_all_sessions, find_user_and_password, rename_user
from sparks.library.audit import AuditAction, audit_row
from sparks.library.authorized_reads import person_for, user_for
from sparks.library.consent import is_allowed
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.access import NOT_THERE, Action
from sparks.model.account import User
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.people.recognize import RecognitionResult
from sparks.table.port import Table

SessionId = Annotated[str, Path(alias="sessionId", max_length=200)]
NO_PICTURE: Final = NOT_THERE.format("picture")
PICTURE_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A JPEG.", **BYTES},
    206: {"description": "The requested range.", **BYTES},
    304: {"description": "The ETag is one of If-None-Match."},
    307: {"description": "The picture is at this URL, which expires in a few minutes."},
}


class ProfileResponse(UserResponse):
    """`claimedPersonId` is the person whom you claim to be until an administrator confirms it."""

    has_password: bool
    claimed_person_id: str | None = None


class ProfileChangeRequest(RequestModel):
    username: UserName


class PasswordChangeRequest(RequestModel):
    """`oldPassword` is required unless the account has none yet."""

    old_password: NewPassword | None = None
    new_password: NewPassword


class SessionResponse(ResponseModel):
    session_id: str
    device: str | None = None
    created_at: Time
    last_used_at: Time | None = None
    expires_at: Time
    current: bool


class SessionList(ResponseModel):
    sessions: list[SessionResponse]


class EndSessionsResponse(ResponseModel):
    ended: int


class ProfileRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, login: BrowserLogin, table: Table) -> None:
        self._authenticator = authenticator
        self._login = login
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="me")
        see, change, credentials = Action.SEE_OWN_ACCOUNT, Action.CHANGE_OWN_ACCOUNT, Action.MANAGE_OWN_CREDENTIALS
        routes.add("GET", "/api/me/profile", see, self.read_profile)
        routes.add("PATCH", "/api/me/profile", change, self.change_profile, errors=(404, 409))
        routes.add("GET", "/api/me/limit", see, self.read_limit, errors=(404,))
        options: dict[str, Any] = {"errors": (404, 409), "responses": {200: NEW_SESSION}}
        routes.add("PUT", "/api/me/password", credentials, self.change_password, **options)
        routes.add("GET", "/api/me/sessions", credentials, self.read_sessions)
        routes.add("DELETE", "/api/me/sessions", credentials, self.end_other_sessions, **options)
        routes.add("DELETE", "/api/me/sessions/{sessionId}", credentials, self.end_session, status=204, errors=(404,))
        return routes.router

    def read_profile(self, caller: CurrentMember) -> ProfileResponse:
        """Read your profile."""
        _, password = find_user_and_password(caller.email, table=self._table)
        return ProfileResponse(
            **user_response(caller.user).model_dump(),
            has_password=password is not None,
            claimed_person_id=caller.user.claimed_person_id,
        )

    def change_profile(self, caller: CurrentMember, body: ProfileChangeRequest) -> UserResponse:
        """Change your user name, which others see."""
        return user_response(rename_user(caller.email, checked_username(body.username), table=self._table))

    def read_limit(self, caller: CurrentMember) -> LimitResponse:
        """Read your upload limit, and how much of it you have used."""
        return limit_response(read_limit(caller.email, table=self._table))

    def change_password(
        self, caller: CurrentMember, body: PasswordChangeRequest, request: Request, response: Response
    ) -> UserResponse:
        """Change your password. All other browsers are signed out; this one gets a new session."""
        self._login.check(request)
        old = None if body.old_password is None else body.old_password.get_secret_value()
        user = change_own_password(
            caller.user,
            old=old,
            new=body.new_password.get_secret_value(),
            rate_limiter=self._authenticator.rates,
            at=self._authenticator.now(),
            table=self._table,
        )
        self._login.start_session(user, request, response)
        return user_response(user)

    def read_sessions(self, caller: CurrentMember) -> SessionList:
        """List your sessions: the browsers in which you are signed in."""
        found = sessions_of(caller.user, at=self._authenticator.now(), table=self._table)
        responses = [
            SessionResponse(
                session_id=session.session_id,
                device=session.device,
                created_at=session.created_at,
                last_used_at=session.last_used_at,
                expires_at=session.expires_at,
                current=session.session_id == caller.via.id,
            )
            for session in found
        ]
        return SessionList(sessions=sorted(responses, key=lambda each: each.created_at, reverse=True))

    def end_other_sessions(self, caller: CurrentMember, request: Request, response: Response) -> EndSessionsResponse:
        """Sign out in all other browsers; this one gets a new session."""
        self._login.check(request)
        at = self._authenticator.now()
        session_ids = [each.session_id for each in sessions_of(caller.user, at=at, table=self._table)]
        note = audit_row(AuditAction.SESSIONS_ENDED, who=caller.email, at=at)
        user = end_all_sessions(caller.email, also=(note,), table=self._table)
        self._login.start_session(user, request, response)
        return EndSessionsResponse(ended=len(set(session_ids) - {caller.via.id}))

    def end_session(self, caller: CurrentMember, session_id: SessionId) -> None:
        """Sign out in one browser."""
        note = audit_row(AuditAction.SESSION_ENDED, who=caller.email, at=self._authenticator.now())
        if not end_session(caller.email, session_id, also=(note,), table=self._table):
            raise NotFound("you have no such session: it has ended already")


class ProfilePictureRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        face_lookup: FaceLookup,
        media: MediaResponses,
        table: Table,
        blobs: Blobs,
    ) -> None:
        self._authenticator = authenticator
        self._face_lookup = face_lookup
        self._media = media
        self._table = table
        self._blobs = blobs

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="me")
        path, change = "/api/me/profile-picture", Action.CHANGE_OWN_ACCOUNT
        routes.add("PUT", path, change, self.set_profile_picture, errors=(404, 409, 415), openapi_extra=BINARY_BODY)
        routes.add("DELETE", path, change, self.delete_profile_picture, status=204, errors=(404, 409))
        picture = "/api/users/{email}/picture", Action.SEE_USERS, self.read_profile_picture
        routes.add("GET", *picture, errors=(404, 416), responses=PICTURE_RESPONSES, response_class=Response)
        routes.add("HEAD", *picture, include_in_schema=False)
        return routes.router

    async def set_profile_picture(self, request: Request, caller: CurrentMember) -> UserResponse:
        """Set your profile picture. Where its face clearly shows a person whom you see, and your account is linked to
        none yet, it is linked to that person.
        """
        allowed = await run_in_threadpool(is_allowed, caller.email, table=self._table)
        await run_in_threadpool(self._face_lookup.count, caller)
        async with body_as_file(request) as file:
            portrait = await run_in_threadpool(self._face_lookup.read_portrait, file, for_faces=allowed)
        return user_response(await run_in_threadpool(self._store, portrait, caller))

    def _store(self, portrait: Portrait, caller: Member) -> User:
        square, found = self._face_lookup.crop(portrait), self._face_lookup.recognize(portrait)
        user = store_picture(caller.email, square, table=self._table, blobs=self._blobs)
        person_id = None if user.person_id is not None else self._person(found, caller)
        if person_id is None:
            return user
        return link_person(caller.email, person_id, unless_known=True, table=self._table)

    def _person(self, found: RecognitionResult, caller: Member) -> str | None:
        """The person whom the picture clearly shows; None if the caller does not see them, or they are another user."""
        if found.clear is None:
            return None
        try:
            seen = person_for(
                caller, Action.CHANGE_OWN_ACCOUNT, found.clear, at=self._authenticator.now(), table=self._table
            )
        except NotFound:
            return None
        return None if users_linked_to(seen.ids, table=self._table) else seen.person_id

    def delete_profile_picture(self, caller: CurrentMember) -> None:
        """Delete your profile picture. Your account stays linked to its person."""
        drop_picture(caller.email, table=self._table, blobs=self._blobs)

    def read_profile_picture(self, caller: CurrentCaller, email: EmailPath, request: Request) -> Response:
        """Read the profile picture of a user."""
        try:
            user = user_for(caller, Action.SEE_USERS, email, at=self._authenticator.now(), table=self._table)
        except NotFound as error:
            raise NotFound(NO_PICTURE) from error
        if user.profile_picture is None:
            raise NotFound(NO_PICTURE)
        return self._media.profile_picture(request, user.profile_picture)

"""One's own account: profile, limit, password and sessions."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from sparks.api.document import NEW_SESSION
from sparks.api.entrance import Entrance
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.shapes import Answer, NewPassword, Time, UserName, Wish
from sparks.api.users import LimitAnswer, UserAnswer, limit_answer, user_answer
from sparks.auth.names import checked_name
from sparks.auth.password_change import change_own_password
from sparks.auth.sessions import end_session, sessions_of
from sparks.library import accounts, limits
from sparks.library.audit import Deed, audit
from sparks.model.access import Action
from sparks.model.errors import NotFound
from sparks.table.port import Table

SessionId = Annotated[str, Path(alias="sessionId", max_length=200)]


class ProfileAnswer(UserAnswer):
    """`claimedPersonId` is whom you say to be, and nobody has confirmed yet."""

    has_password: bool
    claimed_person_id: str | None = None


class ProfileChange(Wish):
    username: UserName


class PasswordChange(Wish):
    """`oldPassword` is needed unless the account has none yet."""

    old_password: NewPassword | None = None
    new_password: NewPassword


class SessionAnswer(Answer):
    session_id: str
    device: str | None = None
    created_at: Time
    last_used_at: Time | None = None
    expires_at: Time
    current: bool


class SessionList(Answer):
    sessions: list[SessionAnswer]


class Ended(Answer):
    ended: int


class MeRoutes:
    def __init__(self, *, gate: Gate, entrance: Entrance, table: Table) -> None:
        self._gate = gate
        self._entrance = entrance
        self._table = table

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="me")
        see, change, doors = Action.SEE_OWN_ACCOUNT, Action.CHANGE_OWN_ACCOUNT, Action.MANAGE_OWN_DOORS
        routes.add("GET", "/api/me/profile", see, self.read_profile)
        routes.add("PATCH", "/api/me/profile", change, self.change_profile, errors=(404, 409))
        routes.add("GET", "/api/me/limit", see, self.read_limit, errors=(404,))
        new_session = {200: NEW_SESSION}
        routes.add("PUT", "/api/me/password", doors, self.change_password, errors=(404, 409), responses=new_session)
        routes.add("GET", "/api/me/sessions", doors, self.read_sessions)
        routes.add(
            "DELETE", "/api/me/sessions", doors, self.end_other_sessions, errors=(404, 409), responses=new_session
        )
        routes.add("DELETE", "/api/me/sessions/{sessionId}", doors, self.end_session, status=204, errors=(404,))
        return routes.router

    def read_profile(self, who: MemberCaller) -> ProfileAnswer:
        """Who you are."""
        _, password = accounts.find_user_and_password(who.email, table=self._table)
        return ProfileAnswer(
            **user_answer(who.user).model_dump(),
            has_password=password is not None,
            claimed_person_id=who.user.claimed_person_id,
        )

    def change_profile(self, who: MemberCaller, wish: ProfileChange) -> UserAnswer:
        """Change the name that others see."""
        return user_answer(accounts.rename_user(who.email, checked_name(wish.username), table=self._table))

    def read_limit(self, who: MemberCaller) -> LimitAnswer:
        """What you may still upload, and what you have."""
        return limit_answer(limits.read_limit(who.email, table=self._table))

    def change_password(
        self, who: MemberCaller, wish: PasswordChange, request: Request, response: Response
    ) -> UserAnswer:
        """Change the password. All other browsers are signed out; this one gets a new session."""
        self._entrance.check(request)
        old = None if wish.old_password is None else wish.old_password.get_secret_value()
        user = change_own_password(
            who.user,
            old=old,
            new=wish.new_password.get_secret_value(),
            rates=self._gate.rates,
            at=self._gate.now(),
            table=self._table,
        )
        self._entrance.let_in(user, request, response)
        return user_answer(user)

    def read_sessions(self, who: MemberCaller) -> SessionList:
        """The browsers in which you are signed in."""
        found = sessions_of(who.user, at=self._gate.now(), table=self._table)
        answers = [
            SessionAnswer(
                session_id=session.session_id,
                device=session.device,
                created_at=session.created_at,
                last_used_at=session.last_used_at,
                expires_at=session.expires_at,
                current=session.session_id == who.via.id,
            )
            for session in found
        ]
        return SessionList(sessions=sorted(answers, key=lambda answer: answer.created_at, reverse=True))

    def end_other_sessions(self, who: MemberCaller, request: Request, response: Response) -> Ended:
        """Sign out everywhere but here; this browser gets a new session."""
        self._entrance.check(request)
        at = self._gate.now()
        held = [each.session_id for each in sessions_of(who.user, at=at, table=self._table)]
        note = audit(Deed.SESSIONS_ENDED, who=who.email, at=at)
        user = accounts.end_all_sessions(who.email, also=(note,), table=self._table)
        self._entrance.let_in(user, request, response)
        return Ended(ended=len(set(held) - {who.via.id}))

    def end_session(self, who: MemberCaller, session_id: SessionId) -> None:
        """Sign out in one browser."""
        note = audit(Deed.SESSION_ENDED, who=who.email, at=self._gate.now())
        if not end_session(who.email, session_id, also=(note,), table=self._table):
            raise NotFound("you have no such session: it is over already")

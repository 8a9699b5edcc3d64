"""Who says to be which person, for administrators to confirm."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.person_answers import PersonAnswer, PersonAnswers
from sparks.api.shapes import Answer, Wish
from sparks.api.users import EmailPath, UserAnswer, user_answer
from sparks.journey import Stores
from sparks.library import accounts
from sparks.library.access import person_for, user_for
from sparks.library.accounts.persons import NO_CLAIM
from sparks.library.audit import Deed, audit
from sparks.model.access import Action
from sparks.model.account import User
from sparks.model.caller import Member
from sparks.model.errors import NotFound


class ClaimAnswer(UserAnswer):
    """`person` is left out where you do not see them: they are in private photos only, or gone."""

    claimed_person_id: str
    person: PersonAnswer | None = None


class ClaimList(Answer):
    claims: list[ClaimAnswer]
    last_evaluated_key: str | None = None


class ClaimVerdict(Wish):
    """Confirmed only if `personId` is still whom they claim to be."""

    confirm: bool
    person_id: Annotated[str, Field(max_length=100)]


class ClaimRoutes:
    def __init__(self, *, gate: Gate, stores: Stores) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="administration")
        manage = Action.MANAGE_USERS
        routes.add("GET", "/api/admin/claims", manage, self.read_claims)
        routes.add("POST", "/api/admin/claims/{email}", manage, self.settle_claim, errors=(404, 409))
        return routes.router

    def read_claims(self, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None) -> ClaimList:
        """Who says to be which person, and waits for somebody to confirm it."""
        users, after = page_of(
            lambda most, behind: accounts.page_of_claims(limit=most, after=behind, table=self._table),
            query="claims",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._stores.keyring,
        )
        at = self._gate.now()
        return ClaimList(claims=[self._claim(user, who, at) for user in users], last_evaluated_key=after)

    def settle_claim(self, who: MemberCaller, email: EmailPath, wish: ClaimVerdict) -> UserAnswer:
        """Confirm that they are this person, or do not."""
        at = self._gate.now()
        try:
            user = user_for(who, Action.MANAGE_USERS, email, at=at, table=self._table)
        except NotFound as error:
            raise NotFound(NO_CLAIM) from error
        deed = Deed.CLAIM_CONFIRMED if wish.confirm else Deed.CLAIM_REFUSED
        note = audit(deed, who=who.email, target=user.email, at=at)
        settled = accounts.settle_claim(
            user.email, confirmed=wish.confirm, person_id=wish.person_id, also=(note,), table=self._table
        )
        return user_answer(settled)

    def _claim(self, user: User, who: Member, at: datetime) -> ClaimAnswer:
        claimed = user.claimed_person_id or ""
        try:
            seen = person_for(who, Action.MANAGE_USERS, claimed, at=at, table=self._table)
            person = PersonAnswers(who, at=at, table=self._table, keyring=self._stores.keyring).person(seen)
        except NotFound:
            person = None
        return ClaimAnswer(**user_answer(user).model_dump(), claimed_person_id=claimed, person=person)

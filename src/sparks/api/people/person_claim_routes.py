"""Routes that claim a person as oneself, and that confirm such claims."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Response
from pydantic import Field

from sparks.actions.face_lookup import FaceLookup
from sparks.api.accounts.responses import UserResponse, user_response
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import PageResponse, RequestModel, ResponseModel
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.parameters import EmailPath
from sparks.api.people.responses import PersonResponse, PersonResponses
from sparks.library.accounts.person_claims import (
    NO_CLAIM,
    claim_person,
    link_person,
    page_of_claims,
    settle_claim,
    users_linked_to,
)
from sparks.library.audit import AuditAction, audit_row
from sparks.library.authorized_reads import person_for, user_for
from sparks.library.people.redirects import resolve_person
from sparks.library.people.visible_persons import VisiblePerson
from sparks.model.access import Action, is_administrator
from sparks.model.account import User
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.keyring import Keyring
from sparks.people.selfie_proofs import proven_persons
from sparks.table.port import Table

UNCONFIRMED: Final = (
    "an administrator has to confirm it: no picture of yours proves it, or another account is linked to this person"
)


class ClaimResponse(UserResponse):
    """`person` is left out where you do not see them: they are in private photos only, or are gone."""

    claimed_person_id: str
    person: PersonResponse | None = None


class ClaimList(PageResponse):
    claims: list[ClaimResponse]


class ClaimDecisionRequest(RequestModel):
    """`personId` must still be the person whom the user claims to be."""

    confirm: bool
    person_id: Annotated[str, Field(max_length=100)]


class ClaimRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, keyring: Keyring) -> None:
        self._authenticator = authenticator
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="administration")
        manage = Action.MANAGE_USERS
        routes.add("GET", "/api/admin/claims", manage, self.read_claims)
        routes.add("POST", "/api/admin/claims/{email}", manage, self.settle_claim, errors=(404, 409))
        return routes.router

    def read_claims(self, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None) -> ClaimList:
        """List the person claims that no administrator has decided yet."""
        users, after = read_page(
            lambda most, behind: page_of_claims(limit=most, after=behind, table=self._table),
            query="claims",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        at = self._authenticator.now()
        return ClaimList(claims=[self._claim(user, caller, at) for user in users], last_evaluated_key=after)

    def settle_claim(self, caller: CurrentMember, email: EmailPath, body: ClaimDecisionRequest) -> UserResponse:
        """Confirm or refuse a person claim."""
        at = self._authenticator.now()
        try:
            user = user_for(caller, Action.MANAGE_USERS, email, at=at, table=self._table)
        except NotFound as error:
            raise NotFound(NO_CLAIM) from error
        action = AuditAction.CLAIM_CONFIRMED if body.confirm else AuditAction.CLAIM_REFUSED
        note = audit_row(action, who=caller.email, target=user.email, at=at)
        settled = settle_claim(
            user.email, confirmed=body.confirm, person_id=body.person_id, also=(note,), table=self._table
        )
        return user_response(settled)

    def _claim(self, user: User, caller: Member, at: datetime) -> ClaimResponse:
        claimed = user.claimed_person_id or ""
        try:
            seen = person_for(caller, Action.MANAGE_USERS, claimed, at=at, table=self._table)
            person = PersonResponses(caller, at=at, table=self._table, keyring=self._keyring).person(seen)
        except NotFound:
            person = None
        return ClaimResponse(**user_response(user).model_dump(), claimed_person_id=claimed, person=person)


class OwnPersonResponse(ResponseModel):
    """`claimedPersonId` is the person whom you claim to be until an administrator confirms it; `message` says so."""

    person_id: str | None = None
    claimed_person_id: str | None = None
    message: str | None = None


class PersonClaimRequest(RequestModel):
    """`proof` comes from the response to a selfie."""

    person_id: Annotated[str, Field(max_length=100)]
    proof: Annotated[str, Field(max_length=4000)] | None = None


class OwnPersonRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, face_lookup: FaceLookup, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._face_lookup = face_lookup
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="me")
        path, change = "/api/me/person", Action.CHANGE_OWN_ACCOUNT
        unconfirmed = {202: {"model": OwnPersonResponse, "description": "An administrator has to confirm it."}}
        routes.add("PUT", path, change, self.set_own_person, errors=(404, 409), responses=unconfirmed)
        routes.add("DELETE", path, change, self.delete_own_person, status=204, errors=(404, 409))
        return routes.router

    def set_own_person(self, caller: CurrentMember, body: PersonClaimRequest, response: Response) -> OwnPersonResponse:
        """Say which person you are. It counts at once where a selfie or your profile picture proves it; otherwise an
        administrator has to confirm it.
        """
        at = self._authenticator.now()
        seen = person_for(caller, Action.CHANGE_OWN_ACCOUNT, body.person_id, at=at, table=self._table)
        if caller.user.person_id in seen.ids or self._is_proven(caller, seen, body.proof):
            return _response(link_person(caller.email, seen.person_id, table=self._table))
        response.status_code = 202
        note = audit_row(AuditAction.PERSON_CLAIMED, who=caller.email, at=at)
        return _response(claim_person(caller.email, seen.person_id, also=(note,), table=self._table))

    def delete_own_person(self, caller: CurrentMember) -> None:
        """Remove the link from your account to a person, and your claim."""
        link_person(caller.email, None, table=self._table)

    def _is_proven(self, caller: Member, seen: VisiblePerson, proof: str | None) -> bool:
        """Whether no administrator has to confirm it. One has to where another account is linked to the person."""
        proven = () if proof is None else self._proven(proof, caller)
        if is_administrator(caller):
            return True
        others = [user for user in users_linked_to(seen.ids, table=self._table) if user.email != caller.email]
        return not others and (seen.person_id in proven or self._is_shown(caller.user, seen))

    def _proven(self, proof: str, caller: Member) -> set[str]:
        person_ids = proven_persons(proof, caller.user, at=self._authenticator.now(), keyring=self._keyring)
        return {resolve_person(person_id, table=self._table) for person_id in person_ids}

    def _is_shown(self, user: User, seen: VisiblePerson) -> bool:
        key = user.profile_picture
        return key is not None and seen.person_id in self._face_lookup.recognize_stored(key).certain


def _response(user: User) -> OwnPersonResponse:
    message = None if user.claimed_person_id is None else UNCONFIRMED
    return OwnPersonResponse(person_id=user.person_id, claimed_person_id=user.claimed_person_id, message=message)

"""Who one is in the photos: shown by a selfie or the profile picture, or claimed until an administrator confirms it."""

from typing import Annotated, Final

from fastapi import APIRouter, Response
from pydantic import Field

from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.mirror import Mirror
from sparks.api.shapes import Answer, Wish
from sparks.journey import Stores
from sparks.library import accounts
from sparks.library.access import person_for
from sparks.library.audit import Deed, audit
from sparks.library.people import resolve_person
from sparks.library.people.seeing import SeenPerson
from sparks.model.access import Action
from sparks.model.account import Role, User
from sparks.model.caller import Member
from sparks.people.proofs import proven_persons

WAITS: Final = "an administrator has to confirm it: no picture of yours makes it sure, or another account is this one"


class OwnPerson(Answer):
    """`claimedPersonId` is whom you say to be, and nobody has confirmed yet; `message` says so."""

    person_id: str | None = None
    claimed_person_id: str | None = None
    message: str | None = None


class PersonClaim(Wish):
    """`proof` is what a selfie was answered with."""

    person_id: Annotated[str, Field(max_length=100)]
    proof: Annotated[str, Field(max_length=4000)] | None = None


class MePersonRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, mirror: Mirror) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._mirror = mirror

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="me")
        path, change = "/api/me/person", Action.CHANGE_OWN_ACCOUNT
        waits = {202: {"model": OwnPerson, "description": "An administrator has to confirm it."}}
        routes.add("PUT", path, change, self.set_own_person, errors=(404, 409), responses=waits)
        routes.add("DELETE", path, change, self.delete_own_person, status=204, errors=(404, 409))
        return routes.router

    def set_own_person(self, who: MemberCaller, wish: PersonClaim, response: Response) -> OwnPerson:
        """Say which person you are. It holds at once where a selfie or your profile picture shows it; else an
        administrator is asked.
        """
        at = self._gate.now()
        seen = person_for(who, Action.CHANGE_OWN_ACCOUNT, wish.person_id, at=at, table=self._table)
        if who.user.person_id in seen.ids or self._is_sure(who, seen, wish.proof):
            return _answer(accounts.become_person(who.email, seen.person_id, table=self._table))
        response.status_code = 202
        note = audit(Deed.PERSON_CLAIMED, who=who.email, at=at)
        return _answer(accounts.claim_person(who.email, seen.person_id, also=(note,), table=self._table))

    def delete_own_person(self, who: MemberCaller) -> None:
        """Be nobody in the photos, and claim to be nobody."""
        accounts.become_person(who.email, None, table=self._table)

    def _is_sure(self, who: Member, seen: SeenPerson, proof: str | None) -> bool:
        """Whoever else is this person already, an administrator has to tell them apart."""
        proven = () if proof is None else self._proven(proof, who)
        if who.user.role is Role.ADMIN:
            return True
        others = [user for user in accounts.users_who_are(seen.ids, table=self._table) if user.email != who.email]
        return not others and (seen.person_id in proven or self._is_shown(who.user, seen))

    def _proven(self, proof: str, who: Member) -> set[str]:
        named = proven_persons(proof, who.user, at=self._gate.now(), keyring=self._stores.keyring)
        return {resolve_person(person_id, table=self._table) for person_id in named}

    def _is_shown(self, user: User, seen: SeenPerson) -> bool:
        key = user.profile_picture
        return key is not None and seen.person_id in self._mirror.recognise_kept(key).certain


def _answer(user: User) -> OwnPerson:
    waits = None if user.claimed_person_id is None else WAITS
    return OwnPerson(person_id=user.person_id, claimed_person_id=user.claimed_person_id, message=waits)

"""Forgetting a face: by whose face it is, or an administrator; and the receipts of that."""

from collections.abc import Collection
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Response

from sparks import logs
from sparks.api.erasure_answers import ErasureAnswer, erasure_answer
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.persons import PersonId
from sparks.journey import Journey, Stores
from sparks.library.access import person_for
from sparks.library.accounts import users_who_are
from sparks.library.audit import Deed, audit
from sparks.library.consent import RECOGNISE, consented
from sparks.library.people import decisions_about, find_person, in_force, photos_with_faces_of, resolve_person
from sparks.library.people.erasures import find_erasure
from sparks.library.people.unrecognised import forget_vector
from sparks.model.access import NOT_THERE, Action, may_ask
from sparks.model.caller import Member
from sparks.model.errors import Conflict, NotFound
from sparks.model.events import ErasureBegun
from sparks.model.forgetting import Erasure, Keep
from sparks.model.person import DecisionKind
from sparks.people.erasing import erase_listed
from sparks.people.forgetting import Wish, all_who_are, begin_forgetting

NO_ERASURE: Final = NOT_THERE.format("receipt")
NOT_ALONE: Final = "another account is known to be this person, too: undo the merge, or ask an administrator"
OWN_WORD: Final = "you put some of these faces together yourself: undo that first, or ask an administrator"
NO_FACE: Final = "no face of yours is known here: there is nothing to forget, unless you are another person by now"
GIVING: Final = frozenset({DecisionKind.MERGE, DecisionKind.ASSIGN, DecisionKind.DRAW})
MOST_AT_ONCE: Final = 500  # faces that are removed while the caller waits
NOBODY: Final = "nobody here is known to be you: say who you are first, at PUT /api/me/person"
ErasureId = Annotated[str, Path(alias="erasureId", max_length=200)]
Kept = Annotated[
    Keep,
    Query(
        description="`vector` keeps one do-not-recognise vector, for just that; `nothing` keeps nothing, and new "
        "photos may found a new, nameless person."
    ),
]


class BiometricsRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, journey: Journey) -> None:
        self._gate = gate
        self._table = stores.table
        self._stores = stores
        self._journey = journey

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="consent")
        forget, receipt = Action.FORGET_FACE, "/api/erasures/{erasureId}"
        begun = {202: {"model": ErasureAnswer, "description": "These are many faces: they go within some minutes."}}
        told: dict[str, Any] = {"errors": (404, 409), "responses": begun}
        routes.add("DELETE", "/api/me/biometrics", forget, self.forget_me, **told)
        routes.add("DELETE", "/api/persons/{personId}/biometrics", forget, self.forget_person, **told)
        routes.add("GET", receipt, Action.SEE_OWN_ACCOUNT, self.read_erasure, errors=(404,))
        routes.add("DELETE", f"{receipt}/vector", forget, self.forget_vector, status=204, errors=(404,))
        return routes.router

    def forget_me(self, who: MemberCaller, response: Response, keep: Kept = Keep.VECTOR) -> ErasureAnswer:
        """Forget your face: all that tells it goes, and the receipt says how much that was."""
        person_id = who.user.person_id
        if person_id is None or find_person(resolve_person(person_id, table=self._table), table=self._table) is None:
            raise NotFound(NOBODY)
        person_ids = all_who_are(person_id, table=self._table)
        self._check_own(who, person_ids)
        return self._forget(who, person_id, keep, response, account=who.email)

    def forget_person(
        self, who: MemberCaller, person_id: PersonId, response: Response, keep: Kept = Keep.VECTOR
    ) -> ErasureAnswer:
        """Forget a person's face; for that person, or an administrator whom they asked."""
        seen = person_for(who, Action.FORGET_FACE, person_id, at=self._gate.now(), table=self._table)
        person_ids = all_who_are(seen.person_id, table=self._table)
        if not may_ask(who, Action.MANAGE_FACES):
            self._check_own(who, person_ids)
        users = users_who_are(person_ids, table=self._table)
        return self._forget(who, seen.person_id, keep, response, account=users[0].email if users else None)

    def read_erasure(self, who: MemberCaller, erasure_id: ErasureId) -> ErasureAnswer:
        """The receipt of faces that were forgotten."""
        return erasure_answer(self._erasure(who, erasure_id))

    def forget_vector(self, who: MemberCaller, erasure_id: ErasureId) -> None:
        """Drop the vector that was kept: new photos may show a person with this face again."""
        erasure, at = self._erasure(who, erasure_id), self._gate.now()
        said = consented(erasure.subject, RECOGNISE, allowed=True, who=who.email, at=at)
        forget_vector(erasure.erasure_id, also=(said,), table=self._table)

    def _check_own(self, who: Member, person_ids: Collection[str]) -> None:
        """Conflict where they are perhaps somebody else's, but for administrators; NotFound where there are none.

        [Note: others' faces] Any member may put faces together, and that can be undone; what is forgotten is gone. So
        nobody has faces forgotten as their own that are so by their own word alone.
        """
        if not any(True for each in person_ids for _ in photos_with_faces_of(each, table=self._table)):
            raise NotFound(NO_FACE)
        if may_ask(who, Action.MANAGE_FACES):
            return
        if any(user.email != who.email for user in users_who_are(person_ids, table=self._table)):
            raise Conflict(NOT_ALONE)
        said = (each for person_id in person_ids for each in in_force(decisions_about(person_id, table=self._table)))
        if any(each.kind in GIVING and each.who == who.email for each in said):
            raise Conflict(OWN_WORD)

    def _forget(
        self, who: Member, person_id: str, keep: Keep, response: Response, *, account: str | None
    ) -> ErasureAnswer:
        """Of somebody with very many faces, the job does all of it: nobody waits for an answer that long."""
        at, stores = self._gate.now(), self._stores
        note = audit(Deed.FACE_FORGOTTEN, who=who.email, target=person_id, at=at, keep=keep.value)
        wish = Wish(person_id=person_id, keep=keep, who=who.email, account=account, at=at)
        begun = begin_forgetting(
            wish, also=(note,), table=stores.table, blobs=stores.blobs, index=stores.index, terms=stores.terms
        )
        job = ErasureBegun(begun.erasure_id)
        self._journey.send_after(job, jobs=stores.jobs, request_id=logs.REQUEST_ID.get())
        if begun.before is not None and begun.before.faces > MOST_AT_ONCE:
            response.status_code = 202
            return erasure_answer(begun)
        return erasure_answer(
            erase_listed(begun, table=stores.table, blobs=stores.blobs, index=stores.index, terms=stores.terms)
        )

    def _erasure(self, who: Member, erasure_id: str) -> Erasure:
        """For whoever asked for it, whoever it is about, and administrators."""
        erasure = find_erasure(erasure_id, table=self._table)
        if erasure is None:
            raise NotFound(NO_ERASURE)
        if who.email not in (erasure.who, erasure.subject) and not may_ask(who, Action.MANAGE_FACES):
            raise NotFound(NO_ERASURE)
        return erasure

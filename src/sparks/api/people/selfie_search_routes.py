"""Route that finds persons by a selfie, which is not stored."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from sparks.actions.face_lookup import FaceLookup
from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.base_models import ResponseModel
from sparks.api.http.openapi import BINARY_BODY
from sparks.api.http.request_body import body_as_file
from sparks.api.people.responses import PersonResponse, PersonResponses
from sparks.faces.portraits import Portrait
from sparks.library.authorized_reads import person_for
from sparks.library.consent import SELFIE, consent_entry
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.sharing.guests import set_guest_persons
from sparks.model.access import Action
from sparks.model.caller import Caller, GuestCaller, Member, caller_name
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.keyring import Keyring
from sparks.model.share import LinkPermission
from sparks.people.recognize import Likeness, RecognitionResult
from sparks.people.selfie_proofs import seal_proof
from sparks.table.port import Table

NO_FACE: Final = "no face was found in this picture: take one in better light, from nearer, and look into the camera"
SEVERAL: Final = "{} faces were found in this picture: the largest one was used"
CONSENT: Final = "allow that your face is compared with those in the photos of this album: send consent=true"
NO_MATCH: Final = "this face resembles no person whom you see here"


Consent = Annotated[
    bool | None,
    Query(
        description="For guests: true allows that the face is compared with those in the photos. The picture is not "
        "stored."
    ),
]


class MatchResponse(PersonResponse):
    score: float = Field(description="Similarity: 1 is the same picture. Persons below about 0.4 are left out.")


class SelfieSearchResponse(ResponseModel):
    """`proof` is valid for ten minutes and says which persons the selfie shows with certainty: send it to
    `PUT /api/me/person`. `message` is a hint for the user.
    """

    matches: list[MatchResponse]
    faces: int = Field(description="Number of faces in the picture.")
    message: str | None = None
    proof: str | None = None


class SelfieSearchRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, face_lookup: FaceLookup, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._face_lookup = face_lookup
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="persons")
        routes.add(
            "POST",
            "/api/selfie",
            Action.FIND_BY_SELFIE,
            self.find_by_selfie,
            errors=(404, 415),
            openapi_extra=BINARY_BODY,
        )
        return routes.router

    async def find_by_selfie(
        self, request: Request, caller: CurrentCaller, consent: Consent = None
    ) -> SelfieSearchResponse:
        """Find the persons who resemble the face in this picture, the most similar first; only persons whom you see.
        The picture is not stored. Guests must consent, which is recorded; from then on they see the photos of the album
        that show them with certainty.
        """
        await run_in_threadpool(self._begin, caller, consent)
        async with body_as_file(request) as file:
            portrait = await run_in_threadpool(self._face_lookup.read_portrait, file, for_faces=True)
        return await run_in_threadpool(self._respond, portrait, caller)

    def _begin(self, caller: Caller, consent: bool | None) -> None:
        """NotAllowed for a guest who does not consent. The request is counted before consent is recorded, so that the
        rate limit bounds these records, too.
        """
        self._face_lookup.check()
        if isinstance(caller, GuestCaller) and consent is not True:
            raise NotAllowed(CONSENT)
        self._face_lookup.count(caller)
        if isinstance(caller, GuestCaller):
            name, at = caller_name(caller), self._authenticator.now()
            self._table.write(consent_entry(name, SELFIE, allowed=True, who=name, at=at))

    def _respond(self, portrait: Portrait, caller: Caller) -> SelfieSearchResponse:
        at = self._authenticator.now()
        found = self._face_lookup.recognize(portrait)
        seen = [
            (likeness, person) for likeness in found.alike if (person := self._person(likeness, caller, at)) is not None
        ]
        if isinstance(caller, GuestCaller):
            certain = {person.person_id for _, person in seen} & found.certain
            if certain:
                caller = replace(caller, guest=set_guest_persons(caller.guest, certain, table=self._table))
            if LinkPermission.VIEW not in caller.link.allow:
                seen = [(likeness, person) for likeness, person in seen if person.person_id in certain]
        responses = PersonResponses(caller, at=at, table=self._table, keyring=self._keyring)
        matches = [
            MatchResponse(**responses.person(person).model_dump(), score=round(likeness.score, 3))
            for likeness, person in seen
        ]
        return SelfieSearchResponse(
            matches=matches,
            faces=len(portrait.faces),
            message=_message(portrait, matches),
            proof=self._proof(found, matches, caller, at),
        )

    def _person(self, likeness: Likeness, caller: Caller, at: datetime) -> VisiblePerson | None:
        """None for a person whom the caller does not see."""
        try:
            return person_for(caller, Action.FIND_BY_SELFIE, likeness.person_id, at=at, table=self._table)
        except NotFound:
            return None

    def _proof(
        self, found: RecognitionResult, matches: list[MatchResponse], caller: Caller, at: datetime
    ) -> str | None:
        """None for guests, who have no account to link to a person."""
        certain = [match.person_id for match in matches if match.person_id in found.certain]
        if not certain or not isinstance(caller, Member):
            return None
        return seal_proof(caller.user, certain, at=at, keyring=self._keyring)


def _message(portrait: Portrait, matches: list[MatchResponse]) -> str | None:
    if not portrait.faces:
        return NO_FACE
    hints = [SEVERAL.format(len(portrait.faces))] if len(portrait.faces) > 1 else []
    return "; ".join([*hints, *([] if matches else [NO_MATCH])]) or None

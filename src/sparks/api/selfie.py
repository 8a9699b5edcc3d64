"""A selfie: which persons it shows, of those whom the caller sees. It is looked at, and not kept."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from sparks.api.gate import Caller, Gate, Routes
from sparks.api.mirror import Mirror
from sparks.api.person_answers import PersonAnswer, PersonAnswers
from sparks.api.posting import FILE
from sparks.api.shapes import Answer
from sparks.faces.portraits import Portrait
from sparks.journey import Stores
from sparks.library.access import person_for
from sparks.library.consent import SELFIE, consented
from sparks.library.people import SeenPerson
from sparks.library.sharing import tell_persons
from sparks.model.access import Action
from sparks.model.caller import GuestCaller, Member, Who, name_of
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.share import LinkPermission
from sparks.people.proofs import seal_proof
from sparks.people.recognising import Likeness, Recognised

NO_FACE: Final = "no face was seen in this picture: take one in better light, from nearer, and look into the camera"
SEVERAL: Final = "{} faces were seen in this picture: the largest was taken"
CONSENT: Final = "say that your face may be compared with those in the photos of this album: send consent=true"
NOBODY: Final = "this face is like nobody whom you can see here"


Consent = Annotated[
    bool | None,
    Query(
        description="Guests: true, that their face may be compared with those in the photos. The picture goes at once."
    ),
]


class MatchAnswer(PersonAnswer):
    score: float = Field(description="How alike they are: 1 is the very same picture. Below some 0.4 nobody is told.")


class SelfieAnswer(Answer):
    """`proof` says, for ten minutes, whom the selfie certainly shows: for `PUT /api/me/person`. `message` tells people
    what to make of it.
    """

    matches: list[MatchAnswer]
    faces: int = Field(description="How many were seen.")
    message: str | None = None
    proof: str | None = None


class SelfieRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, mirror: Mirror) -> None:
        self._gate = gate
        self._stores = stores
        self._mirror = mirror

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        routes.add(
            "POST",
            "/api/selfie",
            Action.FIND_BY_SELFIE,
            self.find_by_selfie,
            errors=(404, 415),
            openapi_extra=FILE,
        )
        return routes.router

    async def find_by_selfie(self, request: Request, who: Caller, consent: Consent = None) -> SelfieAnswer:
        """Whom this picture is like, best first. Only persons whom you see are told; the picture is not kept. Guests
        have to consent, which is written down, and are shown the photos of this album that certainly show them from
        then on.
        """
        await run_in_threadpool(self._begin, who, consent)
        portrait = await self._mirror.look(request, for_faces=True)
        return await run_in_threadpool(self._answer, portrait, who)

    def _begin(self, who: Who, consent: bool | None) -> None:
        """NotAllowed where a guest does not say yes to it; what they say is written down no more often than they may
        ask.
        """
        self._mirror.check()
        if isinstance(who, GuestCaller) and consent is not True:
            raise NotAllowed(CONSENT)
        self._mirror.count(who)
        if isinstance(who, GuestCaller):
            name, at = name_of(who), self._gate.now()
            self._stores.table.write(consented(name, SELFIE, allowed=True, who=name, at=at))

    def _answer(self, portrait: Portrait, who: Who) -> SelfieAnswer:
        at = self._gate.now()
        found = self._mirror.recognise(portrait)
        seen = [(one, person) for one in found.alike if (person := self._person(one, who, at)) is not None]
        if isinstance(who, GuestCaller):
            certain = {person.person_id for _, person in seen} & found.certain
            if certain:
                who = replace(who, guest=tell_persons(who.guest, certain, table=self._stores.table))
            if LinkPermission.VIEW not in who.link.allow:
                seen = [(one, person) for one, person in seen if person.person_id in certain]
        answers = PersonAnswers(who, at=at, table=self._stores.table, keyring=self._stores.keyring)
        matches = [
            MatchAnswer(**answers.person(person).model_dump(), score=round(one.score, 3)) for one, person in seen
        ]
        return SelfieAnswer(
            matches=matches,
            faces=len(portrait.faces),
            message=_message(portrait, matches),
            proof=self._proof(found, matches, who, at),
        )

    def _person(self, alike: Likeness, who: Who, at: datetime) -> SeenPerson | None:
        """None for a person whom the caller does not see."""
        try:
            return person_for(who, Action.FIND_BY_SELFIE, alike.person_id, at=at, table=self._stores.table)
        except NotFound:
            return None

    def _proof(self, found: Recognised, matches: list[MatchAnswer], who: Who, at: datetime) -> str | None:
        """For members: a guest is nobody in particular."""
        certain = [match.person_id for match in matches if match.person_id in found.certain]
        if not certain or not isinstance(who, Member):
            return None
        return seal_proof(who.user, certain, at=at, keyring=self._stores.keyring)


def _message(portrait: Portrait, matches: list[MatchAnswer]) -> str | None:
    if not portrait.faces:
        return NO_FACE
    said = [SEVERAL.format(len(portrait.faces))] if len(portrait.faces) > 1 else []
    return "; ".join([*said, *([] if matches else [NOBODY])]) or None

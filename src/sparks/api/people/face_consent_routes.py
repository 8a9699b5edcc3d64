"""Routes for consent to face recognition, one's own and the site's."""

from itertools import islice
from typing import Final

from fastapi import APIRouter
from pydantic import Field, StrictBool

from sparks.actions.face_consent import FaceConsent
from sparks.actions.face_lookup import FaceLookup
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import RequestModel, ResponseModel, Time
from sparks.api.people.biometric_erasure_routes import ErasureResponse, erasure_response
from sparks.library.consent import SITE, history, is_allowed
from sparks.library.people.recognition_opt_outs import opt_outs
from sparks.model.access import Action
from sparks.model.biometric_erasure import Erasure
from sparks.model.caller import Member
from sparks.table.port import Table

MAX_ENTRIES: Final = 100


class ConsentEntryResponse(ResponseModel):
    """A decision to allow or forbid something."""

    at: Time
    who: str
    what: str
    allowed: bool


class SiteConsentResponse(ResponseModel):
    """`faces` is whether the site searches for faces at all; `history` is newest first. `erasure` is the receipt of the
    faces that are being erased.
    """

    faces: bool
    history: list[ConsentEntryResponse]
    erasure: ErasureResponse | None = None


class OwnConsentResponse(SiteConsentResponse):
    """`faces` is whether Sparks may search for faces in your photos, `siteFaces` whether the site allows it at all.
    `findsFaces` is false while Sparks searches for none: the site forbids it, the operator switched it off, or a part
    of the engine is missing. `recognise` is false while a vector is kept so that you are not recognized.
    """

    site_faces: bool
    finds_faces: bool
    recognise: bool


class OwnConsentRequest(RequestModel):
    """`faces`: whether Sparks may search for faces in your photos; false also erases those that were found.
    `recognise`: true deletes the vector by which you are not recognized. To erase your face, use
    DELETE /api/me/biometrics.
    """

    faces: StrictBool | None = None
    recognise: StrictBool | None = None


class SiteConsentRequest(RequestModel):
    """`erase`: switching off also erases the faces that were found."""

    faces: StrictBool
    erase: StrictBool = Field(default=True)


class FaceConsentRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, face_consent: FaceConsent, face_lookup: FaceLookup, table: Table
    ) -> None:
        self._authenticator = authenticator
        self._consent = face_consent
        self._face_lookup = face_lookup
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="consent")
        see, change, manage = Action.SEE_OWN_ACCOUNT, Action.CHANGE_OWN_ACCOUNT, Action.MANAGE_FACES
        routes.add("GET", "/api/me/consent", see, self.read_own)
        routes.add("PUT", "/api/me/consent", change, self.change_own)
        routes.add("GET", "/api/admin/consent", manage, self.read_site)
        routes.add("PUT", "/api/admin/consent", manage, self.change_site)
        return routes.router

    def read_own(self, caller: CurrentMember) -> OwnConsentResponse:
        """Read what you allow about faces, and the history of your decisions."""
        return self._own(caller)

    def change_own(self, caller: CurrentMember, body: OwnConsentRequest) -> OwnConsentResponse:
        """Allow or forbid the search for faces in your photos, or let yourself be recognized again."""
        return self._own(caller, self._consent.change_own(caller, faces=body.faces, recognize=body.recognise))

    def read_site(self) -> SiteConsentResponse:
        """Read whether the site searches for faces, and the history of that decision."""
        return self._site()

    def change_site(self, caller: CurrentMember, body: SiteConsentRequest) -> SiteConsentResponse:
        """Switch the search for faces on or off for all photos."""
        return self._site(self._consent.change_site(caller, faces=body.faces, erase=body.erase))

    def _own(self, caller: Member, erasure: Erasure | None = None) -> OwnConsentResponse:
        is_opted_out = any(each.account == caller.email for each in opt_outs(table=self._table))
        return OwnConsentResponse(
            faces=is_allowed(caller.email, table=self._table),
            site_faces=is_allowed(SITE, table=self._table),
            finds_faces=self._face_lookup.is_available(),
            recognise=not is_opted_out,
            history=self._history(caller.email),
            erasure=None if erasure is None else erasure_response(erasure),
        )

    def _site(self, erasure: Erasure | None = None) -> SiteConsentResponse:
        return SiteConsentResponse(
            faces=is_allowed(SITE, table=self._table),
            history=self._history(SITE),
            erasure=None if erasure is None else erasure_response(erasure),
        )

    def _history(self, subject: str) -> list[ConsentEntryResponse]:
        entries = islice(history(subject, table=self._table), MAX_ENTRIES)
        return [
            ConsentEntryResponse(at=each.decided_at, who=each.who, what=each.what, allowed=each.allowed)
            for each in entries
        ]

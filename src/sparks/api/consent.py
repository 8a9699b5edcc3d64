"""Whether faces may be looked for: in one's own photos, or at all; and who has said so."""

from itertools import islice
from typing import Final

from fastapi import APIRouter
from pydantic import Field, StrictBool

from sparks import logs
from sparks.api.erasure_answers import ErasureAnswer, erasure_answer
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.mirror import finds_faces
from sparks.api.shapes import Answer, Time, Wish
from sparks.journey import Journey, Stores
from sparks.library.audit import Deed, audit
from sparks.library.consent import FACES, RECOGNISE, SITE, consented, history, is_allowed
from sparks.library.people.unrecognised import recognise_again, unrecognised
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput
from sparks.model.events import ErasureBegun, Event, LibraryUnindexed
from sparks.model.forgetting import Erasure
from sparks.people.forgetting import forbid_faces

MOST_ENTRIES: Final = 100
FORGET_INSTEAD: Final = "a face that is to be recognised no more is to be forgotten: DELETE /api/me/biometrics does so"


class ConsentEntry(Answer):
    """Who allowed or forbade what, and when."""

    at: Time
    who: str
    what: str
    allowed: bool


class SiteConsent(Answer):
    """Whether faces are looked for at all; `history`, newest first. `erasure` is the receipt of what goes now."""

    faces: bool
    history: list[ConsentEntry]
    erasure: ErasureAnswer | None = None


class OwnConsent(SiteConsent):
    """`faces` is whether they may be looked for in your photos, `siteFaces` whether they are at all. `recognise` is
    false while a do-not-recognise vector of yours is kept; `findsFaces`, while Sparks looks for none: it is
    forbidden, switched off by whoever runs it, or a part is missing.
    """

    site_faces: bool
    finds_faces: bool
    recognise: bool


class OwnConsentWish(Wish):
    """`faces`: look for faces in your photos; where it is false, those that were found are removed. `recognise`: drop
    your do-not-recognise vector. To be forgotten, see DELETE /api/me/biometrics.
    """

    faces: StrictBool | None = None
    recognise: StrictBool | None = None


class SiteConsentWish(Wish):
    """With `erase`, switching off removes what was found, too."""

    faces: StrictBool
    erase: StrictBool = Field(default=True)


class ConsentRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, journey: Journey) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._jobs = stores.jobs
        self._journey = journey

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="consent")
        see, change, manage = Action.SEE_OWN_ACCOUNT, Action.CHANGE_OWN_ACCOUNT, Action.MANAGE_FACES
        routes.add("GET", "/api/me/consent", see, self.read_own)
        routes.add("PUT", "/api/me/consent", change, self.change_own)
        routes.add("GET", "/api/admin/consent", manage, self.read_site)
        routes.add("PUT", "/api/admin/consent", manage, self.change_site)
        return routes.router

    def read_own(self, who: MemberCaller) -> OwnConsent:
        """What you allow about faces, and who has changed that."""
        return self._own(who)

    def change_own(self, who: MemberCaller, wish: OwnConsentWish) -> OwnConsent:
        """Allow or forbid to look for faces in your photos, or be recognised again."""
        if wish.recognise is False:
            raise BadInput(FORGET_INSTEAD)
        begun = None if wish.faces is None else self._switch(who, who.email, allowed=wish.faces)
        if wish.recognise and recognise_again(who.email, table=self._table):
            said = consented(who.email, RECOGNISE, allowed=True, who=who.email, at=self._gate.now())
            self._table.write(said)
        return self._own(who, begun)

    def read_site(self) -> SiteConsent:
        """Whether faces are looked for at all, and who has switched that."""
        return self._site()

    def change_site(self, who: MemberCaller, wish: SiteConsentWish) -> SiteConsent:
        """Switch the finding of faces on or off for all photos."""
        return self._site(self._switch(who, SITE, allowed=wish.faces, erase=wish.erase))

    def _switch(self, who: Member, subject: str, *, allowed: bool, erase: bool = True) -> Erasure | None:
        """What goes now, if anything. One that is as it should be is left alone, unless there may be faces to erase."""
        at, is_so = self._gate.now(), is_allowed(subject, table=self._table) is allowed
        note = audit(Deed.FACES_SWITCHED, who=who.email, target=subject, at=at, allowed=allowed)
        if not allowed and erase:
            begun = forbid_faces(subject, who=who.email, at=at, also=(note,), table=self._table)
            self._send(ErasureBegun(begun.erasure_id))
            return begun
        if not is_so:
            self._table.write(consented(subject, FACES, allowed=allowed, who=who.email, at=at), note)
        if allowed:
            self._send(LibraryUnindexed())
        return None

    def _send(self, event: Event) -> None:
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get())

    def _own(self, who: Member, begun: Erasure | None = None) -> OwnConsent:
        kept = any(each.account == who.email for each in unrecognised(table=self._table))
        return OwnConsent(
            faces=is_allowed(who.email, table=self._table),
            site_faces=is_allowed(SITE, table=self._table),
            finds_faces=finds_faces(self._stores),
            recognise=not kept,
            history=self._history(who.email),
            erasure=None if begun is None else erasure_answer(begun),
        )

    def _site(self, begun: Erasure | None = None) -> SiteConsent:
        return SiteConsent(
            faces=is_allowed(SITE, table=self._table),
            history=self._history(SITE),
            erasure=None if begun is None else erasure_answer(begun),
        )

    def _history(self, subject: str) -> list[ConsentEntry]:
        said = islice(history(subject, table=self._table), MOST_ENTRIES)
        return [ConsentEntry(at=each.decided_at, who=each.who, what=each.what, allowed=each.allowed) for each in said]

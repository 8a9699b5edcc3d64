"""Actions that allow or forbid face recognition, for one's own photos or for the site."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from sparks.actions.outbox import Outbox
from sparks.library.audit import AuditAction, audit_row
from sparks.library.consent import FACES, RECOGNIZE, SITE, consent_entry, is_allowed
from sparks.library.people.recognition_opt_outs import opt_in
from sparks.model.biometric_erasure import Erasure
from sparks.model.caller import Member
from sparks.model.errors import BadInput
from sparks.model.events import ErasureBegun, FaceIndexingDue
from sparks.people.biometric_erasure.begin import forbid_faces
from sparks.table.port import Table

ERASE_INSTEAD: Final = "if you do not want to be recognized, erase your face with DELETE /api/me/biometrics"


class FaceConsent:
    def __init__(self, *, outbox: Outbox, table: Table, clock: Callable[[], datetime]) -> None:
        self._outbox = outbox
        self._table = table
        self._now = clock

    def change_own(self, caller: Member, *, faces: bool | None, recognize: bool | None) -> Erasure | None:
        """Allows or forbids faces in the caller's photos, and with `recognize` drops their recognition opt-outs. The
        receipt of the faces that are erased, if any are. BadInput where `recognize` is false.
        """
        if recognize is False:
            raise BadInput(ERASE_INSTEAD)
        erasure = None if faces is None else self._switch(caller, caller.email, allowed=faces)
        if recognize and opt_in(caller.email, table=self._table):
            entry = consent_entry(caller.email, RECOGNIZE, allowed=True, who=caller.email, at=self._now())
            self._table.write(entry)
        return erasure

    def change_site(self, caller: Member, *, faces: bool, erase: bool) -> Erasure | None:
        """The same for all photos; without `erase`, faces that were found are kept."""
        return self._switch(caller, SITE, allowed=faces, erase=erase)

    def _switch(self, caller: Member, subject: str, *, allowed: bool, erase: bool = True) -> Erasure | None:
        """Nothing is written where the subject has decided so before, unless there may be faces to erase."""
        at, is_so = self._now(), is_allowed(subject, table=self._table) is allowed
        note = audit_row(AuditAction.FACES_SWITCHED, who=caller.email, target=subject, at=at, allowed=allowed)
        if not allowed and erase:
            erasure = forbid_faces(subject, who=caller.email, at=at, also=(note,), table=self._table)
            self._outbox.send(ErasureBegun(erasure.erasure_id))
            return erasure
        if not is_so:
            self._table.write(consent_entry(subject, FACES, allowed=allowed, who=caller.email, at=at), note)
        if allowed:
            self._outbox.send(FaceIndexingDue())
        return None

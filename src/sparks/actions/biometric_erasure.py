"""Actions that erase a person's biometric data, read the receipt, and drop a recognition opt-out.

Any member may put faces together, and that can be undone. An erasure cannot. So a member cannot
erase faces as their own that are theirs only by their own decision.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

from sparks.actions.outbox import Outbox
from sparks.blobs.port import Blobs
from sparks.library.accounts.person_claims import users_linked_to
from sparks.library.audit import AuditAction, audit_row
from sparks.library.authorized_reads import person_for
from sparks.library.consent import RECOGNIZE, consent_entry
from sparks.library.face_index import FaceIndex
from sparks.library.people.apply_decision import photos_with_faces_of
from sparks.library.people.photo_faces import decisions_about, find_person
from sparks.library.people.recognition_opt_outs import delete_opt_out
from sparks.library.people.redirects import resolve_person
from sparks.library.people.replay_decisions import in_force
from sparks.model.access import NOT_THERE, Action, allows_action, may_see_erasure
from sparks.model.biometric_erasure import Erasure, Keep
from sparks.model.caller import Member
from sparks.model.errors import Conflict, NotFound
from sparks.model.events import ErasureBegun
from sparks.model.person import DecisionKind
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.biometric_erasure.begin import ErasureRequest, begin_erasure, merged_person_ids
from sparks.people.biometric_erasure.erase import erase_listed
from sparks.people.biometric_erasure.receipts import find_erasure
from sparks.table.port import Table

MAX_AT_ONCE: Final = 500  # faces that are erased while the caller waits
GIVE_FACES: Final = frozenset({DecisionKind.MERGE, DecisionKind.ASSIGN, DecisionKind.DRAW})
NO_OWN_PERSON: Final = "Sparks does not know which person you are: say so first with PUT /api/me/person"
NO_FACE: Final = (
    "Sparks has no face of yours, so there is nothing to erase; if you are another person, say so with PUT "
    "/api/me/person"
)
NOT_ALONE: Final = "another account is linked to this person, too: undo the merge, or ask an administrator"
OWN_DECISION: Final = "you put some of these faces together yourself: undo that first, or ask an administrator"
NO_ERASURE: Final = NOT_THERE.format("receipt")


class BiometricErasures:
    def __init__(
        self,
        *,
        outbox: Outbox,
        table: Table,
        blobs: Blobs,
        index: FaceIndex | None,
        pipeline: PipelineSettings,
        clock: Callable[[], datetime],
    ) -> None:
        self._outbox = outbox
        self._table = table
        self._blobs = blobs
        self._index = index
        self._pipeline = pipeline
        self._now = clock

    def erase_own(self, caller: Member, *, keep: Keep) -> Erasure:
        """Erases the faces of the person whom the caller is. NotFound where that person, or any face of theirs, is
        unknown; Conflict where they may be another person's (see `_check_own`).
        """
        person_id = caller.user.person_id
        if person_id is None or find_person(resolve_person(person_id, table=self._table), table=self._table) is None:
            raise NotFound(NO_OWN_PERSON)
        self._check_own(caller, merged_person_ids(person_id, table=self._table))
        return self._erase(caller, person_id, keep, account=caller.email)

    def erase_person(self, caller: Member, person_id: str, *, keep: Keep) -> Erasure:
        """The same for any person; only that person and administrators may."""
        person = person_for(caller, Action.ERASE_FACE, person_id, at=self._now(), table=self._table)
        person_ids = merged_person_ids(person.person_id, table=self._table)
        if not allows_action(caller, Action.MANAGE_FACES):
            self._check_own(caller, person_ids)
        users = users_linked_to(person_ids, table=self._table)
        return self._erase(caller, person.person_id, keep, account=users[0].email if users else None)

    def read_receipt(self, caller: Member, erasure_id: str) -> Erasure:
        """NotFound for a receipt that the caller may not see."""
        erasure = find_erasure(erasure_id, table=self._table)
        if erasure is None or not may_see_erasure(caller, erasure):
            raise NotFound(NO_ERASURE)
        return erasure

    def drop_opt_out(self, caller: Member, erasure_id: str) -> None:
        """Deletes the vector that the erasure kept: the face may be recognized again."""
        erasure = self.read_receipt(caller, erasure_id)
        entry = consent_entry(erasure.subject, RECOGNIZE, allowed=True, who=caller.email, at=self._now())
        delete_opt_out(erasure.erasure_id, also=(entry,), table=self._table)

    def _check_own(self, caller: Member, person_ids: Collection[str]) -> None:
        """NotFound where the persons have no face. Conflict where the faces may be another person's: another account
        is linked to them, or the caller's own decisions gave them faces. Administrators are exempt from the latter.
        """
        if not any(True for each in person_ids for _ in photos_with_faces_of(each, table=self._table)):
            raise NotFound(NO_FACE)
        if allows_action(caller, Action.MANAGE_FACES):
            return
        if any(user.email != caller.email for user in users_linked_to(person_ids, table=self._table)):
            raise Conflict(NOT_ALONE)
        decisions = (one for each in person_ids for one in in_force(decisions_about(each, table=self._table)))
        if any(decision.kind in GIVE_FACES and decision.who == caller.email for decision in decisions):
            raise Conflict(OWN_DECISION)

    def _erase(self, caller: Member, person_id: str, keep: Keep, *, account: str | None) -> Erasure:
        """The receipt. It has no `after` yet where the faces are so many that the job erases all of them."""
        at = self._now()
        note = audit_row(AuditAction.FACE_FORGOTTEN, who=caller.email, target=person_id, at=at, keep=keep.value)
        request = ErasureRequest(person_id=person_id, keep=keep, who=caller.email, account=account, at=at)
        begun = begin_erasure(
            request,
            also=(note,),
            table=self._table,
            blobs=self._blobs,
            index=self._index,
            pipeline=self._pipeline,
        )
        self._outbox.send(ErasureBegun(begun.erasure_id))
        if begun.before is not None and begun.before.faces > MAX_AT_ONCE:
            return begun
        return erase_listed(begun, table=self._table, blobs=self._blobs, index=self._index, pipeline=self._pipeline)

"""Audit log of administrators' and account actions: append-only, one partition a month."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model import times
from sparks.model.ids import new_event_id
from sparks.model.system_records import AuditEntry
from sparks.table.port import Key, Put, Table

COMMAND_LINE: Final = "command line"
UNKNOWN: Final = "unknown"


class AuditAction(StrEnum):
    SET_UP = "set-up"
    SIGNED_IN = "signed-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out"
    SESSION_ENDED = "session-ended"
    SESSIONS_ENDED = "sessions-ended"
    USER_MADE = "user-made"
    USER_REMOVED = "user-removed"
    ROLE_CHANGED = "role-changed"
    LIMIT_CHANGED = "limit-changed"
    PASSWORD_CHANGED = "password-changed"  # noqa: S105  what was done, not a password
    PASSWORD_RESET = "password-reset"  # noqa: S105
    KEY_MADE = "key-made"
    KEY_REVOKED = "key-revoked"
    INVITATION_MADE = "invitation-made"
    INVITATION_REVOKED = "invitation-revoked"
    IDENTITY_LINKED = "identity-linked"
    IDENTITY_UNLINKED = "identity-unlinked"
    PERSON_CLAIMED = "person-claimed"
    CLAIM_CONFIRMED = "claim-confirmed"
    CLAIM_REFUSED = "claim-refused"
    FACE_FORGOTTEN = "face-forgotten"
    FACES_SWITCHED = "faces-switched"
    JOBS_RETRIED = "jobs-retried"
    JOBS_DROPPED = "jobs-dropped"
    LINK_MADE = "link-made"
    LINK_CHANGED = "link-changed"
    LINK_REVOKED = "link-revoked"


def audit_row(
    action: AuditAction, *, who: str, target: str | None = None, at: datetime | None = None, **details: Any
) -> Put:
    """The row to write in the same transaction as the action. Details that are None are left out."""
    given = {name: value for name, value in details.items() if value is not None}
    entry = AuditEntry(
        done_at=at or times.now(),
        entry_id=new_event_id(),
        who=who,
        action=action.value,
        target=target,
        details=given,
    )
    return Put(to_item(entry))


def page_of_entries(month: str, *, limit: int, after: Key | None, table: Table) -> tuple[list[AuditEntry], Key | None]:
    """The entries of a month, `yyyy-mm`, newest first."""
    page = table.query(keys.audit(month), limit=limit, after=after, newest_first=True)
    return [from_item(AuditEntry, item) for item in page.items], page.after

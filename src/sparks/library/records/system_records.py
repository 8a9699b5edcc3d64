"""Record types of job states, live events, request tokens, consent, audit and search log."""

from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import Fields, mapping, names, nested, plain, seconds, time
from sparks.library.records.record_type import RecordType
from sparks.model.system_records import (
    AuditEntry,
    Consent,
    JobState,
    Lease,
    LiveEvent,
    RequestToken,
    SearchLogEntry,
    TagRename,
)

LEASE: Final = Fields(Lease, plain("holder"), time("expiresAt"))


JOB_STATE: Final = RecordType(
    JobState,
    time("lastProcessedAt"),
    time("lastRunAt"),
    mapping("stats"),
    nested("lease", LEASE),
    pk="JOB#{job_name..}",
    sk="STATE",
    key=lambda state: keys.job_state(state.job_name),
)

LIVE_EVENT: Final = RecordType(
    LiveEvent,
    plain("kind"),
    mapping("body"),
    seconds("ttl"),
    pk="EVENT#{scope..}",
    sk="{event_id..}",
    key=lambda event: keys.live_event(event.scope, event.event_id),
)

REQUEST_TOKEN: Final = RecordType(
    RequestToken,
    time("createdAt"),
    plain("hash", "request_hash"),
    plain("answer"),
    seconds("ttl"),
    pk="TOKEN#{token_id..}",
    sk="METADATA",
    key=lambda token: keys.request_token(token.token_id),
)

CONSENT: Final = RecordType(
    Consent,
    plain("who"),
    plain("what"),
    plain("allowed"),
    pk="CONSENT#{subject..}",
    sk="{decided_at:time}#{entry_id..}",
    key=lambda consent: keys.consent(consent.subject, consent.decided_at, consent.entry_id),
)

AUDIT_ENTRY: Final = RecordType(
    AuditEntry,
    plain("who"),
    plain("action"),
    plain("target"),
    mapping("details"),
    pk="AUDIT#{}",
    sk="{done_at:time}#{entry_id..}",
    key=lambda entry: keys.audit_entry(entry.done_at, entry.entry_id),
)

SEARCH_LOG_ENTRY: Final = RecordType(
    SearchLogEntry,
    names("about", absent=()),
    seconds("ttl"),
    pk="SEARCH_LOG#{}",
    sk="{noted_at:time}#{note_id..}",
    key=lambda note: keys.search_log_entry(note.noted_at, note.note_id),
)

TAG_RENAME: Final = RecordType(
    TagRename,
    plain("owner"),
    plain("tag"),
    plain("name"),
    plain("photos"),
    time("begunAt"),
    plain("done"),
    plain("failed"),
    time("finishedAt"),
    seconds("ttl"),
    pk="TAG_CHANGE#{change_id..}",
    sk="METADATA",
    key=lambda change: keys.tag_rename(change.change_id),
    entity_type=lambda change: entity_types.tag_rename(change.owner),
)

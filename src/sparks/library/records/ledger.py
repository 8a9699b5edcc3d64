"""Counters and what Sparks writes down as it goes, as rows."""

from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import mapping, names, nested, plain, seconds, time
from sparks.library.records.fields import Fields
from sparks.library.records.shape import Shape
from sparks.model.counter import MonthCounter, TagCounter
from sparks.model.ledger import AuditEntry, Consent, JobState, Lease, LiveEvent, SearchNote, TagChange, Token

LEASE: Final = Fields(Lease, plain("holder"), time("expiresAt"))

MONTH_COUNTER: Final = Shape(
    MonthCounter,
    plain("count"),
    plain("version"),
    pk="TIMELINE#{scope..}",
    sk="{month}",
    key=lambda counter: keys.month_counter(counter.scope, counter.month),
)

TAG_COUNTER: Final = Shape(
    TagCounter,
    plain("count"),
    plain("version"),
    pk="TAGS#{scope..}",
    sk="{tag..}",
    key=lambda counter: keys.tag_counter(counter.scope, counter.tag),
)

JOB_STATE: Final = Shape(
    JobState,
    time("lastProcessedAt"),
    time("lastRunAt"),
    mapping("stats"),
    nested("lease", LEASE),
    pk="JOB#{job_name..}",
    sk="STATE",
    key=lambda state: keys.job_state(state.job_name),
)

LIVE_EVENT: Final = Shape(
    LiveEvent,
    plain("kind"),
    mapping("body"),
    seconds("ttl"),
    pk="EVENT#{scope..}",
    sk="{event_id..}",
    key=lambda event: keys.live_event(event.scope, event.event_id),
)

TOKEN: Final = Shape(
    Token,
    time("createdAt"),
    plain("hash", "request_hash"),
    plain("answer"),
    seconds("ttl"),
    pk="TOKEN#{token_id..}",
    sk="METADATA",
    key=lambda token: keys.token(token.token_id),
)

CONSENT: Final = Shape(
    Consent,
    plain("who"),
    plain("what"),
    plain("allowed"),
    pk="CONSENT#{subject..}",
    sk="{decided_at:time}#{entry_id..}",
    key=lambda consent: keys.consent(consent.subject, consent.decided_at, consent.entry_id),
)

AUDIT_ENTRY: Final = Shape(
    AuditEntry,
    plain("who"),
    plain("action"),
    plain("target"),
    mapping("details"),
    pk="AUDIT#{}",
    sk="{done_at:time}#{entry_id..}",
    key=lambda entry: keys.audit_entry(entry.done_at, entry.entry_id),
)

SEARCH_NOTE: Final = Shape(
    SearchNote,
    names("about", absent=()),
    seconds("ttl"),
    pk="SEARCH_LOG#{}",
    sk="{noted_at:time}#{note_id..}",
    key=lambda note: keys.search_note(note.noted_at, note.note_id),
)

TAG_CHANGE: Final = Shape(
    TagChange,
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
    key=lambda change: keys.tag_change(change.change_id),
    entity_type=lambda change: entity_types.tag_change(change.owner),
)

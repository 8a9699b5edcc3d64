"""System records: job states, live events, request tokens, consent, audit and search log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True)
class Lease(Stored):
    """The holder of a job, and the time until which no other run may take it."""

    holder: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState(Stored):
    """The progress of a job that continues where it stopped."""

    job_name: str
    last_processed_at: datetime | None = None
    last_run_at: datetime | None = None
    stats: Mapping[str, Any] | None = field(default=None, hash=False)
    lease: Lease | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvent(Stored):
    """A change that open pages of this scope show at once; deleted after an hour."""

    scope: Scope
    event_id: str
    kind: str
    body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestToken(Stored):
    """A request that must not count twice, however late it is repeated. `request_hash` tells it from another one, and
    `answer` is its encrypted result.
    """

    token_id: str
    created_at: datetime
    request_hash: str | None = None
    answer: str | None = None
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent(Stored):
    """A permission or prohibition about a subject: an account, a person, an album or the site."""

    subject: str
    decided_at: datetime
    entry_id: str
    who: str
    what: str
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(Stored):
    """An action that an administrator may have to look up."""

    done_at: datetime
    entry_id: str
    who: str
    action: str
    target: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLogEntry(Stored):
    """A change that the search index has to follow. `about` names the changed entities, each encrypted."""

    noted_at: datetime
    note_id: str
    about: tuple[str, ...] = ()
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRename(Stored):
    """The renaming of a tag on all `photos` of a user, of which `done` were changed and `failed` could not be. It is
    over from `finished_at` on.
    """

    change_id: str
    owner: str
    tag: str
    name: str
    photos: int
    begun_at: datetime
    done: int = 0
    failed: int = 0
    finished_at: datetime | None = None
    ttl: datetime | None = None

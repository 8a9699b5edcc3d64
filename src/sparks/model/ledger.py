"""What Sparks writes down as it goes: how far a job is, what pages may show live, who did what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True)
class Lease(Stored):
    """Who runs the job, and until when nobody else does."""

    holder: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState(Stored):
    """How far a job is that goes on from where it stopped."""

    job_name: str
    last_processed_at: datetime | None = None
    last_run_at: datetime | None = None
    stats: Mapping[str, Any] | None = field(default=None, hash=False)
    lease: Lease | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvent(Stored):
    """Something that open pages of this scope show at once; gone after an hour."""

    scope: Scope
    event_id: str
    kind: str
    body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(Stored):
    """A request that must not count twice, however late it is repeated. `request_hash` tells it from another one, and
    `answer` is what it was told, sealed.
    """

    token_id: str
    created_at: datetime
    request_hash: str | None = None
    answer: str | None = None
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent(Stored):
    """Somebody allowed or forbade something about a subject: an account, a person, an album, the site."""

    subject: str
    decided_at: datetime
    entry_id: str
    who: str
    what: str
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(Stored):
    """Somebody did something that an administrator may have to look up."""

    done_at: datetime
    entry_id: str
    who: str
    action: str
    target: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNote(Stored):
    """Something that search knows has changed. `about` tells what, each sealed."""

    noted_at: datetime
    note_id: str
    about: tuple[str, ...] = ()
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TagChange(Stored):
    """Somebody's tag that is to have another name on all of their photos: of so many, so many are `done`, and so many
    could not be changed. It is over once `finished_at` says when.
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

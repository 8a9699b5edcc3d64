"""Route for administrators that shows the migration from another service."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from fastapi import APIRouter

from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.base_models import PageResponse, ResponseModel, Time
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.library.migration_issues import count_issues, page_of_issue_rows
from sparks.library.migration_state import read_migration_state
from sparks.model.access import Action
from sparks.model.keyring import Keyring
from sparks.model.migration import MigrationPhase, MigrationState, Verification, WriteSide
from sparks.model.photo_index import ExternalId
from sparks.table.port import Table

MAX_VALUE: Final = 300  # characters of a value
MAX_DIFFERENCES: Final = 100
_encode: Final = msgspec.json.Encoder(decimal_format="number").encode


class CopiedCountResponse(ResponseModel):
    """`total` is absent until the rows of the other service are counted."""

    copied: int
    total: int | None = None


class MigrationCountsResponse(ResponseModel):
    users: CopiedCountResponse
    albums: CopiedCountResponse
    photos: CopiedCountResponse


class MigrationLagResponse(ResponseModel):
    """Changes in the other service that are not applied yet, and the age of the oldest, when that was last reported."""

    changes: int
    seconds: float | None = None


class MigrationIssueResponse(ResponseModel):
    """A row of the other service, and its field that could not be taken as it is. `taken` says whether the row was
    taken without it. A long value is cut.
    """

    table: str
    id: str
    field: str
    value: str | None = None
    reason: str
    taken: bool


class MigrationIssuesResponse(ResponseModel):
    """`exact` is false where there are too many to count. `items` is one page of them."""

    total: int
    not_taken: int
    exact: bool
    items: list[MigrationIssueResponse]


class DifferenceResponse(ResponseModel):
    """A field that differs, with its value on both sides; absent where the row or the value is."""

    table: str
    id: str
    field: str | None = None
    source: str | None = None
    target: str | None = None


class VerificationResponse(ResponseModel):
    """The last comparison of both sides, with its first differences."""

    checked: int
    missing: int
    extra: int
    different: int
    at: Time | None = None
    differences: list[DifferenceResponse]


class MigrationResponse(PageResponse):
    """`phase` is `none` where there is no migration; all else is absent then. `writes` is the side that takes changes
    by people: `source`, `target` or `nobody`.
    """

    phase: MigrationPhase
    writes: WriteSide | None = None
    counts: MigrationCountsResponse | None = None
    lag: MigrationLagResponse | None = None
    reported_at: Time | None = None
    issues: MigrationIssuesResponse | None = None
    verification: VerificationResponse | None = None


class MigrationRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, keyring: Keyring) -> None:
        self._authenticator = authenticator
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="administration")
        routes.add("GET", "/api/admin/migration", Action.SEE_SETTINGS, self.read_migration)
        return routes.router

    def read_migration(self, caller: CurrentCaller, limit: Limit = 100, cursor: Cursor = None) -> MigrationResponse:
        """Read the state of the migration from another service, with a page of the rows that could not be taken as they
        are. This reads the rows of the migration alone.
        """
        state = read_migration_state(self._table)
        if state is None or state.phase is MigrationPhase.NONE:
            return MigrationResponse(phase=MigrationPhase.NONE, last_evaluated_key=None)
        rows, after = read_page(
            lambda most, behind: page_of_issue_rows(limit=most, after=behind, table=self._table),
            query="migration issues",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        return MigrationResponse(
            phase=state.phase,
            writes=state.writes,
            counts=_counts(state),
            lag=_lag(state),
            reported_at=state.reported_at,
            issues=self._issues(rows),
            verification=None if state.verification is None else _verification(state.verification),
            last_evaluated_key=after,
        )

    def _issues(self, rows: Iterable[ExternalId]) -> MigrationIssuesResponse:
        count = count_issues(table=self._table)
        return MigrationIssuesResponse(
            total=count.total,
            not_taken=count.not_taken,
            exact=count.exact,
            items=[_issue(row, issue) for row in rows for issue in row.issues],
        )


def _counts(state: MigrationState) -> MigrationCountsResponse:
    def count(name: str) -> CopiedCountResponse:
        return CopiedCountResponse(copied=state.counts.get(name, 0), total=state.totals.get(name))

    return MigrationCountsResponse(users=count("users"), albums=count("albums"), photos=count("photos"))


def _lag(state: MigrationState) -> MigrationLagResponse | None:
    if state.lag_changes is None:
        return None
    return MigrationLagResponse(changes=state.lag_changes, seconds=state.lag_seconds)


def _issue(row: ExternalId, issue: Mapping[str, Any]) -> MigrationIssueResponse:
    return MigrationIssueResponse(
        table=row.system,
        id=row.old_id,
        field=str(issue.get("field", "")),
        value=_text(issue.get("value")),
        reason=str(issue.get("reason", "")),
        taken=bool(issue.get("taken", False)),
    )


def _verification(verification: Verification) -> VerificationResponse:
    return VerificationResponse(
        checked=verification.checked,
        missing=verification.missing,
        extra=verification.extra_rows,
        different=verification.different,
        at=verification.at,
        differences=[_difference(each) for each in verification.differences[:MAX_DIFFERENCES]],
    )


def _difference(difference: Mapping[str, Any]) -> DifferenceResponse:
    return DifferenceResponse(
        table=str(difference.get("table", "")),
        id=str(difference.get("id", "")),
        field=_text(difference.get("field")),
        source=_text(difference.get("source")),
        target=_text(difference.get("target")),
    )


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else _encode(value).decode()
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}.."

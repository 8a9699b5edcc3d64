"""The audit log: newest first, by month, and only with the given details."""

from datetime import UTC, datetime, timedelta

from sparks.library.audit import AuditAction, audit_row, page_of_entries
from sparks.model import times
from sparks.table.port import Table
from tests.factories import ANN, BOB, NOON


def test_an_entry_holds_actor_action_and_target(table: Table) -> None:
    table.write(audit_row(AuditAction.ROLE_CHANGED, who=ANN, target=BOB, at=NOON, role="admin", before=None))
    [entry], after = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert (entry.who, entry.action, entry.target, entry.done_at) == (ANN, "role-changed", BOB, NOON)
    assert (entry.details, after) == ({"role": "admin"}, None)


def test_entries_come_newest_first_page_by_page(table: Table) -> None:
    for minutes in (1, 3, 2, 3):
        table.write(audit_row(AuditAction.SIGNED_IN, who=ANN, at=NOON + timedelta(minutes=minutes), minutes=minutes))
    first, after = page_of_entries("2025-08", limit=3, after=None, table=table)
    rest, end = page_of_entries("2025-08", limit=3, after=after, table=table)
    assert [entry.details["minutes"] for entry in first + rest] == [3, 3, 2, 1]
    assert end is None


def test_a_month_ends_at_midnight_in_utc(table: Table) -> None:
    new_year = datetime(2026, 1, 1, tzinfo=UTC)
    table.write(audit_row(AuditAction.SIGNED_IN, who=ANN, at=new_year - timedelta(milliseconds=1)))
    table.write(audit_row(AuditAction.SIGNED_OUT, who=ANN, at=new_year))
    found = {month: page_of_entries(month, limit=10, after=None, table=table)[0] for month in ("2025-12", "2026-01")}
    assert {month: [entry.action for entry in entries] for month, entries in found.items()} == {
        "2025-12": ["signed-in"],
        "2026-01": ["signed-out"],
    }


def test_two_actions_of_the_same_moment_are_two_entries(table: Table) -> None:
    table.write(*[audit_row(AuditAction.SIGNED_IN, who=who, at=NOON) for who in (ANN, BOB, ANN)])
    entries, _ = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert sorted(entry.who for entry in entries) == [ANN, ANN, BOB]


def test_a_new_entry_is_in_the_present_month(table: Table) -> None:
    before = times.now()
    table.write(audit_row(AuditAction.SIGNED_IN, who=ANN))
    entries = [
        entry
        for month in {times.month_of(before), times.month_of(times.now())}
        for entry in page_of_entries(month, limit=10, after=None, table=table)[0]
    ]
    assert [before <= entry.done_at <= times.now() for entry in entries] == [True]

"""Issues of the migration as they hold now: listed, counted, and the rows to try again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sparks.library import entity_types
from sparks.library.records import from_item
from sparks.migrate.records import Issue
from sparks.model.migration import ISSUE_FIELDS
from sparks.model.photo_index import ExternalId
from sparks.table.port import Table, every


def all_issues(table: Table) -> Iterator[Issue]:
    """Each issue of a row that was not taken says so, also where its own field would not have hindered that."""
    for row in rows_with_issues(table):
        taken = is_taken(row)
        for held in row.issues:
            yield Issue(row.system, row.old_id, held["field"], held.get("value"), held["reason"], taken)


def is_taken(row: ExternalId) -> bool:
    return all(held["taken"] for held in row.issues)


def rows_with_issues(table: Table) -> Iterator[ExternalId]:
    for field in ISSUE_FIELDS:
        for item in every(table, entity_types.migration_issue(field)):
            yield from_item(ExternalId, item)


@dataclass(frozen=True, slots=True)
class IssueCount:
    """Issues by field, and the number of rows that were not taken."""

    by_field: Counter[str]
    not_taken: int

    @property
    def total(self) -> int:
        return self.by_field.total()


def count_issues(table: Table) -> IssueCount:
    by_field: Counter[str] = Counter()
    not_taken = 0
    for row in rows_with_issues(table):
        by_field.update(held["field"] for held in row.issues)
        not_taken += not is_taken(row)
    return IssueCount(by_field, not_taken)

"""Rows of the replaced service that could not be taken, or not as they are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from sparks.library import entity_types
from sparks.library.pagination import first_page
from sparks.library.records import from_item
from sparks.model.migration import ISSUE_FIELDS
from sparks.model.photo_index import ExternalId
from sparks.table.port import EVERYTHING, Between, Item, Key, Table, every

MAX_COUNTED: Final = 10_000  # rows
PAGE: Final = 100
_COUNTED: Final = frozenset({"issues"})


@dataclass(frozen=True, slots=True)
class IssueCount:
    """The number of issues, and of those because of which a value was not taken. `exact` is False where there are more
    rows than are counted.
    """

    total: int
    not_taken: int
    exact: bool


def page_of_issue_rows(*, limit: int, after: Key | None, table: Table) -> tuple[list[ExternalId], Key | None]:
    """The next rows that have issues, by the field of the first one, and where to continue; None at the end.

    A place in these lists is the PK of the row and the field in whose list it is.
    """
    found, place = first_page(_rows_after(after, table), lambda each: Key(each[1]["PK"], each[0]), limit=limit)
    return [from_item(ExternalId, item) for _, item in found], place


def count_issues(*, table: Table) -> IssueCount:
    rows = list(islice(_all_rows(table), MAX_COUNTED + 1))
    issues: list[Mapping[str, Any]] = [issue for row in rows[:MAX_COUNTED] for issue in row.get("issues", ())]
    not_taken = sum(1 for issue in issues if not issue.get("taken"))
    return IssueCount(len(issues), not_taken, exact=len(rows) <= MAX_COUNTED)


def _all_rows(table: Table) -> Iterator[Item]:
    for field in ISSUE_FIELDS:
        yield from every(table, entity_types.migration_issue(field), only=_COUNTED)


def _rows_after(place: Key | None, table: Table) -> Iterator[tuple[str, Item]]:
    """The rows behind that place, each with the field in whose list it is."""
    first = 0 if place is None or place.sk not in ISSUE_FIELDS else ISSUE_FIELDS.index(place.sk)
    for number, field in enumerate(ISSUE_FIELDS[first:]):
        span = Between(low=place.pk) if place is not None and number == 0 else EVERYTHING
        for item in every(table, entity_types.migration_issue(field), span, page=PAGE):
            if place is None or number > 0 or item["PK"] != place.pk:
                yield field, item

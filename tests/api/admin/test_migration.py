"""State of a migration, for administrators."""

from typing import Any, Final

import pytest

from sparks.model.migration import MigrationPhase, MigrationState, Verification, WriteSide
from sparks.model.photo_index import ExternalId
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import NOON

MIGRATION: Final = "/api/admin/migration"
STATE: Final = MigrationState(
    phase=MigrationPhase.BACKFILLED,
    writes=WriteSide.SOURCE,
    counts={"users": 2, "photos": 40},
    totals={"users": 3, "albums": 1, "photos": 100},
    lag_changes=4,
    lag_seconds=1.5,
    reported_at=NOON,
    verification=Verification(
        checked=40,
        missing=1,
        extra_rows=2,
        different=3,
        at=NOON,
        differences=({"table": "users", "id": "u1", "field": "tags", "source": ["sea"], "target": "x" * 1000},),
    ),
)


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def read(browser: Client, who: Headers, query: str = "") -> dict[str, Any]:
    answer = browser.get(MIGRATION + query, headers=who)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def an_issue(field: str, *, taken: bool = True, **more: Any) -> dict[str, Any]:
    return {"field": field, "reason": "cannot be taken", "taken": taken, **more}


def test_without_a_migration_there_is_only_the_phase(community: Community, browser: Client, carol: Headers) -> None:
    assert read(browser, carol) == {"phase": "none", "hasMore": False}
    community.keep(MigrationState())
    assert read(browser, carol) == {"phase": "none", "hasMore": False}


def test_the_state_has_counts_lag_and_the_last_verification(
    community: Community, browser: Client, carol: Headers
) -> None:
    community.keep(STATE)
    assert read(browser, carol) == {
        "phase": "backfilled",
        "hasMore": False,
        "writes": "source",
        "counts": {
            "users": {"copied": 2, "total": 3},
            "albums": {"copied": 0, "total": 1},
            "photos": {"copied": 40, "total": 100},
        },
        "lag": {"changes": 4, "seconds": 1.5},
        "reportedAt": "2025-08-01T12:00:00.000Z",
        "issues": {"total": 0, "notTaken": 0, "exact": True, "items": []},
        "verification": {
            "checked": 40,
            "missing": 1,
            "extra": 2,
            "different": 3,
            "at": "2025-08-01T12:00:00.000Z",
            "differences": [
                {"table": "users", "id": "u1", "field": "tags", "source": '["sea"]', "target": "x" * 300 + ".."}
            ],
        },
    }


def test_issues_are_listed_page_by_page_and_counted(community: Community, browser: Client, carol: Headers) -> None:
    community.keep(STATE)
    community.keep(ExternalId(system="users", old_id="fine", target_id="ann@example.com"))
    for number in range(4):
        for field in ("tags", "email", "shoe_size"):
            issue = an_issue(field, taken=field != "email", value=number)
            community.keep(ExternalId(system="gallery_images", old_id=f"{field}-{number}", issues=(issue,)))
    both = (an_issue("s3_key"), an_issue("tags"))
    community.keep(ExternalId(system="gallery_images", old_id="both", target_id="x", issues=both))
    listed: list[tuple[str, str]] = []
    query = "?limit=3"
    while True:
        page = read(browser, carol, query)
        assert (page["issues"]["total"], page["issues"]["notTaken"]) == (14, 4)
        listed += [(issue["id"], issue["field"]) for issue in page["issues"]["items"]]
        if "lastEvaluatedKey" not in page:
            break
        query = f"?limit=3&cursor={page['lastEvaluatedKey']}"
    expected = [(f"{field}-{n}", field) for field in ("tags", "email", "shoe_size") for n in range(4)]
    assert sorted(listed) == sorted([*expected, ("both", "s3_key"), ("both", "tags")])
    first = read(browser, carol)["issues"]["items"][0]
    assert first == {
        "table": "gallery_images",
        "id": "email-0",
        "field": "email",
        "value": "0",
        "reason": "cannot be taken",
        "taken": False,
    }


def test_members_do_not_see_the_migration(community: Community, browser: Client, ann: Headers) -> None:
    community.keep(STATE)
    assert browser.get(MIGRATION, headers=ann).status_code == 403

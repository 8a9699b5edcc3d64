"""The audit log, for administrators."""

from datetime import UTC, datetime

import pytest

from sparks.library.audit import AuditAction, audit_row
from sparks.model.credential import KeyScope
from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers
from tests.factories import ANN, BOB

AUDIT = "/api/admin/audit"
BAD_CURSOR = "this cursor belongs to another list or caller, or was altered: start again without a cursor"


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def note(community: Community, number: int, month: int = 8) -> None:
    at = datetime(2025, month, 1, 0, number, tzinfo=UTC)
    community.table.write(audit_row(AuditAction.LIMIT_CHANGED, who=CAROL, target=ANN, at=at, limit=number))


def test_an_entry_has_user_action_target_and_time(community: Community, browser: Client, carol: Headers) -> None:
    note(community, 7)
    assert browser.get(AUDIT, headers=carol).json() == {
        "entries": [
            {
                "doneAt": "2025-08-01T00:07:00.000Z",
                "who": CAROL,
                "action": "limit-changed",
                "target": ANN,
                "details": {"limit": 7},
            }
        ],
        "hasMore": False,
    }


def test_a_month_without_entries_is_empty(browser: Client, carol: Headers) -> None:
    assert browser.get(AUDIT, headers=carol).json() == {"entries": [], "hasMore": False}


def test_a_month_can_be_chosen(community: Community, browser: Client, carol: Headers) -> None:
    note(community, 1, month=7)
    note(community, 2)
    july = browser.get(AUDIT, params={"month": "2025-07"}, headers=carol).json()["entries"]
    assert [entry["details"]["limit"] for entry in july] == [1]


def test_the_audit_log_is_read_page_by_page_newest_first(community: Community, browser: Client, carol: Headers) -> None:
    for number in range(5):
        note(community, number)
    seen: list[int] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = browser.get(AUDIT, params={"limit": "2", **cursor}, headers=carol).json()
        seen += [entry["details"]["limit"] for entry in page["entries"]]
        cursor = {"cursor": page.get("lastEvaluatedKey", "")}
    assert seen == [4, 3, 2, 1, 0]
    assert cursor == {"cursor": ""}


def test_a_cursor_is_valid_for_its_month_and_its_caller_only(
    community: Community, browser: Client, carol: Headers
) -> None:
    for number in range(3):
        note(community, number)
    cursor = browser.get(AUDIT, params={"limit": 1}, headers=carol).json()["lastEvaluatedKey"]
    assert ANN not in cursor
    browser.patch(f"/api/users/{BOB}", json={"role": "admin"}, headers=carol)
    for params, headers in (
        ({"cursor": cursor, "month": "2025-07"}, carol),
        ({"cursor": cursor}, community.session_of(community.bob)),
        ({"cursor": cursor[:-2]}, carol),
        ({"cursor": "x"}, carol),
        ({"cursor": ""}, carol),
    ):
        assert refusal(browser.get(AUDIT, params=params, headers=headers)) == (400, "BAD_CURSOR", BAD_CURSOR)


@pytest.mark.parametrize(
    "params",
    [{"month": "2025-13"}, {"month": "august"}, {"month": "2025-08\n"}, {"limit": 0}, {"limit": 501}, {"limit": "x"}],
)
def test_a_malformed_month_or_limit_is_refused(browser: Client, carol: Headers, params: dict[str, str | int]) -> None:
    answer = browser.get(AUDIT, params=params, headers=carol)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert f"query.{next(iter(params))}" in answer.json()["message"]


def test_only_administrators_read_the_audit_log(community: Community, browser: Client) -> None:
    answer = browser.get(AUDIT, headers=community.session_of(community.ann))
    assert refusal(answer) == (403, "NOT_ALLOWED", "only administrators may see the audit log")
    narrow = browser.get(AUDIT, headers=community.key_of(community.carol, KeyScope.READ))
    assert refusal(narrow) == (
        403,
        "NOT_ALLOWED",
        "this API key lacks the scope admin, which is needed to see the audit log",
    )

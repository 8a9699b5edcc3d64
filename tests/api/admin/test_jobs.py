"""The job queue over HTTP: counts, dead letters, and the audit log."""

from collections.abc import Iterator
from typing import Any

import pytest

from sparks.jobs.port import MAX_TRIES, Job
from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers
from tests.factories import ANN

NAME_ONE = "name the dead letters by ids, or set all to true"


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


@pytest.fixture
def dead(community: Community) -> list[str]:
    """The ids of three dead letters."""
    jobs = community.stores.jobs
    jobs.send(Job("make_renditions", {"image_id": "sea", "owner": ANN}))
    jobs.send(Job("remove_account", {"email": ANN}))
    jobs.send(Job("sweep", {"image_id": 7}))
    for _ in range(3 * MAX_TRIES):
        [delivery] = jobs.receive(most=1, wait=0)
        jobs.retry_later(delivery, delay=0, reason="the bridge is down")
    return [job.job_id for job in jobs.dead()]


def read_jobs(browser: Client, headers: Headers) -> dict[str, Any]:
    answer: dict[str, Any] = browser.get("/api/admin/jobs", headers=headers).json()
    return answer


def audit_entries(browser: Client, headers: Headers) -> Iterator[tuple[str, str, int]]:
    for entry in browser.get("/api/admin/audit", headers=headers).json()["entries"]:
        yield entry["who"], entry["action"], entry["details"]["count"]


def test_jobs_are_counted_and_dead_letters_listed_with_their_photo(
    community: Community, browser: Client, carol: Headers, dead: list[str]
) -> None:
    community.stores.jobs.send(Job("walk", {}))
    community.stores.jobs.send(Job("walk", {}), delay=60)
    answer = read_jobs(browser, carol)
    assert answer["counts"] == {"waiting": 1, "delayed": 1, "leased": 0, "dead": 3}
    assert [letter["jobId"] for letter in answer["dead"]] == dead
    by_kind = {letter["kind"]: letter for letter in answer["dead"]}
    renditions = by_kind["make_renditions"]
    assert (renditions["reason"], renditions["tries"], renditions["imageId"]) == ("the bridge is down", 5, "sea")
    assert renditions["sentAt"].endswith("Z")
    assert not any("imageId" in by_kind[kind] for kind in ("remove_account", "sweep"))
    assert ANN not in str(answer)


def test_the_number_of_listed_dead_letters_is_limited(browser: Client, carol: Headers, dead: list[str]) -> None:
    answer = browser.get("/api/admin/jobs?most=2", headers=carol).json()
    assert (len(answer["dead"]), answer["counts"]["dead"]) == (2, 3)


def test_dead_letters_are_retried(browser: Client, carol: Headers, dead: list[str]) -> None:
    body = {"ids": [dead[0], dead[0], "no such job"]}
    answer = browser.post("/api/admin/jobs/retry", json=body, headers=carol)
    assert answer.json() == {"retried": 1, "missing": ["no such job"]}
    answer = browser.post("/api/admin/jobs/retry", json={"all": True}, headers=carol)
    assert answer.json() == {"retried": 2, "missing": []}
    assert read_jobs(browser, carol)["counts"] == {"waiting": 3, "delayed": 0, "leased": 0, "dead": 0}
    assert list(audit_entries(browser, carol)) == [(CAROL, "jobs-retried", 2), (CAROL, "jobs-retried", 1)]


def test_dead_letters_are_dropped(browser: Client, carol: Headers, dead: list[str]) -> None:
    answer = browser.post("/api/admin/jobs/drop", json={"ids": dead[:2]}, headers=carol)
    assert answer.json() == {"dropped": 2, "missing": []}
    assert read_jobs(browser, carol)["counts"] == {"waiting": 0, "delayed": 0, "leased": 0, "dead": 1}
    assert list(audit_entries(browser, carol)) == [(CAROL, "jobs-dropped", 2)]


def test_without_a_dead_letter_nothing_is_in_the_audit_log(browser: Client, carol: Headers) -> None:
    answer = browser.post("/api/admin/jobs/drop", json={"ids": ["no such job"]}, headers=carol)
    assert answer.json() == {"dropped": 0, "missing": ["no such job"]}
    assert list(audit_entries(browser, carol)) == []


@pytest.mark.parametrize("what", ["retry", "drop"])
@pytest.mark.parametrize("body", [{}, {"all": False}, {"ids": ["x"], "all": True}], ids=str)
def test_a_request_that_names_neither_or_both_of_ids_and_all_is_refused(
    browser: Client, carol: Headers, dead: list[str], what: str, body: dict[str, Any]
) -> None:
    answer = browser.post(f"/api/admin/jobs/{what}", json=body, headers=carol)
    assert refusal(answer) == (400, "BAD_INPUT", NAME_ONE)
    assert read_jobs(browser, carol)["counts"]["dead"] == 3

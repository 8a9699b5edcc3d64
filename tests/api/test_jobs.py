"""The job queue over HTTP: counts, dead letters, and who handled them."""

from collections.abc import Iterator
from typing import Any

import pytest

from sparks.jobs.port import MOST_TRIES, Job
from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers
from tests.factories import ANN

WHICH = "name the dead letters by their ids, or say that you mean all"


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


@pytest.fixture
def dead(community: Community) -> list[str]:
    """The ids of three jobs that have died."""
    jobs = community.stores.jobs
    jobs.send(Job("make_renditions", {"image_id": "sea", "owner": ANN}))
    jobs.send(Job("remove_account", {"email": ANN}))
    jobs.send(Job("sweep", {"image_id": 7}))
    for _ in range(3 * MOST_TRIES):
        [delivery] = jobs.receive(most=1, wait=0)
        jobs.retry_later(delivery, delay=0, reason="the bridge is down")
    return [job.job_id for job in jobs.dead()]


def told(browser: Client, headers: Headers) -> dict[str, Any]:
    answer: dict[str, Any] = browser.get("/api/admin/jobs", headers=headers).json()
    return answer


def deeds(browser: Client, headers: Headers) -> Iterator[tuple[str, str, int]]:
    for entry in browser.get("/api/admin/audit", headers=headers).json()["entries"]:
        yield entry["who"], entry["action"], entry["details"]["count"]


def test_jobs_are_counted_and_dead_letters_told_with_their_photo(
    community: Community, browser: Client, carol: Headers, dead: list[str]
) -> None:
    community.stores.jobs.send(Job("walk", {}))
    community.stores.jobs.send(Job("walk", {}), delay=60)
    answer = told(browser, carol)
    assert answer["counts"] == {"waiting": 1, "delayed": 1, "leased": 0, "dead": 3}
    assert [letter["jobId"] for letter in answer["dead"]] == dead
    by_kind = {letter["kind"]: letter for letter in answer["dead"]}
    renditions = by_kind["make_renditions"]
    assert (renditions["reason"], renditions["tries"], renditions["imageId"]) == ("the bridge is down", 5, "sea")
    assert renditions["sentAt"].endswith("Z")
    assert not any("imageId" in by_kind[kind] for kind in ("remove_account", "sweep"))
    assert ANN not in str(answer)


def test_as_many_letters_are_told_as_are_asked_for(browser: Client, carol: Headers, dead: list[str]) -> None:
    answer = browser.get("/api/admin/jobs?most=2", headers=carol).json()
    assert (len(answer["dead"]), answer["counts"]["dead"]) == (2, 3)


def test_dead_letters_are_sent_again(browser: Client, carol: Headers, dead: list[str]) -> None:
    wish = {"ids": [dead[0], dead[0], "no such job"]}
    answer = browser.post("/api/admin/jobs/retry", json=wish, headers=carol)
    assert answer.json() == {"retried": 1, "missing": ["no such job"]}
    answer = browser.post("/api/admin/jobs/retry", json={"all": True}, headers=carol)
    assert answer.json() == {"retried": 2, "missing": []}
    assert told(browser, carol)["counts"] == {"waiting": 3, "delayed": 0, "leased": 0, "dead": 0}
    assert list(deeds(browser, carol)) == [(CAROL, "jobs-retried", 2), (CAROL, "jobs-retried", 1)]


def test_dead_letters_are_dropped(browser: Client, carol: Headers, dead: list[str]) -> None:
    answer = browser.post("/api/admin/jobs/drop", json={"ids": dead[:2]}, headers=carol)
    assert answer.json() == {"dropped": 2, "missing": []}
    assert told(browser, carol)["counts"] == {"waiting": 0, "delayed": 0, "leased": 0, "dead": 1}
    assert list(deeds(browser, carol)) == [(CAROL, "jobs-dropped", 2)]


def test_where_nothing_was_done_nothing_is_written_down(browser: Client, carol: Headers) -> None:
    answer = browser.post("/api/admin/jobs/drop", json={"ids": ["no such job"]}, headers=carol)
    assert answer.json() == {"dropped": 0, "missing": ["no such job"]}
    assert list(deeds(browser, carol)) == []


@pytest.mark.parametrize("what", ["retry", "drop"])
@pytest.mark.parametrize("wish", [{}, {"all": False}, {"ids": ["x"], "all": True}], ids=str)
def test_a_wish_that_could_mean_all_or_none_is_refused(
    browser: Client, carol: Headers, dead: list[str], what: str, wish: dict[str, Any]
) -> None:
    answer = browser.post(f"/api/admin/jobs/{what}", json=wish, headers=carol)
    assert refusal(answer) == (400, "BAD_INPUT", WHICH)
    assert told(browser, carol)["counts"]["dead"] == 3

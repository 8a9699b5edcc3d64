"""Alive, ready, and how it is doing."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sparks.api.app import create_app
from sparks.api.health import Readiness
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Counts, Job
from sparks.journey import Stores
from sparks.metrics import JobReport, Metrics
from sparks.model.errors import Damaged, Unavailable
from sparks.settings import Settings
from tests.api.client import Client


class AsleepJobs(MemoryJobs):
    def check(self) -> None:
        raise Unavailable("the queue is asleep")

    def counts(self) -> Counts:
        raise Unavailable("the queue is asleep")


@contextmanager
def client_of(stores: Stores, data: Path, metrics: Metrics | None = None) -> Iterator[Client]:
    app = create_app(stores=stores, settings=Settings(data=data), metrics=metrics or Metrics())
    with Client(app) as client:
        yield client


def test_it_is_alive(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}


def test_it_is_ready_when_every_store_answers(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "checks": {"table": "ok", "blobs": "ok", "jobs": "ok"}}


def test_it_is_not_ready_when_a_store_cannot_be_reached_and_says_which(stores: Stores, tmp_path: Path) -> None:
    with client_of(replace(stores, jobs=AsleepJobs()), tmp_path) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["error"] == "NOT_READY"
    assert answer.json()["message"] == "not reachable: jobs"
    assert answer.json()["checks"] == {"table": "ok", "blobs": "ok", "jobs": "the queue is asleep"}


def test_the_metrics_tell_of_jobs_by_kind_and_outcome(tmp_path: Path, stores: Stores) -> None:
    metrics = Metrics()
    for done in (True, True, False):
        metrics.count_job(JobReport(kind="walk", done=done, seconds=0.2))
    with client_of(stores, tmp_path, metrics) as client:
        text = client.get("/metrics").text
    assert 'sparks_jobs_total{kind="walk",outcome="done"} 2.0' in text
    assert 'sparks_jobs_total{kind="walk",outcome="failed"} 1.0' in text
    assert 'sparks_job_seconds_count{kind="walk"} 3.0' in text


def test_the_metrics_tell_how_many_jobs_are_in_each_state(client: Client, stores: Stores) -> None:
    stores.jobs.send(Job("walk", {}))
    stores.jobs.send(Job("walk", {}), delay=60)
    text = client.get("/metrics").text
    found = {state: f'sparks_queue_jobs{{state="{state}"}}' for state in ("waiting", "delayed", "leased", "dead")}
    assert [f"{found[state]} {count}.0" in text for state, count in zip(found, (1, 1, 0, 0), strict=True)] == [True] * 4


def test_the_metrics_answer_without_the_queue_when_it_does_not(stores: Stores, tmp_path: Path) -> None:
    with client_of(replace(stores, jobs=AsleepJobs()), tmp_path) as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "sparks_queue_jobs{" not in answer.text


def test_the_metrics_tell_of_the_disk_and_the_database(client: Client, tmp_path: Path) -> None:
    (tmp_path / "sparks.db").write_bytes(b"x" * 1000)
    (tmp_path / "sparks.db-wal").write_bytes(b"x" * 234)
    text = client.get("/metrics").text
    assert 'sparks_storage_bytes{what="database"} 1234.0' in text
    assert 'sparks_storage_bytes{what="free"}' in text
    assert 'sparks_storage_bytes{what="used"}' in text


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics"])
def test_who_wants_only_the_head_is_answered(client: Client, path: str) -> None:
    assert client.request("HEAD", path).status_code == 200


def test_a_path_with_a_slash_too_many_is_not_found(client: Client) -> None:
    assert client.get("/healthz/").status_code == 404


def test_the_description_of_the_api_tells_what_is_answered(client: Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert list(paths["/metrics"]["get"]["responses"]["200"]["content"]) == ["text/plain"]
    assert {"200", "503"} <= set(paths["/readyz"]["get"]["responses"])
    assert [*paths["/readyz"]] == ["get"]


def test_the_metrics_answer_without_the_disk_when_it_is_gone(client: Client, tmp_path: Path) -> None:
    assert "sparks_storage_bytes{" in client.get("/metrics").text
    tmp_path.rmdir()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "sparks_storage_bytes{" not in answer.text


def test_a_reason_why_it_is_not_ready_is_logged_once(
    stores: Stores, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(replace(stores, jobs=AsleepJobs()), tmp_path) as client:
        for _ in range(3):
            client.get("/readyz")
    assert caplog.messages.count("not ready: jobs: the queue is asleep") == 1


def test_what_no_waiting_mends_is_raised_to_whoever_waits_for_readiness(stores: Stores) -> None:
    class BrokenJobs(MemoryJobs):
        def check(self) -> None:
            raise Damaged("the queue is broken")

    assert asyncio.run(Readiness(stores).is_ready())
    assert not asyncio.run(Readiness(replace(stores, jobs=AsleepJobs())).is_ready())
    with pytest.raises(Damaged, match="the queue is broken"):
        asyncio.run(Readiness(replace(stores, jobs=BrokenJobs())).is_ready())

"""Health, readiness and metrics."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sparks.api.admin.server_routes import Readiness
from sparks.api.app import create_app
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job, QueueCounts
from sparks.journey import Stores
from sparks.metrics import JobReport, Metrics
from sparks.model.errors import Damaged, Unavailable
from sparks.settings import Settings
from tests.api.client import Client


class AsleepJobs(MemoryJobs):
    def check(self) -> None:
        raise Unavailable("the queue is asleep")

    def counts(self) -> QueueCounts:
        raise Unavailable("the queue is asleep")


def readiness(stores: Stores) -> Readiness:
    return Readiness(table=stores.table, blobs=stores.blobs, jobs=stores.jobs)


@contextmanager
def client_of(stores: Stores, data: Path, metrics: Metrics | None = None) -> Iterator[Client]:
    app = create_app(stores=stores, settings=Settings(data=data), metrics=metrics or Metrics())
    with Client(app) as client:
        yield client


def test_the_server_is_alive(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}


def test_the_server_is_ready_when_every_store_responds(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "checks": {"table": "ok", "blobs": "ok", "jobs": "ok"}}


def test_the_server_is_not_ready_when_a_store_cannot_be_reached_and_names_it(stores: Stores, tmp_path: Path) -> None:
    with client_of(replace(stores, jobs=AsleepJobs()), tmp_path) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["error"] == "NOT_READY"
    assert answer.json()["message"] == "not reachable: jobs"
    assert answer.json()["checks"] == {"table": "ok", "blobs": "ok", "jobs": "the queue is asleep"}


def test_the_metrics_count_jobs_by_kind_and_outcome(tmp_path: Path, stores: Stores) -> None:
    metrics = Metrics()
    for done in (True, True, False):
        metrics.count_job(JobReport(kind="walk", done=done, seconds=0.2))
    with client_of(stores, tmp_path, metrics) as client:
        text = client.get("/metrics").text
    assert 'sparks_jobs_total{kind="walk",outcome="done"} 2.0' in text
    assert 'sparks_jobs_total{kind="walk",outcome="failed"} 1.0' in text
    assert 'sparks_job_seconds_count{kind="walk"} 3.0' in text


def test_the_metrics_count_jobs_by_state(client: Client, stores: Stores) -> None:
    stores.jobs.send(Job("walk", {}))
    stores.jobs.send(Job("walk", {}), delay=60)
    text = client.get("/metrics").text
    found = {state: f'sparks_queue_jobs{{state="{state}"}}' for state in ("waiting", "delayed", "leased", "dead")}
    assert [f"{found[state]} {count}.0" in text for state, count in zip(found, (1, 1, 0, 0), strict=True)] == [True] * 4


def test_the_metrics_leave_out_a_queue_that_does_not_respond(stores: Stores, tmp_path: Path) -> None:
    with client_of(replace(stores, jobs=AsleepJobs()), tmp_path) as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "sparks_queue_jobs{" not in answer.text


def test_the_metrics_have_the_sizes_of_disk_and_database(client: Client, tmp_path: Path) -> None:
    (tmp_path / "sparks.db").write_bytes(b"x" * 1000)
    (tmp_path / "sparks.db-wal").write_bytes(b"x" * 234)
    text = client.get("/metrics").text
    assert 'sparks_storage_bytes{what="database"} 1234.0' in text
    assert 'sparks_storage_bytes{what="free"}' in text
    assert 'sparks_storage_bytes{what="used"}' in text


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics"])
def test_head_requests_are_supported(client: Client, path: str) -> None:
    assert client.request("HEAD", path).status_code == 200


def test_a_path_with_a_slash_too_many_is_not_found(client: Client) -> None:
    assert client.get("/healthz/").status_code == 404


def test_the_openapi_document_describes_health_and_metrics(client: Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert list(paths["/metrics"]["get"]["responses"]["200"]["content"]) == ["text/plain"]
    assert {"200", "503"} <= set(paths["/readyz"]["get"]["responses"])
    assert [*paths["/readyz"]] == ["get"]


def test_the_metrics_leave_out_a_disk_that_cannot_be_read(client: Client, tmp_path: Path) -> None:
    assert "sparks_storage_bytes{" in client.get("/metrics").text
    tmp_path.rmdir()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "sparks_storage_bytes{" not in answer.text


def test_the_reason_why_the_server_is_not_ready_is_logged_once(
    stores: Stores, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(replace(stores, jobs=AsleepJobs()), tmp_path) as client:
        for _ in range(3):
            client.get("/readyz")
    assert caplog.messages.count("not ready: jobs: the queue is asleep") == 1


def test_readiness_raises_an_error_that_does_not_pass_by_waiting(stores: Stores) -> None:
    class BrokenJobs(MemoryJobs):
        def check(self) -> None:
            raise Damaged("the queue is broken")

    assert asyncio.run(readiness(stores).is_ready())
    assert not asyncio.run(readiness(replace(stores, jobs=AsleepJobs())).is_ready())
    with pytest.raises(Damaged, match="the queue is broken"):
        asyncio.run(readiness(replace(stores, jobs=BrokenJobs())).is_ready())

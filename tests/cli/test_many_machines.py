"""`sparks create`, and `sparks serve` on the engines for many machines."""

import json
import os
from pathlib import Path

import httpx
import pytest

from tests.cli import deployments
from tests.cli.conftest import Run
from tests.cli.processes import start_serve
from tests.servers import commands
from tests.servers.process import wait_until


@pytest.fixture
def engines() -> dict[str, str]:
    return deployments.engines(commands.dynoxide())


def test_create_makes_the_stores_of_the_settings_and_may_be_repeated(run: Run, engines: dict[str, str]) -> None:
    name = engines["SPARKS_BUCKET"]
    for _ in range(2):
        ended = run("create", "--json", **engines)
        assert ended.code == 0
        assert [row["what"] for row in json.loads(ended.out)] == [f"table {name}", f"bucket {name}", f"queues {name}"]


def test_create_says_when_there_is_nothing_to_create(run: Run) -> None:
    ended = run("create")
    assert ended.code == 0
    assert ended.out.startswith("nothing to create")


def test_a_store_that_does_not_exist_yet_is_named_with_what_to_do(run: Run, engines: dict[str, str]) -> None:
    ended = run("jobs", "list", **engines)
    assert ended.code == 1
    assert "sparks create" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_missing_aws_region_is_a_wrong_setting(
    run: Run, engines: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    ended = run("create", **engines | {"SPARKS_REGION": ""})
    assert ended.code == 2
    assert "SPARKS_REGION" in ended.err


def test_serve_and_its_worker_run_on_dynamodb_s3_and_sqs(run: Run, engines: dict[str, str], tmp_path: Path) -> None:
    assert run("create", **engines).code == 0
    with start_serve(tmp_path / "serve" / "data", **engines) as running:
        assert httpx.get(f"{running.url}/readyz").json()["checks"] == {"table": "ok", "blobs": "ok", "jobs": "ok"}
        wait_until(lambda: bool(running.lines("job done")), what="the upkeep to be done")
        assert not (running.data / "sparks.db").exists()
        wait_until(lambda: running.metric('sparks_queue_jobs{state="waiting"}') == 0, what="the queue to be empty")

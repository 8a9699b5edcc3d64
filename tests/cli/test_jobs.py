"""`sparks jobs`: counts and dead letters."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sparks.jobs.port import MAX_TRIES, Job
from sparks.library.audit import page_of_entries
from sparks.model.times import month_of, now
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.conftest import Run


@pytest.fixture
def dead(data: Path) -> Sequence[str]:
    """The ids of two dead letters; a third job waits."""
    with open_stores(load_settings({"data": data}, {})) as stores:
        for name in "ab":
            stores.jobs.send(Job("walk", {"name": name}))
        for _ in range(MAX_TRIES):
            for delivery in stores.jobs.receive(wait=0):
                stores.jobs.retry_later(delivery, delay=0, reason="the bridge is down")
        stores.jobs.send(Job("rest", {}))
        return [job.job_id for job in stores.jobs.dead()]


def counts(run: Run) -> dict[str, int]:
    found: dict[str, int] = json.loads(run("jobs", "list", "--json").out)["counts"]
    return found


def test_the_list_shows_counts_and_dead_letters_with_their_reasons(run: Run, dead: Sequence[str]) -> None:
    shown = json.loads(run("jobs", "list", "--json").out)
    assert shown["counts"] == {"waiting": 1, "delayed": 0, "leased": 0, "dead": 2}
    assert [job["job_id"] for job in shown["dead"]] == dead
    assert shown["dead"][0]["job"] == {"kind": "walk", "body": {"name": "a"}}
    assert shown["dead"][0]["reason"] == "the bridge is down"


def test_the_list_without_json_is_readable_text(run: Run, dead: Sequence[str]) -> None:
    lines = run("jobs", "list").out.splitlines()
    assert lines[0] == "waiting 1  delayed 0  leased 0  dead 2"
    assert [line.startswith(f"{job_id}  walk  sent ") for line, job_id in zip(lines[1:], dead, strict=True)] == [
        True
    ] * 2


def test_dead_letters_are_sent_again_by_id(run: Run, dead: Sequence[str]) -> None:
    assert run("jobs", "retry", dead[0]) == (0, "retried 1 of 1 dead letters\n", "")
    assert counts(run) == {"waiting": 2, "delayed": 0, "leased": 0, "dead": 1}


def test_all_dead_letters_are_sent_again(run: Run, dead: Sequence[str]) -> None:
    assert json.loads(run("jobs", "retry", "--all", "--json").out) == {"retried": 2, "missing": []}
    assert counts(run)["dead"] == 0


def test_dead_letters_are_dropped(run: Run, dead: Sequence[str]) -> None:
    assert run("jobs", "drop", *dead).code == 0
    assert counts(run) == {"waiting": 1, "delayed": 0, "leased": 0, "dead": 0}


def test_a_dead_letter_that_is_not_there_makes_the_command_fail(run: Run, dead: Sequence[str]) -> None:
    ended = run("jobs", "drop", dead[0], "no-such-job")
    assert ended == (1, "dropped 1 of 2 dead letters\n", "sparks: no dead letter has the id no-such-job\n")


def test_with_json_the_ids_of_missing_dead_letters_are_listed(run: Run, dead: Sequence[str]) -> None:
    ended = run("jobs", "retry", "no-such-job", dead[0], dead[0], "--json")
    assert (ended.code, json.loads(ended.out), ended.err) == (1, {"retried": 1, "missing": ["no-such-job"]}, "")


def test_an_id_that_is_not_text_is_a_usage_error(run: Run, dead: Sequence[str]) -> None:
    ended = run("jobs", "drop", "\udcff")
    assert ended.code == 2
    assert "is not the id of a dead letter" in ended.err


def test_retrying_all_dead_letters_goes_beyond_one_page(
    run: Run, data: Path, dead: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparks.upkeep.handle_dead_letters.MAX_DEAD_LETTERS", 1)
    assert run("jobs", "drop", "--all") == (0, "dropped 2 dead letters\n", "")
    assert counts(run)["dead"] == 0


@pytest.mark.parametrize("arguments", [[], ["--all", "some-id"]])
def test_retry_needs_either_ids_or_all(run: Run, arguments: list[str]) -> None:
    assert run("jobs", "drop", *arguments).code == 2


def test_retrying_all_works_where_there_are_no_dead_letters(run: Run, dead: Sequence[str]) -> None:
    run("jobs", "drop", *dead)
    assert run("jobs", "retry", "--all") == (0, "retried 0 dead letters\n", "")


def test_handling_dead_letters_is_in_the_audit_log(run: Run, data: Path, dead: Sequence[str]) -> None:
    run("jobs", "drop", dead[0])
    with open_stores(load_settings({"data": data}, {})) as stores:
        entries, _ = page_of_entries(month_of(now()), limit=1, after=None, table=stores.table)
    assert [(entry.who, entry.action, entry.details) for entry in entries] == [
        ("command line", "jobs-dropped", {"count": 1})
    ]

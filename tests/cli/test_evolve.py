"""`sparks evolve`: what it shows, what it runs, and how it refuses data that are too new."""

import json
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sparks.evolve.rekey import run_rekeyings
from sparks.library import keys
from sparks.library.records import key_of, to_item
from sparks.library.schema import VERSIONS, Registry, Version
from sparks.model import times
from sparks.model.person import Suggestion
from sparks.settings import Settings
from sparks.table.port import Key, Put, Set
from sparks.wiring import open_stores, open_table
from tests.cli.conftest import Run
from tests.cli.library import stores_in
from tests.evolve.places import AFTER as REKEYED
from tests.factories import a_photo

NOW = VERSIONS[-1].number
NEWER = Registry((*VERSIONS, Version(NOW + 1, date(2027, 1, 1), "rows have another form", oldest_reader=NOW + 1)))
SUGGESTION = Suggestion(
    person_id="person1", other_person_id="person2", face_id="face1", other_face_id="face2", similarity=0.4
)


@pytest.fixture
def older_row(data: Path) -> dict[str, Any]:
    """A suggestion of version 1, in data that came to version 2 31 days ago."""
    item = to_item(SUGGESTION) | {"madeAt": "2025-08-01T09:24:22.159Z"}
    with stores_in(data) as stores:
        stores.table.write(Put(item))
        taken_on = dict.fromkeys(("1", "2"), times.iso(times.now() - timedelta(days=31)))
        stores.table.write(Set(keys.SCHEMA_STATE, {"takenOn": taken_on}))
    return item


def row(data: Path) -> dict[str, Any] | None:
    with stores_in(data) as stores:
        return stores.table.get(key_of(SUGGESTION))


def test_it_shows_the_version_and_what_has_a_history(run: Run, data: Path) -> None:
    with stores_in(data):
        pass
    shown = run("evolve")
    assert (shown.code, shown.err) == (0, "")
    assert f"the data are of version {NOW}, this Sparks writes {NOW}" in shown.out
    assert f"version {NOW} of {VERSIONS[-1].on}, here since {times.now():%Y-%m-%d}: " in shown.out
    assert "Suggestion.madeAt                    added in 1, retired in 2, removal is due from 20" in shown.out
    assert "Photo.title" not in shown.out
    assert "Photo.title" in run("evolve", "--all").out
    content = json.loads(run("evolve", "--json").out)
    assert (content["version"], content["oldestReader"], content["due"]) == (NOW, 2, [])
    assert {"Photo", "User", "Album"} <= {each["record"] for each in content["attributes"]}


def test_nothing_runs_before_30_days_have_passed(run: Run, data: Path) -> None:
    with stores_in(data):
        pass
    assert run("evolve", "run") == (0, "nothing is due\n", "")


def test_a_dry_run_counts_what_would_be_removed(run: Run, data: Path, older_row: dict[str, Any]) -> None:
    assert "removal is due\n" in run("evolve").out
    assert run("evolve", "run", "--dry-run") == (0, "Suggestion.madeAt would be removed from 1 rows\n", "")
    assert row(data) == older_row


def test_a_run_removes_what_is_due_once(run: Run, data: Path, older_row: dict[str, Any]) -> None:
    assert run("evolve", "run", "--rate", "5000") == (0, "Suggestion.madeAt is removed from 1 rows\n", "")
    del older_row["madeAt"]
    assert row(data) == older_row
    assert f"removed on {times.now():%Y-%m-%d}" in run("evolve").out
    assert run("evolve", "run") == (0, "nothing is due\n", "")


def test_a_run_moves_rows_whose_keys_have_another_form(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses, which other processes need, are left out."""
    photo = a_photo()
    with stores_in(data) as stores:
        stores.table.write(Put(to_item(photo)))
    monkeypatch.setattr("sparks.wiring.open_table", partial(open_table, registry=REKEYED))
    monkeypatch.setattr("sparks.evolve.rekey.run_rekeyings", partial(run_rekeyings, sleep=lambda _: None))
    assert "  re-keying image-prefix: due\n1 due: `sparks evolve run`\n" in run("evolve").out
    assert run("evolve", "run", "--dry-run").out == "re-keying image-prefix: all rows would be moved\n"
    assert run("evolve", "run") == (0, "re-keying image-prefix: all rows are moved\n", "")
    with open_stores(Settings(data=data), registry=REKEYED) as stores:
        assert stores.table.get(Key(f"IMAGE#{photo.image_id}", key_of(photo).sk)) is not None
    assert run("evolve").out.endswith("nothing is due\n")
    assert json.loads(run("evolve", "--json").out)["version"] == NOW + 1


@pytest.mark.parametrize("command", [("evolve",), ("jobs", "list"), ("serve", "--port", "0")])
def test_data_that_are_too_new_are_refused_in_one_line_with_code_2(run: Run, data: Path, command: tuple[str]) -> None:
    with open_stores(Settings(data=data), registry=NEWER):
        pass
    ended = run(*command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(
        f"sparks: the data are of version {NOW + 1}, and this Sparks knows versions up to {NOW}"
    )
    assert ended.err.count("\n") == 1

"""`sparks sweep`: its output and its exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparks.blobs.filesystem.root import MARKER
from sparks.model import times
from tests.cli.conftest import Run
from tests.cli.library import add_photos, stores_in
from tests.factories import ANN
from tests.stored_traces import traces_of
from tests.upkeep.photo_makers import DAY, orphans, reservation, trashed

NOTHING = {
    "reservations": 0,
    "expired": 0,
    "trash": 0,
    "deletions": 0,
    "rows": 0,
    "letters": 0,
    "caches": 0,
    "orphans": 0,
    "orphanBytes": 0,
    "dryRun": False,
    "refusal": None,
}


@pytest.fixture(autouse=True)
def ann(run: Run) -> None:
    assert run("user", "add", ANN, "--no-password").code == 0


def sweep_json(run: Run, *options: str) -> dict[str, Any]:
    ended = run("sweep", "--json", *options)
    assert ended.err == ""
    answer: dict[str, Any] = json.loads(ended.out)
    return answer


def test_a_sweep_deletes_nothing_where_nothing_has_expired(run: Run, data: Path) -> None:
    add_photos(data, ANN, 2)
    assert run("sweep") == (0, "removed nothing\n", "")
    assert sweep_json(run) == NOTHING


def test_a_sweep_deletes_and_counts_what_has_expired(run: Run, data: Path) -> None:
    with stores_in(data) as stores:
        gone = reservation(stores, expires_at=times.now()), trashed(stores, at=times.now() - 31 * DAY)
        orphans(stores, 2)
    assert sweep_json(run) == NOTHING | {"reservations": 1, "trash": 1, "orphans": 2, "orphanBytes": 20}
    with stores_in(data) as stores:
        for photo in gone:
            assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=ANN) == []
    assert sweep_json(run) == NOTHING


def test_the_result_of_a_sweep_without_json_is_readable_text(run: Run, data: Path) -> None:
    with stores_in(data) as stores:
        reservation(stores, expires_at=times.now())
        orphans(stores, 2)
    lines = ["  1  unfinished uploads", "  2  blobs of no photo (20 bytes)"]
    assert run("sweep", "--dry-run").out.splitlines() == ["would remove:", *lines]
    assert run("sweep").out.splitlines() == ["removed:", *lines]


def test_a_dry_run_of_a_sweep_changes_nothing(run: Run, data: Path) -> None:
    with stores_in(data) as stores:
        reservation(stores, expires_at=times.now())
        orphans(stores, 1)
    first = sweep_json(run, "--dry-run")
    assert first["dryRun"]
    assert (first["reservations"], first["orphans"], first["rows"]) == (1, 1, None)
    assert sweep_json(run, "--dry-run") == first


def test_the_trash_is_kept_for_as_long_as_the_setting_says(run: Run, data: Path) -> None:
    with stores_in(data) as stores:
        trashed(stores, at=times.now() - 9 * DAY)
    assert json.loads(run("sweep", "--json", SPARKS_TRASH_DAYS="10").out)["trash"] == 0
    assert json.loads(run("sweep", "--json", SPARKS_TRASH_DAYS="9").out)["trash"] == 1


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["sweep", "dry run"])
def test_too_many_orphans_are_kept_and_the_sweep_exits_with_code_1(
    run: Run, data: Path, options: tuple[str, ...]
) -> None:
    with stores_in(data) as stores:
        orphans(stores, 11)
    ended = run("sweep", *options)
    assert ended.code == 1
    assert ended.err.startswith("sparks: the orphaned blobs were kept: 11 of 11 blobs")
    assert "nothing" in ended.out
    assert run("sweep", "--json", *options).code == 1
    assert sweep_json(run, *options)["refusal"].startswith("11 of 11 blobs")


def test_too_many_orphans_are_deleted_with_force(run: Run, data: Path) -> None:
    with stores_in(data) as stores:
        orphans(stores, 11)
    assert run("sweep", "--force").code == 0
    assert sweep_json(run) == NOTHING


def test_a_sweep_is_refused_where_the_marker_file_of_the_blobs_is_missing(run: Run, data: Path) -> None:
    add_photos(data, ANN, 1)
    (data / "blobs" / MARKER).unlink()
    ended = run("sweep", "--force")
    assert ended.code != 0
    assert MARKER in ended.err


def test_a_sweep_creates_no_data_folder(run: Run, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert run("sweep", "--data", str(elsewhere)).code == 2
    assert not elsewhere.exists()
